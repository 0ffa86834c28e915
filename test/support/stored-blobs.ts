// Compares document rows with the stored bytes directly, without the program.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../src/storage/database.ts';
import { filesUnder, sha256 } from './sharing-api.ts';

export type StoredBlobs = {
  readonly rows: number;
  /** Ids of documents whose bytes are missing or differ from the upload. */
  readonly damaged: readonly string[];
  /** Names of stored bytes without a row. */
  readonly orphans: readonly string[];
  /** The number of blobs that a sweep will settle. */
  readonly pending: number;
};

/** A direct view of a blob store. */
export type StoredBytes = {
  list(): Promise<string[]>;
  /** The name of a blob in the list. */
  nameOf(blobId: string): string;
  /** Throws if the bytes are missing. */
  read(name: string): Promise<Buffer>;
};

export const filesOf = (blobDir: string): StoredBytes => ({
  list: () => filesUnder(blobDir),
  nameOf: (id) => path.join(id.slice(0, 2), id),
  read: (name) => readFile(path.join(blobDir, name)),
});

export function compareBlobs(databaseUrl: string, blobDir: string): Promise<StoredBlobs> {
  return compareStored(databaseUrl, filesOf(blobDir));
}

export async function compareStored(databaseUrl: string, stored: StoredBytes) {
  const before = await stored.list();
  const db = await openDatabase(databaseUrl);
  const [documents, versions, previews, pending] = await Promise.all([
    db.selectFrom('documents').select(['id', 'blob_id', 'sha256']).execute(),
    db.selectFrom('document_versions').select(['document_id as id', 'blob_id', 'sha256']).execute(),
    db.selectFrom('previews').selectAll().where('state', '=', 'ready').execute(),
    db.selectFrom('pending_blobs').selectAll().execute(),
  ]).finally(() => db.destroy());
  const damaged: string[] = [];
  const owned = new Set<string>();
  const pdfs = previews.map((row) => ({ ...row, id: row.document_id, blob_id: `${row.blob_id}` }));
  for (const row of [...documents, ...versions, ...pdfs]) {
    const name = stored.nameOf(row.blob_id);
    owned.add(name);
    const bytes = await stored.read(name).catch(() => undefined);
    if (bytes === undefined || sha256(bytes) !== row.sha256) damaged.push(row.id);
  }
  const orphans = before.filter((name) => !owned.has(name));
  return { rows: documents.length, damaged, orphans, pending: pending.length };
}
