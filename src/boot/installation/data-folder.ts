// Checks the folders at the start: removes the access of other users, deletes the temporary files
// of killed starts, and refuses to fill an empty database if other parts of an installation exist.
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type BlobLocation, describeBlobLocation } from '../../base/config/blob-url.ts';
import type { Config } from '../../base/config/config.ts';
import { removeTemporaries, writeFileOnce } from '../../base/files/durable-files.ts';
import {
  type ExposedPath,
  makePrivateFile,
  makePrivateFolder,
} from '../../base/files/private-files.ts';
import { describeStoreError } from '../../base/s3/failure.ts';
import { isForeignFolder } from '../../sharing/blobs/disk.ts';
import { withS3Blobs } from '../../sharing/blobs/open-store.ts';
import { requireSqliteFile } from '../../storage/drivers/sqlite-file.ts';

type Settings = Pick<Config, 'dataDir' | 'blobs' | 'databaseUrl' | 'masterKey' | 'bootstrapForce'>;

const ownNames = ['master.key', 'master.key.next', 'bootstrap.env', 'first-start'];

export function privateFiles({ dataDir, databaseUrl }: Settings): string[] {
  const database = databaseFile(databaseUrl);
  const databaseFiles = ['', '-wal', '-shm'].map((end) => `${database}${end}`);
  return [
    ...ownNames.map((name) => path.join(dataDir, name)),
    ...(database === undefined ? [] : databaseFiles),
  ];
}

export function databaseFile(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}

/** Returns paths that others can or could open. Keeps the modes of other programs' folders. */
export async function prepareFolders(settings: Settings): Promise<ExposedPath[]> {
  const { dataDir, blobs, databaseUrl } = settings;
  const found = [await prepareDataFolder(dataDir)];
  const file = databaseFile(databaseUrl);
  if (file !== undefined) requireSqliteFile(file);
  if (blobs.kind === 'folder' && !(await isForeignFolder(blobs.path).catch(() => false))) {
    found.push(await named('LATCHKEY_BLOB_URL', makePrivateFolder(blobs.path)));
  }
  for (const one of privateFiles(settings)) found.push(await makePrivateFile(one));
  await removeTemporaries(dataDir, (name) => ownNames.includes(name)).catch(() => {});
  return found.filter((one) => one !== undefined);
}

export async function prepareDataFolder(dataDir: string): Promise<ExposedPath | undefined> {
  const keepMode = await isForeignData(dataDir);
  return named('LATCHKEY_DATA_DIR', makePrivateFolder(dataDir, { keepMode }));
}

async function named<T>(setting: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${setting}: ${reason}`, { cause });
  }
}

async function isForeignData(dataDir: string): Promise<boolean> {
  const names = await readdir(dataDir).catch(() => []);
  const own = [...ownNames, 'latchkey.db', 'blobs', 'outbox'];
  return names.length > 0 && !names.some((name) => own.includes(name));
}

export type FirstStart = {
  /** `hasNotedBlobs`: the blobs belong to another first start, which runs or was killed. */
  requirePermitted(databaseIsEmpty: boolean, hasNotedBlobs?: boolean): void;
  end(): Promise<void>;
};

export type InstallationRemains = {
  /** The remaining files, folders and buckets of an earlier installation, without the database. */
  readonly places: readonly string[];
  readonly hasKey: boolean;
  readonly isRefused: boolean;
  readonly blobsError: unknown;
};

export async function findInstallationRemains(settings: Settings): Promise<InstallationRemains> {
  const { dataDir, blobs, masterKey, bootstrapForce } = settings;
  // A first start creates the file `first-start` before the key, and removes it after filling the
  // database. The key must therefore be read before this file.
  const places: string[] = [];
  const key = path.join(dataDir, 'master.key');
  const hasKey = masterKey !== undefined || (await sizeOf(key)) !== undefined;
  if (hasKey && masterKey === undefined) places.push(key);
  let blobsError: unknown;
  try {
    if (await hasBlobs(blobs)) places.push(describeBlobLocation(blobs));
  } catch (error) {
    blobsError = error;
  }
  const isRepeated = (await sizeOf(markerIn(dataDir))) !== undefined;
  const isFirst = places.length === 0 && blobsError === undefined;
  const isRefused = !isFirst && !isRepeated && !bootstrapForce;
  return { places, hasKey, isRefused, blobsError };
}

export function describeLostDatabase(
  { databaseUrl, blobs }: Settings,
  { places, blobsError }: InstallationRemains,
): string {
  const database = databaseFile(databaseUrl) ?? 'the PostgreSQL database';
  if (places.length === 0) {
    return (
      `${database} is missing or empty, and ${describeBlobLocation(blobs)} cannot be searched ` +
      `for documents of an earlier installation: ${describeStoreError(blobsError)}`
    );
  }
  return (
    `${database} is missing or empty, but ${places.join(' and ')} of an earlier installation ` +
    `${places.length === 1 ? 'exists' : 'exist'}. Restore the database, or correct ` +
    'LATCHKEY_DATABASE_URL, LATCHKEY_DATA_DIR or LATCHKEY_BLOB_URL. ' +
    'To start with an empty database all the same, set LATCHKEY_BOOTSTRAP_FORCE=true for ' +
    'one start'
  );
}

const markerIn = (dataDir: string) => path.join(dataDir, 'first-start');

/** A file `first-start` stays until the database is filled, so that a start can be repeated. */
export async function prepareFirstStart(settings: Settings): Promise<FirstStart> {
  const { dataDir, databaseUrl, blobs } = settings;
  const marker = markerIn(dataDir);
  const found = await findInstallationRemains(settings);
  const { hasKey, isRefused, places } = found;
  if (!hasKey && !isRefused) await writeFileOnce(marker, '');

  function requirePermitted(databaseIsEmpty: boolean, hasNotedBlobs = false): void {
    if (!databaseIsEmpty || !isRefused) return;
    const foundOnlyBlobs = places.length === 1 && places[0] === describeBlobLocation(blobs);
    if (hasNotedBlobs && foundOnlyBlobs) return;
    throw new Error(describeLostDatabase(settings, found));
  }
  // Must run before an SQLite file is created in place of the lost one.
  const file = databaseFile(databaseUrl);
  if (file !== undefined) requirePermitted(await isMissingOrEmpty(file));
  return { requirePermitted, end: () => rm(marker, { force: true }).catch(() => {}) };
}

export async function isMissingOrEmpty(file: string): Promise<boolean> {
  return !((await sizeOf(file)) ?? 0);
}

async function sizeOf(file: string): Promise<number | undefined> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.size;
}

async function hasBlobs(location: BlobLocation): Promise<boolean> {
  if (location.kind === 's3') return withS3Blobs(location, (blobs) => blobs.hasBlobs());
  // Blobs are in folders with the first two characters of their names.
  const folders = await readdir(location.path).catch(() => []);
  for (const name of folders.filter((one) => one.length === 2)) {
    const files = await readdir(path.join(location.path, name)).catch(() => []);
    if (files.some((file) => file.startsWith(name))) return true;
  }
  return false;
}
