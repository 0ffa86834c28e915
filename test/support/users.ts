// Users and their sessions, as another process would write them into the database.
import { randomBytes } from 'node:crypto';
import { insertUser } from '../../src/identity/users/store.ts';
import { newId } from '../../src/ids.ts';
import type { Database, UserRow } from '../../src/storage/schema.ts';
import { changeElsewhere } from './rows.ts';

export type TestUser = Pick<UserRow, 'kind' | 'email' | 'name' | 'scopes'> & {
  readonly disabled?: boolean;
};

/** Adds a user with no password that could be given. */
export async function addUser(db: Database, user: Partial<TestUser> = {}): Promise<UserRow> {
  const { kind = 'staff', scopes = '', name = 'Test user', disabled = false } = user;
  const id = newId('usr', randomBytes);
  const row: UserRow = {
    id,
    kind,
    email: (user.email ?? `${id}@example.com`).toLowerCase(),
    name,
    password_hash: '',
    scopes,
    create_time: Date.now(),
    disable_time: disabled ? Date.now() : null,
  };
  await changeElsewhere(db, (trx) => insertUser(trx, row));
  return row;
}

/** Adds a session of the user. */
export async function addSession(
  db: Database,
  userId: string,
  { createTime = Date.now() }: { readonly createTime?: number } = {},
): Promise<{ id: string }> {
  const id = newId('ses', randomBytes);
  const row = {
    id,
    user_id: userId,
    digest: '',
    amr: 'pwd',
    address: '127.0.0.1',
    create_time: createTime,
    refresh_time: createTime,
    expire_time: createTime + 3_600_000,
    revoke_time: null,
  };
  await db.insertInto('sessions').values(row).execute();
  return { id };
}
