// Makes a backup of the installation that the settings name.
import { createBackup } from '../backup/create.ts';
import { createEncrypter, encrypt } from '../backup/encryption.ts';
import {
  type BackupEnd,
  BackupError,
  type BlobMode,
  formatVersion,
  type Manifest,
} from '../backup/format.ts';
import { withLease } from '../backup/lease.ts';
import { type Config, ConfigError } from '../base/config/config.ts';
import {
  type KeyFileTexts,
  readKeyFileTexts,
  readMasterKeyIfAny,
} from '../base/crypto/master-key-file.ts';
import { readVersion } from '../base/files/package.ts';
import { requireDecryptable } from '../identity/keys/sealed-values.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { openDatabaseReadOnly } from '../storage/database.ts';
import { inspectDatabase } from '../storage/inspection.ts';
import { compareSchema, type SchemaComparison, schemaMigrations } from '../storage/migrate.ts';
import { openExistingDatabase } from './existing-database.ts';
import { sealedColumns } from './rotate-master-key.ts';
import { longQueries, withBlobReader } from './stores.ts';

export function requireRecipients({ backupRecipients }: Config): readonly string[] {
  if (backupRecipients !== undefined) return backupRecipients;
  throw new ConfigError([
    'LATCHKEY_BACKUP_RECIPIENT: must be set, because backups are encrypted; ' +
      '`node dist/src/main.js backup --make-key <file>` makes a key',
  ]);
}

export type BackupTask = {
  readonly config: Config;
  readonly recipients: readonly string[];
  readonly mode: BlobMode;
  /** Stores the encrypted bytes. No other backup of the database runs until it returns. */
  readonly store: (
    bytes: AsyncIterable<Uint8Array>,
    blobs: Pick<BlobStore, 'read'>,
  ) => Promise<void>;
  readonly stop: AbortSignal;
};

export async function makeBackup(task: BackupTask): Promise<BackupEnd> {
  const { config, recipients, store, stop } = task;
  const encrypter = createEncrypter(recipients);
  const keys = await readKeys(config);
  requireCurrentSchema(await inspectDatabase(config.databaseUrl, config));
  const db = await openExistingDatabase(config);
  const snapshot = await openDatabaseReadOnly(config.databaseUrl, { ...config, ...longQueries });
  try {
    return await withLease(db, 'backup', stop, (signal) =>
      withBlobReader(config, db, async (blobs) => {
        const { bytes, end } = createBackup({
          db: snapshot,
          blobs,
          manifest: manifestOf(task, keys),
          keyFiles: keys.files,
          async requireOwn(trx) {
            // A migration may have been running at the first check.
            requireCurrentSchema(await compareSchema(trx));
            await requireDecryptable(trx, sealedColumns, keys.masterKey);
          },
          signal,
        });
        await store(await encrypt(bytes, encrypter), blobs);
        return end();
      }),
    );
  } finally {
    await snapshot.destroy();
    await db.destroy();
  }
}

async function readKeys(config: Config) {
  const masterKey = await readMasterKeyIfAny(config);
  if (masterKey === undefined) {
    throw new BackupError(`${config.dataDir} contains no master.key; check LATCHKEY_DATA_DIR`);
  }
  const none: KeyFileTexts = { masterKey: undefined, nextMasterKey: undefined };
  const files = config.masterKey === undefined ? await readKeyFileTexts(config.dataDir) : none;
  return { masterKey, files };
}

function requireCurrentSchema({ missing, unknown, isNew }: SchemaComparison): void {
  if (!isNew && missing.length > 0) {
    throw new BackupError(
      'the schema is of an earlier release; run `node dist/src/main.js migrate`',
    );
  }
  if (unknown.length > 0) {
    throw new BackupError('the schema is of a later release; make the backup with that one');
  }
}

function manifestOf(
  { mode, config }: BackupTask,
  { masterKey }: Awaited<ReturnType<typeof readKeys>>,
): Manifest {
  return {
    format: 'latchkey-backup',
    version: formatVersion,
    release: readVersion(),
    create_time: new Date().toISOString(),
    migrations: Object.keys(schemaMigrations),
    master_key: { id: masterKey.id, source: config.masterKey === undefined ? 'file' : 'setting' },
    blobs: mode,
  };
}
