import type { ExpressionBuilder } from 'kysely';
import { compileOnce, type QueryParameters } from '../../storage/queries/compiled-query.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import { databaseTime } from '../../storage/schema/dialect.ts';
import type { Executor, Schema } from '../../storage/schema/schema.ts';

/** A process, and how long its rows protect their blobs unless it renews them. */
export type Holder = {
  readonly owner: string;
  readonly leaseMs: number;
};

const insertPendingBlob = compileOnce(
  (db, row: QueryParameters<Holder & { readonly id: string }>) => {
    const { id: blob_id, owner, leaseMs } = row;
    const expire_time = databaseTime(db, leaseMs);
    return db
      .insertInto('pending_blobs')
      .values({ blob_id, owner, expire_time })
      .onConflict((conflict) => conflict.column('blob_id').doUpdateSet({ owner, expire_time }));
  },
);

/** Inserts at least one row, or changes the owner of a row that a sweep has not settled yet. */
export async function insertPendingBlobs(
  db: Executor,
  ids: readonly string[],
  holder: Holder,
): Promise<void> {
  const [id = '', ...others] = ids;
  if (others.length === 0) {
    await insertPendingBlob(db, { id, ...holder });
    return;
  }
  const { owner, leaseMs } = holder;
  const expire_time = databaseTime(db, leaseMs);
  await db
    .insertInto('pending_blobs')
    .values(ids.map((blob_id) => ({ blob_id, owner, expire_time })))
    .onConflict((conflict) => conflict.column('blob_id').doUpdateSet({ owner, expire_time }))
    .execute();
}

export async function renewPendingBlobs(
  db: Executor,
  ids: readonly string[],
  { owner, leaseMs }: Holder,
): Promise<void> {
  await db
    .updateTable('pending_blobs')
    .set({ expire_time: databaseTime(db, leaseMs) })
    .where('blob_id', 'in', ids)
    .where('owner', '=', owner)
    .execute();
}

const deletePending = compileOnce((db, row: QueryParameters<{ id: string; owner: string }>) =>
  db.deleteFrom('pending_blobs').where('blob_id', '=', row.id).where('owner', '=', row.owner),
);

/** Deletes the row of the owner. Returns whether the owner still had it. */
export async function deletePendingBlob(db: Executor, id: string, owner: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await deletePending(db, { id, owner });
  return numAffectedRows > 0n;
}

/** No lease is longer. After the clock was set back, rows may seem to expire later. */
const leaseMsMax = 86_400_000;

const isExpired = (db: Executor) => (eb: ExpressionBuilder<Schema, 'pending_blobs'>) =>
  eb.or([
    eb('expire_time', '<=', databaseTime(db)),
    eb('expire_time', '>', databaseTime(db, leaseMsMax)),
  ]);

export async function findExpiredBlobs(db: Executor, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('pending_blobs')
    .select('blob_id')
    .where(isExpired(db))
    .orderBy('expire_time')
    .limit(limit)
    .execute();
  return rows.map(({ blob_id }) => blob_id);
}

/** Gives an expired row to another process. Returns false if it is not expired, or is gone. */
export async function claimPendingBlob(
  db: Executor,
  id: string,
  { owner, leaseMs }: Holder,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pending_blobs')
    .set({ owner, expire_time: databaseTime(db, leaseMs) })
    .where('blob_id', '=', id)
    .where(isExpired(db))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function findDocumentBlobs(
  db: Executor,
  limit: number,
): Promise<{ blob_id: string; size_bytes: number }[]> {
  return db
    .selectFrom('documents')
    .select(['blob_id', 'size_bytes'])
    .where('remove_time', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function findStoreId(db: Executor): Promise<string | undefined> {
  const row = await db.selectFrom('blob_stores').select('id').executeTakeFirst();
  return row?.id;
}

/**
 * Inserts the id of the store, unless the database has one already. Waits for a concurrent
 * insertion. Returns the id in the database.
 */
export async function insertStoreId(trx: Executor, id: string): Promise<string> {
  await trx
    .insertInto('blob_stores')
    .values({ name: 'documents', id })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await findStoreId(trx)) ?? id;
}

export async function replaceStoreId(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('blob_stores').execute();
  await insertStoreId(trx, id);
}

export function hasPendingBlobs(db: Executor): Promise<boolean> {
  return hasRow(db.selectFrom('pending_blobs'));
}
