// Restores a backup into an empty installation. Nothing is visible before the last step, which
// commits all rows in one transaction. Until then the database has only notes about the written
// blobs, by which a second restore removes what an interrupted one left.
import type { KeyFileTexts } from '../base/crypto/master-key-file.ts';
import type { Database, Executor, Schema } from '../storage/schema/schema.ts';
import { type ArchiveEntry, readArchive, readText } from './archive.ts';
import {
  type BackupEnd,
  BackupError,
  type EntryKind,
  entryNames,
  type Manifest,
  parseEnd,
  parseEntryName,
  parseLines,
  parseManifest,
  type Row,
  requireBlobIds,
} from './format.ts';
import {
  type BlobWriter,
  createBlobWriter,
  type RestoreBlobs,
  removeNotedBlobs,
} from './restore-blobs.ts';
import {
  allowLongTransaction,
  clearAfterRestore,
  clearForRestore,
  countUnnoted,
  findFilledTable,
  hasForeignNotes,
  insertRows,
  ownsRestoreLease,
} from './store.ts';
import { backedUpTables } from './tables.ts';

export type RestoreTarget = {
  readonly db: Database;
  readonly blobs: RestoreBlobs;
  readonly leaseOwner: string;
  /** Throws if the target uses another master key, or if the backup has none and it is not set. */
  readonly placeKeys: (keys: KeyFileTexts) => Promise<void>;
  /** Throws if the master key does not decrypt the restored values. */
  readonly requireKeys: (trx: Executor, keys: KeyFileTexts) => Promise<void>;
  /** Assigns the blob store to the database. Only for a backup without content of documents. */
  readonly takeOverStore?: ((trx: Executor) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
};

export type RestoreResult = BackupEnd & {
  readonly manifest: Manifest;
  /** The names of the versions whose blobs are missing in the target's store. */
  readonly missing: readonly string[];
};

/** `use` opens the target that fits the manifest, and calls `fill`. */
export async function restoreBackup(
  bytes: AsyncIterable<Uint8Array>,
  use: (
    manifest: Manifest,
    fill: (target: RestoreTarget) => Promise<RestoreResult>,
  ) => Promise<RestoreResult>,
): Promise<RestoreResult> {
  const entries = readEntries(bytes);
  try {
    const first = await entries.next();
    if (first?.kind !== 'manifest') throw new BackupError('the file is not a backup');
    const manifest = parseManifest(await readText(first.entry));
    return await use(manifest, (target) => fill(target, manifest, entries));
  } finally {
    await entries.close();
  }
}

type Entry = EntryKind & { readonly entry: ArchiveEntry };

type Entries = {
  next(): Promise<Entry | undefined>;
  close(): Promise<void>;
};

function readEntries(bytes: AsyncIterable<Uint8Array>): Entries {
  const archive = readArchive(bytes);
  return {
    async next() {
      const { done, value } = await archive.next();
      if (done === true) return undefined;
      const kind = parseEntryName(value.name);
      if (kind === undefined)
        throw new BackupError(`the backup has an unknown entry ${value.name}`);
      return { ...kind, entry: value };
    },
    async close() {
      await archive.return(undefined);
    },
  };
}

async function fill(
  target: RestoreTarget,
  manifest: Manifest,
  entries: Entries,
): Promise<RestoreResult> {
  const { db, leaseOwner } = target;
  await requireEmpty(db);
  await removeNotedBlobs(target);
  const blobs = createBlobWriter(target, manifest.blobs);
  let isCommitting = false;
  try {
    const { keys, next } = await restoreBlobs(entries, blobs);
    await blobs.finish();
    const end = await db
      .withoutPlugins()
      .transaction()
      .execute(async (trx) => {
        // The file is read within the transaction. No one waits for this empty database.
        await allowLongTransaction(trx);
        const restored = await restoreRows(trx, entries, next);
        await requireComplete(trx, restored, blobs, manifest);
        await target.requireKeys(trx, keys);
        await clearAfterRestore(trx, leaseOwner);
        await target.takeOverStore?.(trx);
        // Before the commit, because a restore into the filled database would be refused.
        await target.placeKeys(keys);
        isCommitting = true;
        return restored;
      });
    return { ...end, manifest, missing: blobs.missing() };
  } catch (error) {
    // The outcome of a commit can be unknown, and the notes of another restore must stay.
    if (!isCommitting && !target.signal.aborted) await cleanUp(target).catch(() => {});
    throw error;
  }
}

async function cleanUp(target: RestoreTarget): Promise<void> {
  if (await ownsRestoreLease(target.db, target.leaseOwner)) await removeNotedBlobs(target);
}

async function requireEmpty(db: Executor): Promise<void> {
  const table = await findFilledTable(db);
  if (table !== undefined || (await hasForeignNotes(db))) {
    throw new BackupError(
      `the database is not empty (${table ?? 'pending_blobs'}); restore into a new one`,
    );
  }
}

async function restoreBlobs(
  entries: Entries,
  blobs: BlobWriter,
): Promise<{ keys: KeyFileTexts; next: Entry | undefined }> {
  const keys: { -readonly [K in keyof KeyFileTexts]: KeyFileTexts[K] } = {
    masterKey: undefined,
    nextMasterKey: undefined,
  };
  for (;;) {
    const next = await entries.next();
    switch (next?.kind) {
      case 'masterKey':
      case 'nextMasterKey':
        keys[next.kind] = await readText(next.entry);
        break;
      case 'index':
        await blobs.begin(parseLines(await readText(next.entry)));
        break;
      case 'blob':
        await blobs.write(next.id, next.entry.content);
        break;
      default:
        return { keys, next };
    }
  }
}

const versionsTable = 'document_versions' satisfies keyof Schema;

const tableNames = new Set(backedUpTables.map(({ name }) => name));

async function restoreRows(
  trx: Executor,
  entries: Entries,
  first: Entry | undefined,
): Promise<BackupEnd> {
  await requireEmpty(trx);
  await clearForRestore(trx);
  const counts: Record<string, number> = {};
  let end: BackupEnd | undefined;
  for (let next = first; next !== undefined; next = await entries.next()) {
    if (end === undefined && next.kind === 'rows' && tableNames.has(next.table)) {
      const rows = parseLines<Row>(await readText(next.entry));
      // A removed document has no blob any more.
      const isStored = ({ remove_time }: Row) => (remove_time ?? null) === null;
      if (next.table === 'documents') requireBlobIds(rows.filter(isStored));
      if (next.table === versionsTable) requireBlobIds(rows);
      counts[next.table] = (counts[next.table] ?? 0) + rows.length;
      await insertRows(trx, next.table, rows);
    } else if (end === undefined && next.kind === 'end') {
      end = parseEnd(await readText(next.entry));
    } else {
      throw new BackupError(`the backup has an unexpected entry ${next.entry.name}`);
    }
  }
  if (end === undefined) throw new BackupError(`the backup has no entry ${entryNames.end}`);
  for (const [table, count] of Object.entries(end.rows)) {
    if ((counts[table] ?? 0) !== count) {
      throw new BackupError(`the backup should have ${count} rows of ${table}`);
    }
  }
  return end;
}

async function requireComplete(
  trx: Executor,
  end: BackupEnd,
  blobs: BlobWriter,
  manifest: Manifest,
): Promise<void> {
  const counted = blobs.counted();
  if (counted.documents !== end.documents || counted.bytes !== end.bytes) {
    throw new BackupError(`the backup should have ${end.documents} documents`);
  }
  const unknown = blobs.damaged().filter((id) => !end.damaged.includes(id));
  if (unknown.length > 0) {
    throw new BackupError(`the content of the document ${unknown[0]} is damaged in the backup`);
  }
  const hasVersions = versionsTable in end.rows;
  if (manifest.blobs === 'content' && (await countUnnoted(trx, hasVersions)) > 0) {
    throw new BackupError('the backup has rows of documents without their content');
  }
}
