// `backup <file>`: writes an encrypted copy of all rows, documents and keys. Can run while
// the service runs.
import path from 'node:path';
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
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import {
  type KeyFileTexts,
  readKeyFileTexts,
  readMasterKeyIfAny,
} from '../crypto/master-key-file.ts';
import { removeTemporaries, writeFileOnce, writeNewFile } from '../files/durable-files.ts';
import { requireDecryptable } from '../identity/keys/sealed-values.ts';
import { openDatabaseReadOnly } from '../storage/database.ts';
import { inspectDatabase } from '../storage/inspection.ts';
import { compareSchema, type SchemaComparison, schemaMigrations } from '../storage/migrate.ts';
import {
  type Command,
  CommandError,
  type CommandHost,
  type Output,
  UsageError,
} from './command.ts';
import { openExistingDatabase } from './existing-database.ts';
import { sealedColumns } from './rotate-master-key.ts';
import { abortOnSignal } from './signals.ts';
import { blobModeOf, longQueries, withBlobReader } from './stores.ts';
import { readVersion } from './version.ts';

const damagedStatus = 3;
const dayMs = 86_400_000;

export const backupCommand: Command = {
  usage: '<file>',
  about: 'writes an encrypted backup of the database, the documents and the master key',
  details: `Use this command while the service runs or while it is stopped. It needs the settings of
the service, and LATCHKEY_BACKUP_RECIPIENT with a public key of age. The file must not exist; "-"
means standard output. A failed backup leaves no file.

  --make-key <file>   makes a key: writes the secret key to a new file and prints the public key
  --blobs=content     includes the content of the documents; the default for a folder
  --blobs=references  leaves it out; the default for S3, which needs a separate backup

Exit status: 0 done, 1 failed, 2 wrong arguments or settings, 3 done, but the content of some
documents was missing or damaged; the rest is in the backup.`,
  async run(words, host) {
    const { file, isKey, mode } = parseWords(words);
    if (isKey) return makeKey(file, host);
    if (file === '-' && host.stdout.isTTY === true) {
      throw new UsageError('A terminal cannot show a backup. Name a file.');
    }
    const config = readConfig(host.env);
    const recipients = requireRecipients(config);
    const stopping = abortOnSignal(host, new BackupError('it was stopped'));
    try {
      const task = { config, recipients, file, host, stop: stopping.signal };
      const usedMode = mode ?? blobModeOf(config);
      return report(await backup({ ...task, mode: usedMode }), usedMode, file, host);
    } catch (error) {
      throw new CommandError('The backup was not written', error);
    } finally {
      stopping.end();
    }
  },
};

function parseWords(words: readonly string[]) {
  const files = words.filter((word) => word === '-' || !word.startsWith('-'));
  const options = words.filter((word) => !files.includes(word));
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw new UsageError();
  let mode: BlobMode | undefined;
  let isKey = false;
  for (const option of options) {
    if (option === '--make-key') isKey = true;
    else if (option === '--blobs=references') mode = 'references';
    else if (option === '--blobs=content') mode = 'content';
    else throw new UsageError(`There is no option "${option}".`);
  }
  return { file, isKey, mode };
}

async function makeKey(file: string, { stdout, stderr }: CommandHost): Promise<number> {
  const { identity, recipient } = await generateBackupKey();
  const text = `# public key: ${recipient}\n${identity}\n`;
  const isWritten = await writeFileOnce(file, text).catch((error: unknown) => {
    throw new CommandError('The key was not made', error);
  });
  if (!isWritten) throw new CommandError('The key was not made', `${file} already exists`);
  stderr.write(
    `The secret key is in ${file}. Move it to a safe place: without it, no backup can be\n` +
      'restored. Set LATCHKEY_BACKUP_RECIPIENT to the public key:\n',
  );
  // Only the public key is written to stdout, for scripts.
  stdout.write(`${recipient}\n`);
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

/** Waits until each chunk is written. */
async function writeAll(output: Output, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  // A closed pipe also fails the write below.
  output.on?.('error', () => {});
  for await (const chunk of bytes) {
    await new Promise<void>((resolve, reject) => {
      output.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }
}

function report(end: BackupEnd, mode: BlobMode, file: string, { stderr }: CommandHost): number {
  const { documents, bytes, damaged } = end;
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  for (const id of damaged) stderr.write(`${id}: the content is missing or damaged\n`);
  stderr.write(
    `Backup written${file === '-' ? '' : ` to ${file}`}\n` +
      `Rows: ${rows}, documents: ${documents} (${bytes} bytes), damaged: ${damaged.length}\n` +
      (mode === 'content' ? '' : 'The content of the documents is only in the blob store.\n'),
  );
  return damaged.length > 0 ? damagedStatus : 0;
}
