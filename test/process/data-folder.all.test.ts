// The data folder at start: the modes of its files, and files left by earlier starts.
import { randomUUID } from 'node:crypto';
import { watch } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshPostgresDatabase } from '../support/databases.ts';
import { stoppedInstallation } from '../support/harness.ts';
import { newDataDir, type Program, spawnProgram, startProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o7777).toString(8);
}

/** Every file and folder as `<mode> <path>`. */
async function modesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(names.map(async (name) => `${await modeOf(path.join(folder, name))} ${name}`));
}

async function started(env: Record<string, string> = {}, dataDir?: string) {
  const program = await startProgram(env, dataDir);
  onTestFinished(() => program.remove());
  return program;
}

/** A folder in which a server has run. */
async function usedFolder(): Promise<string> {
  const program = await started();
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  return program.dataDir;
}

async function refused(env: Record<string, string>, dataDir: string): Promise<Program> {
  const program = await spawnProgram(env, dataDir);
  onTestFinished(() => program.remove());
  expect(await program.ended, program.stderr()).toBe(1);
  return program;
}

async function removeDatabase(dataDir: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) {
    await rm(path.join(dataDir, `latchkey.db${end}`), { force: true });
  }
}

describe('the modes of files and folders', () => {
  test('allow only their owner, whatever the umask', async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const { dataDir, env } = await started();
    const form = new FormData();
    form.set('file', new Blob(['text']));
    const headers = { authorization: `Bearer ${env.API_KEY}` };
    const url = `${env.LATCHKEY_SHARING_BASE_URL}/documents`;
    expect((await fetch(url, { method: 'POST', headers, body: form })).status).toBe(201);

    const modes = await modesIn(dataDir);

    expect(await modeOf(dataDir)).toBe('700');
    expect(modes.join('\n')).toMatch(/latchkey\.db-wal/);
    expect(modes.join('\n')).toMatch(/latchkey\.db-shm/);
    expect(modes.filter((line) => !/^(700|600) /.test(line))).toEqual([]);
  });

  test('that an earlier start or a restored backup left too open are restricted', async () => {
    const dataDir = await usedFolder();
    const names = ['latchkey.db', 'bootstrap.env', 'master.key'];
    for (const name of names) await chmod(path.join(dataDir, name), 0o644);
    for (const name of ['', 'blobs', 'outbox']) await chmod(path.join(dataDir, name), 0o755);

    const program = await started({}, dataDir);

    expect((await modesIn(dataDir)).filter((line) => !/^(700|600) /.test(line))).toEqual([]);
    expect(await modeOf(dataDir)).toBe('700');
    await expect.poll(() => program.stdout()).toContain('other users could open this path');
    for (const name of names) {
      await expect.poll(() => program.stdout()).toContain(path.join(dataDir, name));
    }
  });

  test('refuse a folder that belongs to everyone, such as /tmp', async () => {
    const dataDir = await newDataDir();
    await chmod(dataDir, 0o1777);

    const program = await refused({}, dataDir);

    expect(program.stderr()).toContain(`every user may write to ${dataDir} (1777)`);
    expect(await modeOf(dataDir)).toBe('1777');
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('temporary files', () => {
  test('are not created if the key exists', async () => {
    const dataDir = await stoppedInstallation();
    const made: string[] = [];
    const watcher = watch(dataDir, (_, name) => void made.push(String(name)));
    onTestFinished(() => watcher.close());

    await started({}, dataDir);

    await expect.poll(() => made).toContain('latchkey.db-wal');
    expect(made.filter((name) => name.startsWith('master.key'))).toEqual([]);
  });

  test('of killed starts are removed once they are a minute old', async () => {
    const dataDir = await stoppedInstallation();
    const old = ['master.key', 'bootstrap.env'].map((name) => `${name}.${randomUUID()}`);
    const young = `master.key.${randomUUID()}`;
    const foreign = `notes.${randomUUID()}`;
    for (const name of [...old, young, foreign]) await writeFile(path.join(dataDir, name), '');
    for (const name of [...old, foreign]) await utimes(path.join(dataDir, name), 1, 1);

    await started({}, dataDir);

    const names = await readdir(dataDir);
    expect(names).toEqual(expect.arrayContaining([young, foreign]));
    for (const name of old) expect(names).not.toContain(name);
  });
});

describe('the service does not initialize an empty database', () => {
  itHoldsFor([
    ['is missing', removeDatabase],
    [
      'is empty',
      async (dataDir: string) => {
        await removeDatabase(dataDir);
        await writeFile(path.join(dataDir, 'latchkey.db'), '');
      },
    ],
  ])('whose file is lost next to a master key and documents, unless forced', async (_, lose) => {
    const dataDir = await usedFolder();
    const secrets = await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8');
    await lose(dataDir);
    const names = await readdir(dataDir);

    const { stderr } = await refused({}, dataDir).catch((error) => Promise.reject(error));
    expect(stderr()).toContain(`${dataDir}/latchkey.db is missing or empty`);
    expect(stderr()).toContain(
      `${dataDir}/master.key and ${dataDir}/blobs of an earlier installation exist.`,
    );
    expect(stderr()).toContain('LATCHKEY_BOOTSTRAP_FORCE=true');
    expect(await readdir(dataDir)).toEqual(names);
    expect(await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8')).toBe(secrets);

    const { env } = await started({ LATCHKEY_BOOTSTRAP_FORCE: 'true' }, dataDir);
    expect(env.CLIENT_ID).not.toBe('');
    expect(secrets).not.toContain(env.CLIENT_ID);
  });

  test('next to documents if the settings contain the master key', async () => {
    const dataDir = await newDataDir();
    await mkdir(path.join(dataDir, 'blobs/ab'), { recursive: true });
    await writeFile(path.join(dataDir, 'blobs/ab/abcd'), 'bytes');

    const { stderr } = await refused({ LATCHKEY_MASTER_KEY: 'ab'.repeat(32) }, dataDir);

    expect(stderr()).toContain(`${dataDir}/blobs of an earlier installation exists`);
  });

  test('on PostgreSQL next to a master key', async () => {
    const dataDir = await stoppedInstallation(await freshPostgresDatabase());

    const url = await freshPostgresDatabase();
    const { stderr } = await refused({ LATCHKEY_DATABASE_URL: url }, dataDir);

    expect(stderr()).toContain('the PostgreSQL database is missing or empty');
    expect(stderr()).not.toContain(url);
  });

  test('except after a first start that was killed before it did so', async () => {
    const dataDir = await newDataDir();
    await writeFile(path.join(dataDir, 'master.key'), `${'ab'.repeat(32)}\n`);
    await writeFile(path.join(dataDir, 'first-start'), '');

    await started({}, dataDir);

    expect(await readdir(dataDir)).not.toContain('first-start');
  });
});
