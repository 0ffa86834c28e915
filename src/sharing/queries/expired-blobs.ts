import { insertUnlessTaken } from '../../storage/queries/table-queries.ts';
import type { Executor } from '../../storage/schema/schema.ts';

/**
 * Inserts an expired row, so that the next sweep settles the blob. Does nothing if a row exists.
 */
export async function insertExpiredBlob(db: Executor, id: string): Promise<void> {
  await insertPending(db, { blob_id: id, owner: '', expire_time: 0 });
}

const insertPending = insertUnlessTaken('pending_blobs', 'blob_id');
