// The contents of a backup: a tar archive, encrypted with age. Its entries, in this order:
//
//   manifest.json                  how the backup was made
//   master.key, master.key.next    the files of the data folder, if the master key is in a file
//   blobs/index-<n>.jsonl          facts about the next versions of documents, at most 1,000
//   blobs/<id>                     the content of each of these versions
//   rows/<table>-<n>.jsonl         the rows of a table, one JSON object per line
//   end.json                       counts; proves that the backup is complete
import { isRandomText } from '../base/crypto/ids.ts';

export const formatVersion = 1;

export type BlobMode = 'content' | 'references';

export type Manifest = {
  readonly format: 'latchkey-backup';
  readonly version: number;
  readonly release: string;
  /** In RFC 3339. */
  readonly create_time: string;
  readonly migrations: readonly string[];
  readonly master_key: {
    readonly id: string;
    /** `setting`: the backup does not contain the master key. */
    readonly source: 'file' | 'setting';
  };
  readonly blobs: BlobMode;
};

/** The facts about one version of a document that a restore needs before its row. */
export type BlobFacts = {
  readonly document_id: string;
  /** Missing in backups of releases without versions. */
  readonly version?: number;
  readonly blob_id: string;
  readonly size_bytes: number;
  readonly sha256: string;
};

/** Names a version for operators. Most documents have only the first one. */
export const nameBlob = ({ document_id, version = 1 }: BlobFacts) =>
  version === 1 ? document_id : `${document_id} (version ${version})`;

export type BackupEnd = {
  readonly rows: Readonly<Record<string, number>>;
  /** The number of blobs: one for each version of each document. */
  readonly documents: number;
  /** The total size of the blobs. */
  readonly bytes: number;
  /** The names of the versions whose content was missing or damaged: see `nameBlob`. */
  readonly damaged: readonly string[];
};

export type Row = Readonly<Record<string, string | number | null>>;

export const entryNames = {
  manifest: 'manifest.json',
  masterKey: 'master.key',
  nextMasterKey: 'master.key.next',
  end: 'end.json',
  index: (n: number) => `blobs/index-${digits(n)}.jsonl`,
  blob: (id: string) => `blobs/${id}`,
  rows: (table: string, n: number) => `rows/${table}-${digits(n)}.jsonl`,
};

const digits = (n: number) => String(n).padStart(6, '0');

export type EntryKind =
  | { readonly kind: 'manifest' | 'masterKey' | 'nextMasterKey' | 'index' | 'end' }
  | { readonly kind: 'blob'; readonly id: string }
  | { readonly kind: 'rows'; readonly table: string };

/** Returns undefined for a name that no backup contains. */
export function parseEntryName(name: string): EntryKind | undefined {
  if (name === entryNames.manifest) return { kind: 'manifest' };
  if (name === entryNames.masterKey) return { kind: 'masterKey' };
  if (name === entryNames.nextMasterKey) return { kind: 'nextMasterKey' };
  if (name === entryNames.end) return { kind: 'end' };
  if (/^blobs\/index-\d{6,}\.jsonl$/.test(name)) return { kind: 'index' };
  const table = /^rows\/([a-z_]+)-\d{6,}\.jsonl$/.exec(name)?.[1];
  if (table !== undefined) return { kind: 'rows', table };
  const id = /^blobs\/(\w{1,100})$/.exec(name)?.[1];
  return id === undefined ? undefined : { kind: 'blob', id };
}

export function formatLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

export function parseLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** A forged backup could otherwise name files outside the blob store. */
export function requireBlobIds(rows: readonly { readonly blob_id?: unknown }[]): void {
  if (rows.every(({ blob_id }) => typeof blob_id === 'string' && isRandomText(blob_id))) return;
  throw new BackupError('the backup has an invalid id of a blob');
}

export function parseManifest(text: string): Manifest {
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format !== 'latchkey-backup') throw new BackupError('the file is not a backup');
  if (manifest.version > formatVersion) {
    throw new BackupError(`release ${manifest.release} made the backup; restore it with that one`);
  }
  return manifest;
}

/** A forged end must not fail after the rows are committed. */
export function parseEnd(text: string): BackupEnd {
  const end: Partial<BackupEnd> | null = JSON.parse(text);
  const { rows, damaged } = end ?? {};
  const hasNames = Array.isArray(damaged) && damaged.every(isBlobName);
  if (typeof rows === 'object' && rows !== null && hasNames) return end as BackupEnd;
  throw new BackupError(`the backup has an invalid entry ${entryNames.end}`);
}

/** Whether it has the form of `nameBlob`. */
const isBlobName = (name: unknown) =>
  typeof name === 'string' && /^\w{1,100}(?: \(version \d+\))?$/.test(name);

/** An expected failure of a backup or a restore. The message contains no secret. */
export class BackupError extends Error {
  override name = 'BackupError';
}
