// Runs `latchkey backup` and `latchkey restore` as processes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { generateBackupKey } from '../../src/backup/encryption.ts';
import { tableHandling } from '../../src/backup/tables.ts';
import { allRows } from './audit-rows.ts';
import { startTestApp } from './harness.ts';
import { withDatabase } from './master-keys.ts';
import { spawnProgram } from './program.ts';
import { upload } from './sharing-api.ts';

export type BackupPlace = {
  /** A folder that is removed when the test ends. */
  readonly folder: string;
  readonly identityFile: string;
  readonly identity: string;
  /** The settings with the keys. */
  readonly env: Record<string, string>;
};

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder for backups, with a new key. */
export async function backupPlace(): Promise<BackupPlace> {
  const folder = await newFolder();
  const { identity, recipient } = await generateBackupKey();
  const identityFile = path.join(folder, 'key.txt');
  await writeFile(identityFile, `# created today\n${identity}\n`);
  const env = {
    LATCHKEY_BACKUP_RECIPIENT: recipient,
    LATCHKEY_BACKUP_IDENTITY_FILE: identityFile,
  };
  return { folder, identityFile, identity, env };
}

/** The data folder of a stopped service that has documents; removed when the test ends. */
export async function installationWithDocuments(databaseUrl?: string): Promise<string> {
  const test = await startTestApp(databaseUrl === undefined ? {} : { config: { databaseUrl } });
  onTestFinished(() => rm(test.dataDir, { recursive: true, force: true }));
  for (const size of [1, 70_000, 1_000_000]) await upload(test, Buffer.alloc(size, String(size)));
  await test.stop();
  await rm(path.join(test.dataDir, 'log.jsonl'));
  return test.dataDir;
}

export type CommandResult = {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
};

export async function runCommand(
  words: readonly string[],
  dataDir: string,
  env: Record<string, string>,
): Promise<CommandResult> {
  const program = await spawnProgram(env, dataDir, words);
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

const omitted = Object.entries(tableHandling).flatMap(([name, handling]) =>
  'omitted' in handling ? [name] : [],
);

/** Every row that a backup should contain. */
export function rowsToBackUp(url: string): Promise<string[]> {
  const others = ['kysely_migration', 'kysely_migration_lock', 'schema_migrations'];
  return withDatabase(url, (db) => allRows(db, [...omitted, ...others]));
}
