// Backups and restores that fail or are interrupted change nothing, and can be repeated.
import { randomUUID } from 'node:crypto';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  backupPlace,
  installationWithDocuments,
  newFolder,
  rowsToBackUp,
} from '../support/backups.ts';
import { freshDatabaseUrl } from '../support/databases.ts';
import { urlIn, withDatabase } from '../support/master-keys.ts';
import { type Dialect, describeFeature } from '../support/matrix.ts';
import { runIn, spawnProgram } from '../support/program.ts';

async function backedUp() {
  const place = await backupPlace();
  const dataDir = await installationWithDocuments();
  const file = path.join(place.folder, 'backup.age');
  const { status } = await runIn(dataDir, ['backup', file], place.env);
  expect(status).toBe(0);
  return { place, dataDir, file, bytes: await readFile(file) };
}

/** The files of documents in a data folder. */
async function blobsIn(dataDir: string): Promise<string[]> {
  const names = await readdir(path.join(dataDir, 'blobs'), { recursive: true }).catch(() => []);
  return names.filter((name) => /^\w\w\/\w+$/.test(name)).sort();
}

async function targetOf(dialect: Dialect) {
  const dataDir = await newFolder();
  const url = dialect === 'sqlite' ? urlIn(dataDir) : await freshDatabaseUrl('postgres');
  return { dataDir, url, env: { LATCHKEY_DATABASE_URL: url } };
}

describeFeature('a restore', (dialect) => {
  test('of a truncated or altered file restores nothing, and then the intact file', async () => {
    const { place, dataDir, file, bytes } = await backedUp();
    const { env, ...target } = await targetOf(dialect);
    const bad = path.join(place.folder, 'bad.age');
    const restore = (from: string) =>
      runIn(target.dataDir, ['restore', from], { ...env, ...place.env });
    const altered = Buffer.from(bytes);
    altered[600_000] = (altered[600_000] ?? 0) ^ 1;
    for (const content of [
      bytes.subarray(0, 100),
      bytes.subarray(0, 500_000),
      bytes.subarray(0, -100),
      bytes.subarray(0, -1),
      altered,
    ]) {
      await writeFile(bad, content);
      const { status, stderr } = await restore(bad);
      expect([status, stderr]).toEqual([
        1,
        'The backup was not restored: the file is incomplete, damaged or not a backup\n',
      ]);
      expect(await blobsIn(target.dataDir)).toEqual([]);
      expect(await readdir(target.dataDir)).not.toContain('master.key');
    }

    expect((await restore(file)).status).toBe(0);

    expect(await rowsToBackUp(target.url)).toEqual(await rowsToBackUp(urlIn(dataDir)));
    expect(await blobsIn(target.dataDir)).toEqual(await blobsIn(dataDir));
  });

  test('that is killed is completed by the next one', async () => {
    const { place, dataDir, file } = await backedUp();
    const { env, ...target } = await targetOf(dialect);
    const settings = { ...env, ...place.env };
    const killed = await spawnProgram(settings, target.dataDir, ['restore', file]);
    await expect.poll(() => blobsIn(target.dataDir), { interval: 1 }).not.toEqual([]);
    await killed.kill();
    const isRestored = (await killed.ended) === 0;

    if (!isRestored) {
      const started = await spawnProgram(env, target.dataDir);
      expect(await started.ended).toBe(1);
      expect(started.stderr()).toContain('run `node dist/src/main.js restore` again');
      expect(await readdir(target.dataDir)).not.toContain('master.key');
      const { status, stderr } = await runIn(target.dataDir, ['restore', file], settings);
      expect([status, stderr]).toEqual([0, expect.stringMatching(/^Backup of .* restored\n/)]);
    }

    expect(await rowsToBackUp(target.url)).toEqual(await rowsToBackUp(urlIn(dataDir)));
    expect(await blobsIn(target.dataDir)).toEqual(await blobsIn(dataDir));
    await withDatabase(target.url, async (db) => {
      expect(await db.selectFrom('pending_blobs').selectAll().execute()).toEqual([]);
      expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    });
  });

  test('into an installation that is not empty changes nothing', async () => {
    const { place, file } = await backedUp();
    const url = dialect === 'postgres' ? await freshDatabaseUrl('postgres') : undefined;
    const other = await installationWithDocuments(url);
    const rows = await rowsToBackUp(url ?? urlIn(other));
    const blobs = await blobsIn(other);
    await rm(path.join(other, 'master.key'));
    const env = { ...place.env, ...(url === undefined ? {} : { LATCHKEY_DATABASE_URL: url }) };

    const { status, stderr } = await runIn(other, ['restore', file], env);

    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^The backup was not restored: the database is not empty \(/),
    ]);
    expect(await rowsToBackUp(url ?? urlIn(other))).toEqual(rows);
    expect(await blobsIn(other)).toEqual(blobs);
  });
});

