// The rows of users, which both modules read.
import type { Executor } from '../schema/schema.ts';
import { findBy, lockBy } from './table-queries.ts';

export const findUserRow = findBy('users', 'id');

/** `email` must be in lower case. */
export const findUserRowByEmail = findBy('users', 'email');

export const lockUserRow = lockBy('users', 'id');

/** Ends the sessions of a user. Without `except`, mailed password links end, too. */
export async function endSessionsOf(
  trx: Executor,
  userId: string,
  { time, except = '' }: { readonly time: number; readonly except?: string },
): Promise<void> {
  await trx
    .updateTable('sessions')
    .set({ revoke_time: time })
    .where('user_id', '=', userId)
    .where('id', '<>', except)
    .where('revoke_time', 'is', null)
    .execute();
  if (except === '')
    await trx.deleteFrom('password_resets').where('user_id', '=', userId).execute();
}
