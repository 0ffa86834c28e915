// Runs `latchkey backup` without a file, as a command and on the schedule of the service.
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDecrypter, decrypt } from '../../src/backup/encryption.ts';
import { nameBackup } from '../../src/backup/stored-backups.ts';
import { tryRestore } from '../../src/backup/trial.ts';
import {
  backupPlace,
  installationWithDocuments,
  newFolder,
  rowsToBackUp,
} from '../support/backups.ts';
import { freshDatabaseUrl } from '../support/databases.ts';
import { urlIn } from '../support/master-keys.ts';
import { describeDialects } from '../support/matrix.ts';
import { runIn, startProgram } from '../support/program.ts';

const dayMs = 86_400_000;

async function targetPlace() {
  const place = await backupPlace();
  const target = path.join(place.folder, 'target');
  await mkdir(target);
  const LATCHKEY_BACKUP_TARGET = `file:${target}`;
  return { target, env: { ...place.env, LATCHKEY_BACKUP_TARGET } as Record<string, string> };
}

describeDialects('a backup in the target', (dialect) => {
  test('passes a trial restore, replaces the oldest one, and can be restored', async () => {
    const url = dialect === 'postgres' ? await freshDatabaseUrl('postgres') : undefined;
    const dataDir = await installationWithDocuments(url);
    const database = url === undefined ? {} : { LATCHKEY_DATABASE_URL: url };
    const { target, env } = await targetPlace();
    const old = [3, 2, 1].map((days) => nameBackup(Date.now() - days * dayMs));
    for (const name of [...old, 'notes.txt']) await writeFile(path.join(target, name), 'old');

    const settings = { ...database, ...env, LATCHKEY_BACKUP_KEEP: '2' };
    const { status, stdout, stderr } = await runIn(dataDir, ['backup', '--json'], settings);

    expect(stderr).toContain('A trial restore succeeded.\n');
    expect(status).toBe(0);
    const { name, ...report } = JSON.parse(stdout);
    expect(report).toMatchObject({ written: true, damaged: [], removed: [old[1], old[0]] });
    expect((await readdir(target)).sort()).toEqual([old[2], name, 'notes.txt'].sort());
    expect((await readdir(dataDir)).filter((one) => one.startsWith('trial'))).toEqual([]);
    const restored = await newFolder();
    const file = path.join(target, name);
    expect(await runIn(restored, ['restore', file], env)).toMatchObject({ status: 0 });
    expect(await rowsToBackUp(urlIn(restored))).toEqual(await rowsToBackUp(url ?? urlIn(dataDir)));
  });
});

test('a service makes the first backup at once, and the next when it is due', async () => {
  const { target, env } = await targetPlace();
  // The backup of the year.
  const settings = { ...env, LATCHKEY_BACKUP_SCHEDULE: '0 0 1 1 *', LATCHKEY_BOOTSTRAP: 'demo' };
  const program = await startProgram(settings);
  onTestFinished(() => program.remove());
  const metrics = async () => (await fetch(`${program.env.LATCHKEY_OPS_URL}/metrics`)).text();

  await expect
    .poll(metrics, { timeout: 60_000 })
    .toContain('latchkey_backups_total{result="ok"} 1');

  const names = await readdir(target);
  expect(names).toHaveLength(1);
  expect(await metrics()).toMatch(/^latchkey_backup_time_seconds \d{10}$/m);
  const again = await runIn(program.dataDir, ['backup', '--if-due', '--json'], settings);
  expect(JSON.parse(again.stdout)).toMatchObject({ name: names[0], written: false });
  const due = { ...settings, LATCHKEY_BACKUP_SCHEDULE: '* * * * *' };
  await rm(path.join(target, names[0] ?? ''));
  await writeFile(path.join(target, nameBackup(Date.now() - 61_000)), 'old');
  const next = await runIn(program.dataDir, ['backup', '--if-due', '--json'], due);
  expect(JSON.parse(next.stdout)).toMatchObject({ written: true });
});

test('a service reports a backup that fails, and continues', async () => {
  const { target, env } = await targetPlace();
  await rm(target, { recursive: true });
  await writeFile(target, 'not a folder');
  const settings = { ...env, LATCHKEY_BACKUP_SCHEDULE: '0 0 1 1 *' };
  const program = await startProgram(settings);
  onTestFinished(() => program.remove());
  const metrics = async () => (await fetch(`${program.env.LATCHKEY_OPS_URL}/metrics`)).text();
  await expect
    .poll(metrics, { timeout: 60_000 })
    .toContain('latchkey_backups_total{result="failed"} 1');
  // The log is written after the metric.
  await expect.poll(() => program.stdout()).toContain('the backup failed');
});

test('a trial restore refuses a backup that is cut off, and leaves no file', async () => {
  const dataDir = await installationWithDocuments();
  const { target, env } = await targetPlace();
  const { stdout } = await runIn(dataDir, ['backup', '--json'], env);
  const file = path.join(target, JSON.parse(stdout).name);
  const before = await readdir(dataDir);
  const options = { dataDir, blobs: { async *read() {} }, stop: new AbortController().signal };
  const { size } = await stat(file);

  for (const end of [size - 1, size / 2, 1_000].map(Math.floor)) {
    const identity = env.LATCHKEY_BACKUP_IDENTITY_FILE ?? '';
    const key = createDecrypter(await readFile(identity, 'utf8'));
    const bytes = decrypt(createReadStream(file, { end: end - 1 }), key);
    const trial = tryRestore(bytes, { ...options, requireKeys: async () => {} });
    await expect(trial).rejects.toThrow('the file is incomplete, damaged or not a backup');
  }
  expect(await readdir(dataDir)).toEqual(before);
});
