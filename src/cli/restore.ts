// `restore <file>`: fills an empty installation from a backup.
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { CommandError, type CommandHost, type Input } from '../../clients/cli/src/base/command.ts';
import { wantsJson, writeJson } from '../../clients/cli/src/base/print.ts';
import { abortOnSignal } from '../../clients/cli/src/base/signals.ts';
import { createDecrypter, decrypt } from '../backup/encryption.ts';
import { BackupError, type Manifest } from '../backup/format.ts';
import { withLease } from '../backup/lease.ts';
import { type RestoreResult, type RestoreTarget, restoreBackup } from '../backup/restore.ts';
import { findFilledTable, restoreLease } from '../backup/store.ts';
import { type Config, ConfigError, readConfig } from '../base/config/config.ts';
import {
  parseKeyFileTexts,
  placeKeyFileTexts,
  readMasterKeyIfAny,
} from '../base/crypto/master-key-file.ts';
import {
  databaseFile,
  isMissingOrEmpty,
  prepareDataFolder,
} from '../boot/installation/data-folder.ts';
import { requireDecryptable } from '../identity/keys/sealed-values.ts';
import type { MarkedStore } from '../sharing/blobs/blob-store.ts';
import { openMarkedStore } from '../sharing/blobs/open-store.ts';
import { createStoreIds, restrictToOwn, takeOverStore } from '../sharing/blobs/own-store.ts';
import { openDatabase, openDatabaseReadOnly, useDatabase } from '../storage/database.ts';
import { schemaMigrations } from '../storage/migrate.ts';
import { sealedColumns } from './rotate-master-key.ts';
import { longQueries } from './stores.ts';

export async function runRestore(input: Input, host: CommandHost): Promise<number> {
  const { file = '' } = input.args;
  const takesOver = input.options['take-over-blobs'] === true;
  const config = readConfig(host.env);
  const identity = requireIdentity(config);
  const stopping = abortOnSignal(host, new BackupError('it was stopped'));
  try {
    const bytes = decrypt(createReadStream(file), createDecrypter(identity));
    const result = await restore({ config, takesOver, stop: stopping.signal }, bytes);
    report(result, host);
    if (wantsJson(input)) await writeJson(host, summaryOf(result));
    return 0;
  } catch (error) {
    throw new CommandError('The backup was not restored', error);
  } finally {
    stopping.end();
  }
}

function requireIdentity({ backupIdentity }: Config): string {
  if (backupIdentity !== undefined) return backupIdentity;
  throw new ConfigError([
    'LATCHKEY_BACKUP_IDENTITY: must be set to the secret key of the backup; ' +
      'LATCHKEY_BACKUP_IDENTITY_FILE may name its file',
  ]);
}

type RestoreTask = {
  readonly config: Config;
  readonly takesOver: boolean;
  readonly stop: AbortSignal;
};

function restore(
  { config, takesOver, stop }: RestoreTask,
  bytes: AsyncIterable<Uint8Array>,
): Promise<RestoreResult> {
  return restoreBackup(bytes, async (manifest, fill) => {
    requireKnownSchema(manifest);
    await requireSameKey(config, manifest);
    await requireEmptyDatabase(config);
    await prepareDataFolder(config.dataDir);
    const db = await openDatabase(config.databaseUrl, {
      ...config,
      ...longQueries,
      migrate: 'auto',
    });
    try {
      return await withLease(db, restoreLease, stop, async (signal, leaseOwner) => {
        const store = await openMarkedStore(config.blobs);
        try {
          const hasContent = manifest.blobs === 'content';
          if (!hasContent && !takesOver) await requireNoOwner(store);
          return await fill({
            db,
            blobs: restrictToOwn(store, createStoreIds({ db, random: randomBytes })),
            takeOverStore: hasContent ? undefined : (trx) => takeOverStore(trx, store, randomBytes),
            signal,
            leaseOwner,
            ...keysOf(config),
          });
        } finally {
          await store.close();
        }
      });
    } finally {
      await db.destroy();
    }
  });
}

/** Two databases with the same documents would delete the documents of each other. */
async function requireNoOwner(store: MarkedStore): Promise<void> {
  if ((await store.readId()) === '') return;
  throw new BackupError(
    `the backup contains no documents, and the blob store ${store.place} belongs to another ` +
      'database; if no service uses that database any more, repeat the command with ' +
      '--take-over-blobs',
  );
}

function requireKnownSchema({ migrations, release }: Manifest): void {
  const known = Object.keys(schemaMigrations);
  if (migrations.every((name) => known.includes(name))) return;
  throw new BackupError(`release ${release} made the backup; use that release or a later one`);
}

async function requireEmptyDatabase(config: Config): Promise<void> {
  const { databaseUrl } = config;
  const file = databaseFile(databaseUrl);
  if (file !== undefined && (await isMissingOrEmpty(file))) return;
  const db = await openDatabaseReadOnly(databaseUrl, config);
  const table = await useDatabase(db, findFilledTable);
  if (table === undefined) return;
  throw new BackupError(`the database is not empty (${table}); restore into an empty one`);
}

async function requireSameKey(config: Config, { master_key }: Manifest): Promise<void> {
  const own = await readMasterKeyIfAny(config);
  const { id, source } = master_key;
  if (own === undefined && source === 'setting') {
    throw new BackupError(
      `the backup does not contain the master key ${id}; set LATCHKEY_MASTER_KEY to it`,
    );
  }
  if (own === undefined || own.opens(id)) return;
  const name =
    config.masterKey === undefined ? `${config.dataDir}/master.key` : 'LATCHKEY_MASTER_KEY';
  throw new BackupError(`the backup needs the master key ${id}, but ${name} is another key`);
}

export function keysOf(config: Config): Pick<RestoreTarget, 'placeKeys' | 'requireKeys'> {
  return {
    async placeKeys(keys) {
      if (config.masterKey === undefined) await placeKeyFileTexts(config.dataDir, keys);
    },
    async requireKeys(trx, keys) {
      const masterKey = (await readMasterKeyIfAny(config)) ?? parseKeyFileTexts(keys);
      await requireDecryptable(trx, sealedColumns, masterKey);
    },
  };
}

function report({ manifest, rows, documents, bytes, ...found }: RestoreResult, host: CommandHost) {
  const count = Object.values(rows).reduce((sum, one) => sum + one, 0);
  for (const id of found.damaged) host.stderr.write(`${id}: the backup has no intact content\n`);
  for (const id of found.missing) host.stderr.write(`${id}: the blob store has no content\n`);
  host.stderr.write(
    `Backup of ${manifest.create_time} restored\n` +
      `Rows: ${count}, documents: ${documents} (${bytes} bytes), ` +
      `damaged: ${found.damaged.length}, missing: ${found.missing.length}\n`,
  );
}

const summaryOf = ({ manifest, rows, documents, bytes, damaged, missing }: RestoreResult) => ({
  create_time: manifest.create_time,
  rows: Object.values(rows).reduce((sum, one) => sum + one, 0),
  documents,
  bytes,
  damaged,
  missing,
});
