import type { Executor } from './schema.ts';

/**
 * Inserts an expired row, so that the next sweep settles the blob. Does nothing if a row exists.
 */
export async function insertExpiredBlob(db: Executor, id: string): Promise<void> {
  await db
    .insertInto('pending_blobs')
    .values({ blob_id: id, owner: '', expire_time: 0 })
    .onConflict((conflict) => conflict.column('blob_id').doNothing())
    .execute();
}
