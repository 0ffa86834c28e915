// `backup <file>`: writes an encrypted copy of all rows, documents and keys. Can run while
// the service runs.
import path from 'node:path';
import {
  CommandError,
  type CommandHost,
  type Input,
  type Output,
  textOption,
  UsageError,
} from '../../clients/cli/src/base/command.ts';
import { wantsJson, write, writeJson } from '../../clients/cli/src/base/print.ts';
import { abortOnSignal } from '../../clients/cli/src/base/signals.ts';
import { createBackup } from '../backup/create.ts';
import { createEncrypter, encrypt, generateBackupKey } from '../backup/encryption.ts';
import {
  type BackupEnd,
  BackupError,
  type BlobMode,
  formatVersion,
  type Manifest,
} from '../backup/format.ts';
import { withLease } from '../backup/lease.ts';
import { type Config, ConfigError, readConfig } from '../base/config/config.ts';
import {
  type KeyFileTexts,
  readKeyFileTexts,
  readMasterKeyIfAny,
} from '../base/crypto/master-key-file.ts';
import { removeTemporaries, writeFileOnce, writeNewFile } from '../base/files/durable-files.ts';
import { readVersion } from '../base/files/version.ts';
import { requireDecryptable } from '../identity/keys/sealed-values.ts';
import { openDatabaseReadOnly } from '../storage/database.ts';
import { inspectDatabase } from '../storage/inspection.ts';
import { compareSchema, type SchemaComparison, schemaMigrations } from '../storage/migrate.ts';
import { openExistingDatabase } from './existing-database.ts';
import { sealedColumns } from './rotate-master-key.ts';
import { blobModeOf, longQueries, withBlobReader } from './stores.ts';

const damagedStatus = 3;
const dayMs = 86_400_000;

export async function runBackup(input: Input, host: CommandHost): Promise<number> {
  const { file = '' } = input.args;
  // The parser accepts no other value.
  const mode = textOption(input, 'blobs') as BlobMode | undefined;
  if (input.options['make-key'] === true) return makeKey(file, input, host);
  if (file === '-' && wantsJson(input)) throw new UsageError('--json needs a file.');
  if (file === '-' && host.stdout.isTTY === true) {
    throw new UsageError('A terminal cannot show a backup. Name a file.');
  }
  const config = readConfig(host.env);
  const recipients = requireRecipients(config);
  const stopping = abortOnSignal(host, new BackupError('it was stopped'));
  try {
    const task = { config, recipients, file, host, stop: stopping.signal };
    const usedMode = mode ?? blobModeOf(config);
    const end = await backup({ ...task, mode: usedMode });
    return await report(end, usedMode, { file, input, host });
  } catch (error) {
    throw new CommandError('The backup was not written', error);
  } finally {
    stopping.end();
  }
}

async function makeKey(file: string, input: Input, host: CommandHost): Promise<number> {
  const { identity, recipient } = await generateBackupKey();
  const text = `# public key: ${recipient}\n${identity}\n`;
  const isWritten = await writeFileOnce(file, text).catch((error: unknown) => {
    throw new CommandError('The key was not made', error);
  });
  if (!isWritten) throw new CommandError('The key was not made', `${file} already exists`);
  host.stderr.write(
    `The secret key is in ${file}. Move it to a safe place: without it, no backup can be\n` +
      'restored. Set LATCHKEY_BACKUP_RECIPIENT to the public key:\n',
  );
  // Only the public key is written to stdout, for scripts.
  if (wantsJson(input)) await writeJson(host, { recipient });
  else await write(host, `${recipient}\n`);
  return 0;
}

function requireRecipients({ backupRecipients }: Config): readonly string[] {
  if (backupRecipients !== undefined) return backupRecipients;
  throw new ConfigError([
    'LATCHKEY_BACKUP_RECIPIENT: must be set, because backups are encrypted; ' +
      '`node dist/src/main.js backup --make-key <file>` makes a key',
  ]);
}

type BackupTask = {
  readonly config: Config;
  readonly recipients: readonly string[];
  readonly file: string;
  readonly mode: BlobMode;
  readonly host: CommandHost;
  readonly stop: AbortSignal;
};

async function backup(task: BackupTask): Promise<BackupEnd> {
  const { config, recipients, file, host, stop } = task;
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
        const encrypted = await encrypt(bytes, encrypter);
        if (file === '-') await writeAll(host.stdout, encrypted);
        else await writeFile(file, encrypted);
        return end();
      }),
    );
  } finally {
    await snapshot.destroy();
    await db.destroy();
  }
}

async function writeFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const name = path.basename(file);
  const folder = path.dirname(path.resolve(file));
  // Removes the files of killed backups. No other backup of this database runs.
  await removeTemporaries(folder, (one) => one === name);
  // The names of backups often contain the date, so `name` differs. Newer files may belong to a
  // running backup of another service.
  const ending = path.extname(name);
  await removeTemporaries(folder, (one) => ending !== '' && one.endsWith(ending), dayMs);
  await writeNewFile(path.resolve(file), bytes);
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

async function writeAll(output: Output, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  // A closed pipe also fails the write below.
  output.on?.('error', () => {});
  for await (const chunk of bytes) {
    await new Promise<void>((resolve, reject) => {
      output.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }
}

type Report = { readonly file: string; readonly input: Input; readonly host: CommandHost };

async function report(
  end: BackupEnd,
  mode: BlobMode,
  { file, input, host }: Report,
): Promise<number> {
  const { documents, bytes, damaged } = end;
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  const { stderr } = host;
  for (const id of damaged) stderr.write(`${id}: the content is missing or damaged\n`);
  stderr.write(
    `Backup written${file === '-' ? '' : ` to ${file}`}\n` +
      `Rows: ${rows}, documents: ${documents} (${bytes} bytes), damaged: ${damaged.length}\n` +
      (mode === 'content' ? '' : 'The content of the documents is only in the blob store.\n'),
  );
  if (wantsJson(input))
    await writeJson(host, { file, blobs: mode, rows, documents, bytes, damaged });
  return damaged.length > 0 ? damagedStatus : 0;
}
