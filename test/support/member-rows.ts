// Writes members of workspaces into the database, as another process would, and makes callers.
import { decodeJwt } from 'jose';
import { putMember } from '../../src/sharing/workspaces/store.ts';
import type { Database, MemberRow } from '../../src/storage/schema/schema.ts';
import type { TestApp } from './harness.ts';
import { changeAsOtherProcess } from './owner-rows.ts';
import { signToken, type TokenFor } from './signed-tokens.ts';
import { addUser } from './user-rows.ts';

/** Adds a user, by default a new one, to a workspace; returns the user's id. */
export async function addMember(
  db: Database,
  workspaceId: string,
  role: MemberRow['role'],
  userId?: string,
): Promise<string> {
  const id = userId ?? (await addUser(db, { kind: 'member' })).id;
  const row = { workspace_id: workspaceId, user_id: id, role, create_time: Date.now() };
  await changeAsOtherProcess(db, (trx) => putMember(trx, row));
  return id;
}

/** Returns the ids of a user's sessions that have not ended. */
export async function liveSessions(db: Database, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoke_time', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** The `Authorization` or `Cookie` header of a caller of that kind. */
export async function credentialFor(
  { app }: TestApp,
  token: TokenFor,
): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await signToken(app, token)}` };
}

/** The subject and the session of a token. */
export function subjectOf({ authorization }: { readonly authorization: string }) {
  const { sub = '', sid } = decodeJwt(authorization.slice('Bearer '.length));
  return { sub, sid: String(sid) };
}

/** The scopes that a member's token may hold: those of the most powerful role. */
export const memberScope =
  'documents:read documents:write links:read links:write api_keys:read api_keys:write ' +
  'workspaces:read workspaces:write';
