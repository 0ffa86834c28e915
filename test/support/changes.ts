// Changes of cached entities, for suites that need no particular one.
import { transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema.ts';

/** Inserts a revoked token, the cached row that needs no other row. */
export async function insertChangedRow(trx: Executor, jti: string): Promise<void> {
  const row = { jti, expire_time: Date.now() + 300_000, revision: 0 };
  await trx
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('jti').doUpdateSet((eb) => ({
        expire_time: eb('revoked_tokens.expire_time', '+', 1),
      })),
    )
    .execute();
}

/** Changes the entity `revoked_token` with this id. */
export function changeEntity(db: Database, jti: string): Promise<void> {
  return transact(db, (trx) => insertChangedRow(trx, jti));
}
