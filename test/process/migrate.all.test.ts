// Runs `latchkey migrate`, and starts with LATCHKEY_MIGRATE=off, as processes.
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { schemaMigrations } from '../../src/storage/migrate.ts';
import { freshPostgresDatabase } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { newDataDir, runIn, spawnProgram, startProgram } from '../support/program.ts';

async function folder(): Promise<string> {
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function run(env: Record<string, string>, dataDir: string, ...words: string[]) {
  if (words.length > 0) return runIn(dataDir, words, env);
  const program = await spawnProgram(env, dataDir);
  onTestFinished(program.kill);
  const status = await program.ended;
  return { status, stdout: program.stdout(), stderr: program.stderr() };
}

const allApplied = [
  ...Object.keys(schemaMigrations).map((name) => `applied ${name}`),
  ...['the schema is up to date', ''],
].join('\n');
const noneApplied = 'the schema is up to date\n';

describeDialects('latchkey migrate', (dialect) => {
  async function newPlace() {
    const dataDir = await folder();
    const env: Record<string, string> =
      dialect === 'sqlite' ? {} : { LATCHKEY_DATABASE_URL: await freshPostgresDatabase() };
    return { dataDir, env };
  }

  test('applies each migration once if several processes migrate at the same time', async () => {
    const { dataDir, env } = await newPlace();

    const all = await Promise.all([1, 2, 3, 4].map(() => run(env, dataDir, 'migrate')));

    expect(all.map(({ status, stderr }) => [status, stderr])).toEqual(all.map(() => [0, '']));
    const printed = all.map(({ stdout }) => stdout).sort();
    expect(printed).toEqual([allApplied, noneApplied, noneApplied, noneApplied]);
  });

  test('is required before a start with LATCHKEY_MIGRATE=off', async () => {
    const { dataDir, env } = await newPlace();
    const off = { ...env, LATCHKEY_MIGRATE: 'off', LATCHKEY_BOOTSTRAP: 'demo' };

    const refused = await run(off, dataDir);
    expect(refused.stderr).toBe(
      'Latchkey cannot start: The database is empty, and LATCHKEY_MIGRATE=off forbids a ' +
        'migration at the start. Run `node dist/src/main.js migrate` first.\n',
    );
    expect(refused.status).toBe(1);

    expect(await run(off, dataDir, 'migrate')).toMatchObject({ status: 0, stdout: allApplied });
    const program = await startProgram(off, dataDir);
    onTestFinished(program.kill);
    expect((await fetch(`${program.env.LATCHKEY_OPS_URL}/readyz`)).status).toBe(200);
  });
});

/** Creates a user that may only read and change rows. Returns the URL for this user. */
async function rowsOnly(url: string): Promise<string> {
  const user = `rows_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.query(`drop owned by ${user}`);
    await client.query(`drop role ${user}`).finally(() => client.end());
  });
  await client.query(`create role ${user} login`);
  const rights = 'select, insert, update, delete on all tables in schema public';
  await client.query(`grant ${rights} to ${user}`);
  const limited = new URL(url);
  limited.username = user;
  return limited.href;
}

test('the service runs as a database user that may only read and change rows', async () => {
  const dataDir = await folder();
  const url = await freshPostgresDatabase();
  expect(await run({ LATCHKEY_DATABASE_URL: url }, dataDir, 'migrate')).toMatchObject({
    status: 0,
  });
  const env = { LATCHKEY_DATABASE_URL: await rowsOnly(url), LATCHKEY_BOOTSTRAP: 'demo' };

  const program = await startProgram({ ...env, LATCHKEY_MIGRATE: 'off' }, dataDir);
  onTestFinished(program.kill);

  const { API_KEY, CLIENT_ID, CLIENT_SECRET, LATCHKEY_BASE_URL } = program.env;
  const token = await fetch(`${LATCHKEY_BASE_URL}/tokens`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'tokens:read' }),
  });
  expect(token.status).toBe(200);
  const form = new FormData();
  form.set('file', new Blob(['text']));
  const documents = `${program.env.LATCHKEY_SHARING_BASE_URL}/documents`;
  const headers = { authorization: `Bearer ${API_KEY}` };
  const upload = await fetch(documents, { method: 'POST', headers, body: form });
  expect(upload.status).toBe(201);
  const { id } = (await upload.json()) as { id: string };
  const removal = await fetch(`${documents}/${id}`, { method: 'DELETE', headers });
  expect(removal.status).toBe(200);
});

test('a migration creates no file next to the remains of an earlier installation', async () => {
  const dataDir = await folder();
  await writeFile(path.join(dataDir, 'master.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });

  const { status, stderr } = await run({}, dataDir, 'migrate');

  expect([status, await readdir(dataDir)]).toEqual([1, ['master.key']]);
  expect(stderr).toContain('latchkey.db is missing or empty');
});
