import type { SearchTable } from '../../storage/queries/search.ts';
import {
  deleteBy,
  findBy,
  insertInto,
  lockBy,
  updateBy,
} from '../../storage/queries/table-queries.ts';
import type { Executor, PasskeyRow } from '../../storage/schema/schema.ts';

export const passkeySearch: SearchTable = { table: 'passkeys', idPrefix: 'pky', texts: ['name'] };

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

export const lockPasskey = lockBy('passkeys', 'id');

export const recordPasskeyUse = updateBy('passkeys', 'id');
