// Installations to back up, and the rows that a backup should contain.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { generateBackupKey } from '../../src/backup/encryption.ts';
import { tableHandling } from '../../src/backup/tables.ts';
import { allRows } from './audit-rows.ts';
import { addDocument, makeFolder, makeRoom } from './folder-calls.ts';
import { lastCode, Visitor } from './gate-visitor.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { openLink } from './link-views.ts';
import { withDatabase } from './master-keys.ts';
import { entered, report } from './rooms.ts';
import { makeLink, sha256, upload, uploadVersion } from './sharing-api.ts';

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
export async function installationWithDocuments(
  databaseUrl?: string,
  fill: (test: TestApp) => Promise<void> = async () => {},
): Promise<string> {
  const test = await startTestApp(databaseUrl === undefined ? {} : { config: { databaseUrl } });
  onTestFinished(() => rm(test.dataDir, { recursive: true, force: true }));
  for (const size of [1, 70_000, 1_000_000]) await upload(test, Buffer.alloc(size, String(size)));
  await fill(test);
  await test.stop();
  await rm(path.join(test.dataDir, 'log.jsonl'));
  return test.dataDir;
}

/** Adds versions, one of them pinned, a room in nested folders, a reader's views, and a receipt. */
export async function addSharing(test: TestApp): Promise<void> {
  const { id } = await upload(test, Buffer.from('First'), 'Plan.txt');
  await uploadVersion(test, id, Buffer.from('Second'), 'Plan.txt');
  await openLink(await makeLink(test, id, { pinned_version: 1, email_required: true }));
  await openLink(await makeLink(test, id, { email_required: true }), 'other@example.com');

  const folder = await makeFolder(test, 'Deal');
  const inner = await makeFolder(test, 'Contracts', folder.id);
  const document = await addDocument(test, inner.id, 'Terms.txt');
  const reader = await entered(await makeRoom(test, folder.id, { email_required: true }));
  expect((await reader.get(`/documents/${document.id}/view`, report)).status).toBe(204);

  const agreement = 'Keep it secret.';
  const signer = new Visitor(await makeLink(test, id, { agreement }));
  await signer.post({ email: 'signer@example.com' });
  await signer.post({ code: await lastCode(test, 'signer@example.com') });
  await signer.post({ agreement: sha256(Buffer.from(agreement)) });
  expect(await signer.asked()).toBe('document');
}

const omitted = Object.entries(tableHandling).flatMap(([name, handling]) =>
  'omitted' in handling ? [name] : [],
);

/** Every row that a backup should contain. */
export function rowsToBackUp(url: string): Promise<string[]> {
  const others = ['kysely_migration', 'kysely_migration_lock', 'schema_migrations'];
  return withDatabase(url, (db) => allRows(db, [...omitted, ...others]));
}
