// Runs `latchkey doctor` as a process.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteFile } from '../../src/storage/drivers/sqlite-library.ts';
import {
  freshPostgresDatabase,
  migratedDatabaseUrl,
  openUntilFinished,
} from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { stoppedInstallation } from '../support/harness.ts';
import { newDataDir, runIn, spawnProgram, startProgram } from '../support/program.ts';

type Report = { readonly code: unknown; readonly lines: readonly string[] };

async function doctor(env: Record<string, string>, dataDir: string): Promise<Report> {
  const { status: code, stdout, stderr } = await runIn(dataDir, ['doctor'], env);
  expect(stderr).toBe('');
  return { code, lines: stdout.trimEnd().split('\n') };
}

async function started(env: Record<string, string> = {}) {
  const program = await startProgram(env);
  onTestFinished(() => program.remove());
  return program;
}

/** Every file with its mode and digest. */
async function contentsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.sort().map(async (name) => {
      const file = path.join(folder, name);
      const { mode } = await stat(file);
      const bytes = await readFile(file).catch(() => '');
      return `${name} ${mode} ${createHash('sha256').update(bytes).digest('hex')}`;
    }),
  );
}

test('a valid installation passes each check while the server runs', async () => {
  const { dataDir } = await started();

  const { code, lines } = await doctor({}, dataDir);

  expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
  const names = ['settings', 'files', 'master key', 'disk', 'database', 'clock', 'blobs', 'mail'];
  for (const name of names) {
    expect(lines.join('\n')).toMatch(new RegExp(`^ok +${name} `, 'm'));
  }
  expect(lines.join('\n')).toMatch(/^ok +database +SQLite [\d.]+ is writable and answers in /m);
  expect(lines.join('\n')).toMatch(/^ok +disk .* is writable, with [\d.,]+ [kMGT]B left$/m);
  expect(code).toBe(0);
});

test('--json prints the findings as JSON', async () => {
  const { dataDir } = await started();
  const { status, stdout } = await runIn(dataDir, ['doctor', '--json']);
  expect(status).toBe(0);
  const findings: unknown[] = JSON.parse(stdout);
  expect(findings[0]).toEqual({
    level: 'ok',
    check: 'settings',
    message: 'every setting is valid',
  });
});

test('a stopped installation is not changed, on either database', async () => {
  for (const url of ['', await freshPostgresDatabase()]) {
    const dataDir = await stoppedInstallation(url === '' ? undefined : url);
    const before = await contentsOf(dataDir);

    const { code, lines } = await doctor({ LATCHKEY_DATABASE_URL: url }, dataDir);

    expect(code, lines.join('\n')).toBe(0);
    expect(await contentsOf(dataDir)).toEqual(before);
  }
});

test('an empty folder stays empty', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));

  const { code, lines } = await doctor({}, dataDir);

  expect(code).toBe(0);
  expect(lines.join('\n')).toMatch(/^warning +database .*the first start creates it$/m);
  expect(lines.at(-1)).toMatch(/^ok +backups .*; let a scheduler run `backup <file>`$/);
  expect(await readdir(dataDir)).toEqual([]);
});

test('every invalid setting is a problem', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = { LATCHKEY_STEP_UP_SECONDS: 'x', LATCHKEY_TYPO: 'a' };

  expect(await doctor(env, dataDir)).toEqual({
    code: 1,
    lines: [
      'problem  settings      LATCHKEY_TYPO: there is no such setting',
      'problem  settings      LATCHKEY_STEP_UP_SECONDS: must be a whole number of seconds, ' +
        '1 to 86400',
    ],
  });
});

test('open file modes, a clock set back and an unreachable mail server are problems', async () => {
  const dataDir = await stoppedInstallation();
  await chmod(path.join(dataDir, 'master.key'), 0o644);
  const db = openSqliteFile(path.join(dataDir, 'latchkey.db'));
  db.exec(`update users set create_time = ${Date.now() + 400 * 86_400_000}`);
  db.close();
  const env = {
    LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    LATCHKEY_PUBLIC_URL: 'https://keys.example.com',
  };

  const { code, lines } = await doctor(env, dataDir);

  const report = lines.join('\n');
  expect(report).toMatch(/^warning +files .*master\.key: .*\(0644\): run chmod 600/m);
  expect(report).toMatch(/^problem +clock .*later than the clock; set the clock$/m);
  expect(report).toMatch(/^problem +mail .*ECONNREFUSED/m);
  expect(report).toMatch(/^warning +proxies .*LATCHKEY_TRUSTED_PROXIES is empty/m);
  expect(code).toBe(1);
});

test('a missing master key is a problem if the database has signing keys', async () => {
  for (const url of ['', await freshPostgresDatabase()]) {
    const dataDir = await stoppedInstallation(url === '' ? undefined : url);
    await rm(path.join(dataDir, 'master.key'));
    const before = await readdir(dataDir);
    const env = { LATCHKEY_DATABASE_URL: url };

    const { code, lines } = await doctor(env, dataDir);
    const started = await spawnProgram(env, dataDir);

    expect(lines.join('\n')).toMatch(/^problem +master key .*LATCHKEY_MASTER_KEY/m);
    expect(lines.join('\n')).not.toMatch(/^\w+ +master key .*the first start creates it$/m);
    expect(code).toBe(1);
    expect(await started.ended).toBe(1);
    expect(started.stderr()).toMatch(/^Latchkey cannot start: .*LATCHKEY_MASTER_KEY/);
    expect(await readdir(dataDir)).toEqual(before);
  }
});

