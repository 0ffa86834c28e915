// Users and members, as another process would write them into the database.
import { randomBytes } from 'node:crypto';
import { insertUser } from '../../src/identity/users/store.ts';
import { newId } from '../../src/ids.ts';
import { putMember } from '../../src/sharing/workspaces/store.ts';
import type { Database, MemberRow, SessionRow, UserRow } from '../../src/storage/schema.ts';
import type { TestApp } from './harness.ts';
import { changeElsewhere } from './rows.ts';
import { signToken, type TokenFor } from './tokens.ts';

/** A user with no password that could be given. */
export async function addUser(db: Database, fields: Partial<UserRow> = {}): Promise<UserRow> {
  const id = newId('usr', randomBytes);
  const row: UserRow = {
    id,
    kind: 'member',
    email: `${id.toLowerCase()}@example.com`,
    name: 'Test user',
    password_hash: '',
    scopes: '',
    create_time: Date.now(),
    disable_time: null,
    ...fields,
  };
  await changeElsewhere(db, (trx) => insertUser(trx, row));
  return row;
}

export async function addMember(
  db: Database,
  workspaceId: string,
  role: MemberRow['role'],
  userId?: string,
): Promise<string> {
  const id = userId ?? (await addUser(db)).id;
  const row = { workspace_id: workspaceId, user_id: id, role, create_time: Date.now() };
  await changeElsewhere(db, (trx) => putMember(trx, row));
  return id;
}

export async function addSession(db: Database, userId: string): Promise<string> {
  const now = Date.now();
  const row: SessionRow = {
    id: newId('ses', randomBytes),
    user_id: userId,
    digest: randomBytes(32).toString('hex'),
    amr: 'pwd',
    address: '127.0.0.1',
    create_time: now,
    refresh_time: now,
    expire_time: now + 3_600_000,
    revoke_time: null,
  };
  await changeElsewhere(db, (trx) => trx.insertInto('sessions').values(row).execute());
  return row.id;
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
export async function as({ app }: TestApp, token: TokenFor): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await signToken(app, token)}` };
}

/** What a member's token may hold: as much as any role. */
export const memberScope =
  'documents:read documents:write links:read links:write api_keys:read api_keys:write ' +
  'workspaces:read workspaces:write';
