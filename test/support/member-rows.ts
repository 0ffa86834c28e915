// Members of workspaces, as another process would write them into the database, and callers.
import { decodeJwt } from 'jose';
import { putMember } from '../../src/sharing/workspaces/store.ts';
import type { Database, MemberRow } from '../../src/storage/schema.ts';
import type { TestApp } from './harness.ts';
import { changeAsOtherProcess } from './owner-rows.ts';
import { signToken, type TokenFor } from './signed-tokens.ts';
import { addUser } from './user-rows.ts';

/** Makes a user, by default a new one, a member of a workspace; returns the user's id. */
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

/** The ids of a user's sessions that have not ended. */
export async function liveSessions(db: Database, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoke_time', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** The header of a caller of that kind. */
export async function credentialFor(
  { app }: TestApp,
  token: TokenFor,
): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await signToken(app, token)}` };
}

/** Whom a token stands for, and in which session. */
export function subjectOf({ authorization }: { readonly authorization: string }) {
  const { sub = '', sid } = decodeJwt(authorization.slice('Bearer '.length));
  return { sub, sid: String(sid) };
}

/** What a member's token may hold: as much as any role. */
export const memberScope =
  'documents:read documents:write links:read links:write api_keys:read api_keys:write ' +
  'workspaces:read workspaces:write';
