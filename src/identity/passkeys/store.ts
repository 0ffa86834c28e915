import { lockRow } from '../../storage/row-locks.ts';
import type { Executor, PasskeyRow } from '../../storage/schema.ts';
import { deleteBy, findBy, insertInto } from '../../storage/table-queries.ts';

/** Newest first. At most ten rows exist. */
export function findPasskeys(db: Executor, userId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('create_time', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export const findPasskeyByCredential = findBy('passkeys', 'credential_id');
export const insertPasskey = insertInto('passkeys');

export function renamePasskey(
  trx: Executor,
  userId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  return trx
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export const deletePasskey = deleteBy('passkeys', 'user_id', 'id');

export function lockPasskey(trx: Executor, id: string): Promise<PasskeyRow | undefined> {
  return lockRow(trx, 'passkeys', 'id', id);
}

export async function recordPasskeyUse(
  trx: Executor,
  id: string,
  use: { readonly counter: number; readonly last_used_time: number },
): Promise<void> {
  await trx.updateTable('passkeys').set(use).where('id', '=', id).execute();
}
