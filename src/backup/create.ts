// Produces a backup: reads all rows from one snapshot of the database, and the blobs of all
// versions of its documents.
import type { KeyFileTexts } from '../base/crypto/master-key-file.ts';
import { DamagedBlob } from '../base/files/damaged-blob.ts';
import { type ArchiveWriter, writeArchive } from '../base/files/write-archive.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import type { Database, Executor } from '../storage/schema/schema.ts';
import {
  type BackupEnd,
  BackupError,
  type BlobFacts,
  entryNames,
  formatLines,
  type Manifest,
  nameBlob,
} from './format.ts';
import { measureBytes } from './measure-bytes.ts';
import { type BlobPosition, findBlobsAfter, readRows, readSnapshot } from './store.ts';
import { type BackedUpTable, backedUpTables } from './tables.ts';

export type BackupOptions = {
  readonly db: Database;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly manifest: Manifest;
  readonly keyFiles: KeyFileTexts;
  /** Throws if the schema or the master key differs from that of the snapshot. */
  readonly requireOwn: (trx: Executor) => Promise<void>;
  readonly signal: AbortSignal;
};

const rowsPerQuery = 1_000;
const partLengthMax = 1024 * 1024;

export function createBackup(options: BackupOptions): {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly end: () => BackupEnd;
} {
  let end: BackupEnd | undefined;
  const bytes = writeArchive(async (writer) => {
    end = await readSnapshot(options.db, (trx) => writeAll(writer, trx, options));
  });
  return {
    bytes,
    end() {
      if (end === undefined) throw new BackupError('the backup is not complete');
      return end;
    },
  };
}

async function writeAll(
  writer: ArchiveWriter,
  trx: Executor,
  options: BackupOptions,
): Promise<BackupEnd> {
  const { manifest, keyFiles, requireOwn, signal } = options;
  await requireOwn(trx);
  await writer.addText(entryNames.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`);
  const { masterKey, nextMasterKey } = keyFiles;
  if (masterKey !== undefined) await writer.addText(entryNames.masterKey, masterKey);
  if (nextMasterKey !== undefined) await writer.addText(entryNames.nextMasterKey, nextMasterKey);
  const documents = await writeBlobs(writer, trx, options);
  const rows: Record<string, number> = {};
  for (const table of backedUpTables) {
    rows[table.name] = await writeRows(writer, trx, table, signal);
  }
  const end = { rows, ...documents };
  await writer.addText(entryNames.end, `${JSON.stringify(end, undefined, 2)}\n`);
  return end;
}

async function writeRows(
  writer: ArchiveWriter,
  trx: Executor,
  table: BackedUpTable,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  let part = 0;
  let text = '';
  async function flush(): Promise<void> {
    signal.throwIfAborted();
    if (text !== '') await writer.addText(entryNames.rows(table.name, ++part), text);
    text = '';
  }
  for await (const rows of readRows(trx, table, rowsPerQuery)) {
    count += rows.length;
    text += formatLines(rows);
    if (text.length >= partLengthMax) await flush();
  }
  await flush();
  return count;
}

const versionsPerIndex = 1_000;

async function writeBlobs(
  writer: ArchiveWriter,
  trx: Executor,
  { blobs, manifest, signal }: BackupOptions,
): Promise<Pick<BackupEnd, 'documents' | 'bytes' | 'damaged'>> {
  const found = { documents: 0, bytes: 0, damaged: [] as string[] };
  let after: BlobPosition = { document_id: '', version: 0 };
  for (let part = 1; ; part++) {
    const batch = await findBlobsAfter(trx, after, versionsPerIndex);
    if (batch.length > 0) await writer.addText(entryNames.index(part), formatLines(batch));
    for (const version of batch) {
      signal.throwIfAborted();
      after = version;
      found.documents++;
      found.bytes += version.size_bytes;
      if (manifest.blobs === 'references') continue;
      if (!(await writeBlob(writer, version, blobs))) found.damaged.push(nameBlob(version));
    }
    if (batch.length < versionsPerIndex) return found;
  }
}

async function writeBlob(
  writer: ArchiveWriter,
  { blob_id, size_bytes, sha256 }: BlobFacts,
  blobs: BackupOptions['blobs'],
): Promise<boolean> {
  const part = { offset: 0, length: size_bytes, sizeBytes: size_bytes };
  const chunks = blobs.read(blob_id, part)[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array>;
  try {
    first = await chunks.next();
  } catch (error) {
    if (error instanceof DamagedBlob) return false;
    throw error;
  }
  const content = measureBytes(fillWithZeros(startingWith(first, chunks), size_bytes));
  await writer.add(entryNames.blob(blob_id), size_bytes, content.bytes);
  return content.sha256() === sha256;
}

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>) {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Replaces the rest of damaged content, because the archive already contains the size. */
async function* fillWithZeros(content: AsyncIterable<Uint8Array>, sizeBytes: number) {
  let rest = sizeBytes;
  try {
    for await (const chunk of content) {
      rest -= chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof DamagedBlob)) throw error;
  }
  for (let length: number; rest > 0; rest -= length) {
    length = Math.min(rest, partLengthMax);
    yield Buffer.alloc(length);
  }
}
