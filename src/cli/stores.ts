// The choices of commands that read or write everything.
import type { BlobMode } from '../backup/format.ts';
import { isRestoreUnfinished, unfinishedRestore } from '../backup/store.ts';
import type { Config } from '../base/config/config.ts';
import { databaseFile, isMissingOrEmpty } from '../boot/installation/data-folder.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { withBlobStore } from '../sharing/blobs/open-store.ts';
import { createStoreIds, restrictToOwn, WrongStore } from '../sharing/blobs/own-store.ts';
import { openDatabaseReadOnly, useDatabase } from '../storage/database.ts';
import { compareSchema, type SchemaComparison } from '../storage/migrate.ts';
import type { Database } from '../storage/schema/schema.ts';

/** An S3 store has its own protection, and may be too large to copy. */
export const blobModeOf = ({ blobs }: Pick<Config, 'blobs'>): BlobMode =>
  blobs.kind === 's3' ? 'references' : 'content';

/** Overrides the timeout of the service, whose queries are short. */
export const longQueries = { databaseQuerySeconds: 86_400 };

export function withBlobReader<T>(
  { blobs }: Pick<Config, 'blobs'>,
  db: Database,
  work: (blobs: Pick<BlobStore, 'read'>) => Promise<T>,
): Promise<T> {
  const requireOwn = createStoreIds({ db });
  return withBlobStore(blobs, (store) => work(restrictToOwn(store, requireOwn)));
}

export async function findUnfinishedRestore(
  config: Config,
  { missing }: Pick<SchemaComparison, 'missing'>,
): Promise<string | undefined> {
  if (missing.length > 0) return undefined;
  const db = await openDatabaseReadOnly(config.databaseUrl, config);
  return (await useDatabase(db, isRestoreUnfinished)) ? unfinishedRestore : undefined;
}

/** Undefined if they match, or if one is missing or cannot be read. Changes nothing. */
export function findWrongStore(config: Config): Promise<string | undefined> {
  return readCurrentDatabase(config, async (db) => {
    try {
      await withBlobStore(config.blobs, createStoreIds({ db }));
    } catch (error) {
      if (error instanceof Error && error.cause instanceof WrongStore) return error.cause.message;
    }
    return undefined;
  });
}

/**
 * Reads a database without changing it. Returns undefined if it is missing, unreachable or not of
 * this version, which another check reports.
 */
export async function readCurrentDatabase<T>(
  config: Config,
  read: (db: Database) => Promise<T>,
): Promise<T | undefined> {
  const file = databaseFile(config.databaseUrl);
  if (file !== undefined && (await isMissingOrEmpty(file))) return undefined;
  return useDatabase(await openDatabaseReadOnly(config.databaseUrl, config), async (db) => {
    const { missing, isSupported } = (await compareSchema(db).catch(() => undefined)) ?? {};
    return missing?.length === 0 && isSupported === true ? read(db) : undefined;
  });
}
