// Compares document rows with the blob files directly, without the program.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../src/storage/database.ts';
import { filesUnder, sha256 } from './sharing-api.ts';

export type StoredBlobs = {
  readonly rows: number;
  /** Ids of documents whose bytes are missing or differ from the upload. */
  readonly damaged: readonly string[];
  /** Files without a row. */
  readonly orphans: readonly string[];
  /** The number of blobs that a sweep will settle. */
  readonly pending: number;
};

export async function compareBlobs(databaseUrl: string, blobDir: string): Promise<StoredBlobs> {
  const before = await filesUnder(blobDir);
  const db = await openDatabase(databaseUrl);
  const [rows, pending] = await Promise.all([
    db.selectFrom('documents').selectAll().execute(),
    db.selectFrom('pending_blobs').selectAll().execute(),
  ]).finally(() => db.destroy());
  const damaged: string[] = [];
  const owned = new Set<string>();
  for (const row of rows) {
    const file = path.join(row.blob_id.slice(0, 2), row.blob_id);
    owned.add(file);
    const bytes = await readFile(path.join(blobDir, file)).catch(() => undefined);
    if (bytes === undefined || sha256(bytes) !== row.sha256) damaged.push(row.id);
  }
  const orphans = before.filter((file) => !owned.has(file));
  return { rows: rows.length, damaged, orphans, pending: pending.length };
}
