import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { countRows, hasRow } from '../storage/queries/row-counts.ts';
import { databaseTime, isPostgres } from '../storage/schema/dialect.ts';
import type { Database, Executor, Schema } from '../storage/schema/schema.ts';
import { BackupError, type BlobFacts, type Row } from './format.ts';
import { leaseLost } from './lease.ts';
import { type BackedUpTable, backedUpTables } from './tables.ts';

type AnyTables = Record<string, Record<string, string | number | null>>;

const anyTables = (db: Executor) => db as unknown as Kysely<AnyTables>;

/** Sees the database as it is now and blocks no writer. It may take hours. */
export function readSnapshot<T>(
  db: Database,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const transaction = db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only');
  return transaction.execute(async (trx) => {
    await allowLongTransaction(trx);
    if (isPostgres(trx)) await lockSchema(trx);
    // The snapshot begins with the first read.
    await trx.selectFrom('revisions').select('name').execute();
    return work(trx);
  });
}

export async function allowLongTransaction(trx: Executor): Promise<void> {
  if (!isPostgres(trx)) return;
  for (const timeout of ['idle_in_transaction_session_timeout', 'statement_timeout']) {
    await sql`set local ${sql.raw(timeout)} = 0`.execute(trx);
  }
}

/** Prevents migrations of tables that the backup reads later. SQLite's snapshot has the schema. */
async function lockSchema(trx: Executor): Promise<void> {
  const tables = sql.join(backedUpTables.map(({ name }) => sql.table(name)));
  await sql`lock table ${tables} in access share mode`.execute(trx);
}

export async function* readRows(
  db: Executor,
  { name, key }: BackedUpTable,
  size: number,
): AsyncGenerator<Row[]> {
  const columns = tuple(key.map((column) => sql.ref(column)));
  for (let last: Row | undefined; ; ) {
    let query = anyTables(db).selectFrom(name).selectAll().limit(size);
    for (const column of key) query = query.orderBy(column);
    if (last !== undefined) {
      const values = tuple(key.map((column) => sql.val(last?.[column])));
      query = query.where(sql<boolean>`${columns} > ${values}`);
    }
    const rows = await query.execute();
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}

const tuple = (parts: readonly RawBuilder<unknown>[]) => sql`(${sql.join(parts)})`;

export type BlobPosition = Pick<BlobFacts, 'document_id'> & { readonly version: number };

/** Returns the versions of documents after a position. A removed document has none. */
export function findBlobsAfter(
  db: Executor,
  { document_id, version }: BlobPosition,
  limit: number,
): Promise<(BlobFacts & BlobPosition)[]> {
  return db
    .selectFrom('document_versions')
    .select(['document_id', 'version', 'blob_id', 'size_bytes', 'sha256'])
    .where(sql<boolean>`(document_id, version) > (${document_id}, cast(${version} as bigint))`)
    .orderBy('document_id')
    .orderBy('version')
    .limit(limit)
    .execute();
}

export async function findFilledTable(db: Executor): Promise<string | undefined> {
  const existing = new Set((await db.introspection.getTables()).map(({ name }) => name));
  for (const { name } of backedUpTables) {
    if (name === 'revisions' || !existing.has(name)) continue;
    const row = await anyTables(db)
      .selectFrom(name)
      .select(sql.lit(1).as('one'))
      .limit(1)
      .execute();
    if (row.length > 0) return name;
  }
  return undefined;
}

/** PostgreSQL accepts 65,535 values in a statement, SQLite 32,766. */
const valuesMax = 20_000;

export async function insertRows(
  trx: Executor,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).length;
  const size = Math.max(1, Math.floor(valuesMax / Math.max(1, columns)));
  for (let i = 0; i < rows.length; i += size) {
    await anyTables(trx)
      .insertInto(table)
      .values(rows.slice(i, i + size))
      .execute();
  }
}

export async function clearForRestore(trx: Executor): Promise<void> {
  if (isPostgres(trx)) await allowLongTransaction(trx);
  await trx.deleteFrom('revisions').execute();
}

export const restoreLease = 'restore';

/** Throws if the database is empty because a restore is running or was interrupted. */
export async function requireNoUnfinishedRestore(db: Executor): Promise<void> {
  if (await isRestoreUnfinished(db)) throw new BackupError(unfinishedRestore);
}

export const unfinishedRestore =
  'a restore is running or was interrupted; run `node dist/src/main.js restore` again';

export async function isRestoreUnfinished(db: Executor): Promise<boolean> {
  const lease = db.selectFrom('leases').select('name').where('name', '=', restoreLease);
  return (await lease.execute()).length > 0 && (await findFilledTable(db)) === undefined;
}

export async function ownsRestoreLease(db: Executor, owner: string): Promise<boolean> {
  const own = db.selectFrom('leases').select('name').where('name', '=', restoreLease);
  return (await own.where('owner', '=', owner).execute()).length > 0;
}

/** Throws if another restore has taken over, which may have removed the blobs of this one. */
export async function clearAfterRestore(trx: Executor, owner: string): Promise<void> {
  const own = trx.deleteFrom('leases').where('name', '=', restoreLease).where('owner', '=', owner);
  const { numDeletedRows } = await own.executeTakeFirst();
  if (numDeletedRows === 0n) throw new BackupError(leaseLost);
  await trx.deleteFrom('pending_blobs').execute();
  await anyTables(trx).deleteFrom('changes').execute();
}

/**
 * Returns the number of documents and versions whose blobs the restore has not noted.
 * `hasVersions`: whether the schema of the backup has versions.
 */
export async function countUnnoted(trx: Executor, hasVersions: boolean): Promise<number> {
  return (await countUnnotedDocuments(trx)) + (hasVersions ? await countUnnotedVersions(trx) : 0);
}

function countUnnotedVersions(trx: Executor): Promise<number> {
  return countRows(
    trx
      .selectFrom('document_versions')
      .leftJoin('pending_blobs', 'pending_blobs.blob_id', 'document_versions.blob_id')
      .where('pending_blobs.blob_id', 'is', null),
  );
}

function countUnnotedDocuments(trx: Executor): Promise<number> {
  return countRows(
    trx
      .selectFrom('documents')
      .leftJoin('pending_blobs', 'pending_blobs.blob_id', 'documents.blob_id')
      .where('pending_blobs.blob_id', 'is', null)
      .where('documents.remove_time', 'is', null),
  );
}

const restoreOwner = 'restore';
const noteMs = 86_400_000;

export async function insertNotes(trx: Executor, blobIds: readonly string[]): Promise<void> {
  const expire_time = databaseTime(trx, noteMs);
  const rows = blobIds.map((blob_id) => ({ blob_id, owner: restoreOwner, expire_time }));
  if (rows.length > 0) await trx.insertInto('pending_blobs').values(rows).execute();
}

export async function findNotes(db: Executor, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('pending_blobs')
    .select('blob_id')
    .where('owner', '=', restoreOwner)
    .orderBy('blob_id')
    .limit(limit)
    .execute();
  return rows.map(({ blob_id }) => blob_id);
}

export async function deleteNotes(trx: Executor, blobIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('pending_blobs').where('blob_id', 'in', blobIds).execute();
}

export function hasForeignNotes(db: Executor): Promise<boolean> {
  return hasRow(db.selectFrom('pending_blobs').where('owner', '!=', restoreOwner));
}
