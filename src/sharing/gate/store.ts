import { hasRow } from '../../storage/queries/row-counts.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import { deleteBy, findBy, insertInto } from '../../storage/queries/table-queries.ts';
import type { Executor, GateCodeRow, RevokedTokenRow } from '../../storage/schema/schema.ts';

/** Replaces the last code. Returns false if the last code was sent after `since`. */
export async function replaceCode(
  trx: Executor,
  row: GateCodeRow,
  since: number,
): Promise<boolean> {
  const { digest, tries, send_time, expire_time } = row;
  const placed = await trx
    .insertInto('gate_codes')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ digest, tries, send_time, expire_time })
        .where((eb) =>
          eb.or([
            eb('gate_codes.send_time', '<=', since),
            // The clock was set back after the last code was sent.
            eb('gate_codes.send_time', '>', send_time + (send_time - since)),
          ]),
        ),
    )
    .returning('key')
    .executeTakeFirst();
  return placed !== undefined;
}

export const findCode = findBy('gate_codes', 'key');

export async function lockCode(
  trx: Executor,
  key: string,
  now: number,
): Promise<GateCodeRow | undefined> {
  const row = await lockRow(trx, 'gate_codes', 'key', key);
  return row !== undefined && row.expire_time > now ? row : undefined;
}

export async function addTry(trx: Executor, row: GateCodeRow): Promise<void> {
  await trx
    .insertInto('gate_codes')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({ tries: eb('gate_codes.tries', '+', 1) })),
    )
    .execute();
}

/** Deletes a code unless another one has replaced it. */
export const deleteCode = deleteBy('gate_codes', 'key', 'digest');

export const insertRememberedReader = insertInto('remembered_readers');

export const findRememberedReader = findBy('remembered_readers', 'digest');

export const deleteRememberedReader = deleteBy('remembered_readers', 'digest');

export function hasViewsLeft(db: Executor, id: string, limit: number): Promise<boolean> {
  return hasRow(db.selectFrom('links').where('id', '=', id).where('view_count', '<', limit));
}

export const findErasure = findBy('revoked_tokens', 'jti');

/** A later erasure of the same person extends the time. A slow clock cannot shorten it. */
export async function putErasure(trx: Executor, row: RevokedTokenRow): Promise<void> {
  const { expire_time } = row;
  await trx
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('jti')
        .doUpdateSet({ expire_time })
        .where('revoked_tokens.expire_time', '<', expire_time),
    )
    .execute();
}
