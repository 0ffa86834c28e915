// The rows of users, which both modules read.
import { lockRow } from './row-locks.ts';
import type { Executor, UserRow } from './schema.ts';

export function findUserRow(db: Executor, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** `email` must be in lower case. */
export function findUserRowByEmail(db: Executor, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

export function lockUserRow(trx: Executor, id: string): Promise<UserRow | undefined> {
  return lockRow(trx, 'users', 'id', id);
}