describe('a restore', () => {
  test('next to the documents of a running installation removes none of them', async () => {
    const { place, dataDir, file } = await backedUp();
    const blobs = await blobsIn(dataDir);
    const env = { ...place.env, LATCHKEY_BLOB_URL: `file:${dataDir}/blobs` };
    const target = await newFolder();
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { status, stderr } = await runIn(target, ['restore', file], env);
      expect([status, stderr]).toEqual([1, expect.stringContaining('it must be empty')]);
    }
    expect(await blobsIn(dataDir)).toEqual(blobs);
  });

  test('refuses another master key, another key, and a missing setting', async () => {
    const { place, file } = await backedUp();
    const other = await backupPlace();
    const target = await newFolder();
    await mkdir(path.join(target, 'data'));
    await writeFile(path.join(target, 'data/master.key'), `${'ab'.repeat(32)}\n`);
    const cases = [
      [{ ...place.env, LATCHKEY_DATA_DIR: `${target}/data` }, 1, 'master.key is another key'],
      [other.env, 1, 'the key in LATCHKEY_BACKUP_IDENTITY does not decrypt the file'],
      [{}, 2, 'LATCHKEY_BACKUP_IDENTITY: must be set'],
      [{ LATCHKEY_BACKUP_IDENTITY: 'AGE-SECRET-KEY-1X' }, 1, 'is not a secret key of age'],
    ] as const;
    for (const [env, expected, message] of cases) {
      const { status, stdout, stderr } = await runIn(target, ['restore', file], env);
      expect([status, stdout, stderr]).toEqual([expected, '', expect.stringContaining(message)]);
      expect(stderr).not.toContain('AGE-SECRET-KEY');
    }
    expect(await readdir(target)).toEqual(['data']);
  });
});