test('an interrupted restore is a problem', async () => {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const dataDir = await newDataDir();
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    const lease = { name: 'restore', owner: 'killed', expire_time: 0 };
    await db.insertInto('leases').values(lease).execute();
    await mkdir(path.join(dataDir, 'blobs/aa'), { recursive: true });
    await writeFile(path.join(dataDir, 'blobs/aa/aaa'), 'restored');

    const { code, lines } = await doctor({ LATCHKEY_DATABASE_URL: url }, dataDir);

    const report = lines.join('\n');
    expect(report).toMatch(/^problem +database .*interrupted; run `.* restore` again$/m);
    expect(report).not.toContain('LATCHKEY_BOOTSTRAP_FORCE');
    expect(code).toBe(1);
  }
});

test('a database of a newer version and an unreachable one are problems', async () => {
  const dataDir = await stoppedInstallation();
  const db = openSqliteFile(path.join(dataDir, 'latchkey.db'));
  db.exec(`insert into kysely_migration values ('9999-future', '2027-01-01')`);
  db.close();

  const newer = await doctor({}, dataDir);
  expect(newer.lines.join('\n')).toMatch(
    /^problem +database .*cannot run on the migrations 9999-future; use a newer version$/m,
  );
  expect(newer.code).toBe(1);

  const url = 'postgres://someone:hunter2@127.0.0.1:1/latchkey';
  const away = await doctor({ LATCHKEY_DATABASE_URL: url }, dataDir);
  expect(away.lines.join('\n')).toMatch(
    /^problem +database .*ECONNREFUSED.*; check LATCHKEY_DATABASE_URL and that .* runs$/m,
  );
  expect(away.lines.join('\n')).not.toContain('hunter2');
  expect(away.code).toBe(1);
});

test('a newer, compatible schema passes, and a missing migration is shown', async () => {
  const dataDir = await stoppedInstallation();
  const db = openSqliteFile(path.join(dataDir, 'latchkey.db'));
  db.exec(`insert into schema_migrations values ('9999-future', '', '0002-scale-out')`);
  db.close();
  const newer = await doctor({}, dataDir);
  expect(newer.lines.join('\n')).toMatch(/^ok +database .*newer schema \(9999-future\)$/m);
  expect(newer.code).toBe(0);

  const url = await freshPostgresDatabase();
  const empty = { LATCHKEY_DATABASE_URL: url, LATCHKEY_BOOTSTRAP_FORCE: 'true' };
  const auto = await doctor(empty, dataDir);
  expect(auto.lines.join('\n')).toMatch(/^warning +database .*next start applies 0001-schema/m);
  const off = await doctor({ ...empty, LATCHKEY_MIGRATE: 'off' }, dataDir);
  expect(off.lines.join('\n')).toMatch(
    /^problem +database .*run `node dist\/src\/main\.js migrate`$/m,
  );
});

test('a lost database is a problem, and no file is created', async () => {
  for (const name of ['master.key', 'blobs']) {
    const dataDir = await newDataDir();
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    if (name === 'blobs') {
      await mkdir(path.join(dataDir, 'blobs', 'ab'), { recursive: true });
      await writeFile(path.join(dataDir, 'blobs', 'ab', 'abcd'), 'a document');
    } else {
      await writeFile(path.join(dataDir, name), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    }
    for (const url of ['', await freshPostgresDatabase()]) {
      const before = await contentsOf(dataDir);

      const { code, lines } = await doctor({ LATCHKEY_DATABASE_URL: url }, dataDir);

      expect(lines.join('\n')).toMatch(
        new RegExp(`^problem +database .* missing or empty, but .*/${name} .* Restore`, 'm'),
      );
      expect(code).toBe(1);
      expect(await contentsOf(dataDir)).toEqual(before);
    }
  }
});

test('a folder of documents that belongs to another database is a problem', async () => {
  const dataDir = await stoppedInstallation();
  const blobs = path.join(dataDir, 'blobs');
  const id = (await readFile(path.join(blobs, 'marker'), 'utf8')).trim();
  const reasons = [
    'has no marker with the id',
    'belongs to another database: its id is other, not',
  ];
  for (const [i, prepare] of [
    () => rm(path.join(blobs, 'marker')),
    () => writeFile(path.join(blobs, 'marker'), 'other'),
  ].entries()) {
    await prepare();

    const { code, lines } = await doctor({}, dataDir);

    const problem = `the blob store ${blobs} ${reasons[i]} ${id}; check that its volume is mounted`;
    expect(lines.filter((line) => line.startsWith('problem'))).toEqual([
      expect.stringContaining(problem),
    ]);
    expect(code).toBe(1);
  }
});

test('a master key of another database is a problem', async () => {
  const dataDir = await stoppedInstallation();
  const other = 'ab'.repeat(32);
  const set = await doctor({ LATCHKEY_MASTER_KEY: other }, dataDir);
  await writeFile(path.join(dataDir, 'master.key'), `${other}\n`);
  const replaced = await doctor({}, dataDir);

  for (const { code, lines } of [set, replaced]) {
    expect(lines.join('\n')).toMatch(/^problem +master key .*encrypted with .*; restore the/m);
    expect(code).toBe(1);
  }
});