describe('a backup', () => {
  test('is a private file that shows nothing, and replaces no file', async () => {
    const { place, dataDir, file, bytes } = await backedUp();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const key = await readFile(path.join(dataDir, 'master.key'), 'utf8');
    for (const text of [key.trim(), 'master.key', 'manifest', 'Demo', 'file.bin']) {
      expect(bytes.includes(text)).toBe(false);
    }
    const { status, stderr } = await runIn(dataDir, ['backup', file], place.env);
    expect([status, stderr]).toEqual([1, `The backup was not written: ${file} already exists\n`]);
    expect((await readFile(file)).equals(bytes)).toBe(true);
  });

  test('removes only the temporary files of killed backups of earlier days', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    const old = `2026-11-01.age.${randomUUID()}`;
    const kept = [`2026-11-02.age.${randomUUID()}`, `notes.txt.${randomUUID()}`, '2026-11-03.age'];
    for (const name of [old, ...kept]) await writeFile(path.join(place.folder, name), '');
    for (const name of [old, ...kept.slice(1)]) await utimes(path.join(place.folder, name), 1, 1);

    const file = path.join(place.folder, '2026-11-22.age');
    expect((await runIn(dataDir, ['backup', file], place.env)).status).toBe(0);

    const names = await readdir(place.folder);
    expect(names.sort()).toEqual(['2026-11-22.age', 'key.txt', ...kept].sort());
  });

  test('that fails leaves no file, and shows no key', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    const file = path.join(place.folder, 'backup.age');
    const recipient = { LATCHKEY_BACKUP_RECIPIENT: `${place.env.LATCHKEY_BACKUP_RECIPIENT}q` };
    const identity = { LATCHKEY_BACKUP_RECIPIENT: place.identity };
    for (const [env, expected, message] of [
      [{}, 2, '`node dist/src/main.js backup --make-key <file>` makes a key'],
      [recipient, 1, 'LATCHKEY_BACKUP_RECIPIENT is not a public key of age'],
      [identity, 2, 'LATCHKEY_BACKUP_RECIPIENT: must be public keys of age'],
      [{ ...place.env, LATCHKEY_MASTER_KEY: 'ab'.repeat(32) }, 1, 'which is not given'],
    ] as const) {
      const { status, stdout, stderr } = await runIn(dataDir, ['backup', file], env);
      expect([status, stdout, stderr]).toEqual([expected, '', expect.stringContaining(message)]);
      expect(stderr).not.toContain('AGE-SECRET-KEY');
      expect(await readdir(place.folder)).toEqual(['key.txt']);
    }
  });

  test('is refused if the blob folder is an empty mount point', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    await rename(path.join(dataDir, 'blobs'), path.join(dataDir, 'away'));
    await mkdir(path.join(dataDir, 'blobs'));
    const file = path.join(place.folder, 'backup.age');
    const { status, stderr } = await runIn(dataDir, ['backup', file], place.env);
    const reason = 'The backup was not written: the blob store .* has no marker with the id';
    expect([status, stderr]).toEqual([1, expect.stringMatching(reason)]);
    expect(await readdir(place.folder)).toEqual(['key.txt']);
  });

  test('names damaged documents and contains the others', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    const [first = '', second = ''] = await blobsIn(dataDir);
    await rm(path.join(dataDir, 'blobs', first));
    await appendFile(path.join(dataDir, 'blobs', second), 'x');
    const file = path.join(place.folder, 'backup.age');
    const { status, stderr } = await runIn(dataDir, ['backup', file], place.env);
    expect([status, stderr]).toEqual([3, expect.stringContaining('damaged: 2\n')]);
    const target = await newFolder();
    expect((await runIn(target, ['restore', file], place.env)).status).toBe(0);
    expect(await blobsIn(target)).toHaveLength(1);
  });

  test('contains the other documents if a file cannot be read', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    const [first = ''] = await blobsIn(dataDir);
    const blob = path.join(dataDir, 'blobs', first);
    await rm(blob);
    await symlink(path.basename(blob), blob);
    const file = path.join(place.folder, 'backup.age');

    const { status, stderr } = await runIn(dataDir, ['backup', file], place.env);

    expect([status, stderr]).toEqual([3, expect.stringContaining('damaged: 1\n')]);
    const checked = await runIn(dataDir, ['doctor', '--blobs']);
    expect([checked.status, checked.stdout]).toEqual([
      1,
      expect.stringContaining(': the content cannot be read\n'),
    ]);
    const target = await newFolder();
    expect((await runIn(target, ['restore', file], place.env)).status).toBe(0);
    expect(await blobsIn(target)).toHaveLength(2);
  });

  test('makes a key in a private file and prints the public key', async () => {
    const folder = await newFolder();
    const file = path.join(folder, 'key.txt');
    const { status, stdout } = await runIn(folder, ['backup', '--make-key', file]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^age1\w{58}\n$/)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain('AGE-SECRET-KEY-1');
    const again = await runIn(folder, ['backup', '--make-key', file]);
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
  });
});
