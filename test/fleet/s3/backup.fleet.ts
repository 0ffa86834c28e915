// Moves an installation from SQLite and a folder to PostgreSQL behind PgBouncer and S3, and back.
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { openTarget } from '../../../src/backup/target.ts';
import { backupPlace, newFolder } from '../../support/backups.ts';
import { freePort } from '../../support/free-port.ts';
import { urlIn, withDatabase } from '../../support/master-keys.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { type RunningProgram, spawnProgram, startProgram } from '../../support/program.ts';
import {
  call,
  digestOf,
  issueToken,
  remove,
  type Uploaded,
  upload,
} from '../../support/program-calls.ts';
import { type PgBouncer, startPgBouncer } from '../components/pgbouncer.ts';
import { newBucket } from './bucket.ts';

let postgres: PostgresServer;
let bouncer: PgBouncer;
beforeAll(async () => {
  postgres = await startPostgres();
  await query(postgres.url, 'create database latchkey');
  const port = Number(new URL(postgres.url).port);
  bouncer = await startPgBouncer(path.join(path.dirname(postgres.dataDir), 'bouncer'), () => port);
});
afterAll(async () => {
  await bouncer?.stop();
  await postgres?.stop();
});

async function query(url: string, text: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows;
}

async function targetEnv(): Promise<Record<string, string>> {
  const { location } = await newBucket();
  const { accessKeyId, secretAccessKey } = inject('s3');
  return {
    LATCHKEY_DATABASE_URL: bouncer.url,
    LATCHKEY_BLOB_URL: `s3://${location.bucket}/${location.prefix}?endpoint=${location.endpoint}`,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/** Runs a command as a process, because the client of S3 reads the environment of its process. */
async function run(words: string[], dataDir: string, env: Record<string, string>) {
  const program = await spawnProgram(env, dataDir, words);
  expect(await program.ended, program.stderr()).toBe(0);
  return program;
}

/** The documents and the usage of the workspace. A transaction changes both together. */
async function countsIn(dataDir: string) {
  return withDatabase(urlIn(dataDir), async (db) => {
    const documents = await db
      .selectFrom('documents')
      .select('size_bytes')
      .where('remove_time', 'is', null)
      .execute();
    const usage = await db.selectFrom('workspace_usage').select(['documents', 'bytes']).execute();
    const bytes = documents.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    return { found: { documents: documents.length, bytes }, counted: usage };
  });
}

/** Uploads and deletes until it is stopped. */
function startLoad(program: RunningProgram) {
  let isDone = false;
  let rounds = 0;
  async function load(): Promise<void> {
    for (; !isDone; rounds++) {
      await upload(program, 50_000);
      const { id } = await upload(program, 1_000);
      await remove(program, id);
    }
  }
  const loads = [load(), load()];
  return {
    rounds: () => rounds,
    async stop(): Promise<void> {
      isDone = true;
      await Promise.all(loads);
    },
  };
}

test('an installation moves to PgBouncer and S3, and back while it runs', async () => {
  const place = await backupPlace();
  const [sourceDir, targetDir, backDir] = [await newFolder(), await newFolder(), await newFolder()];
  // Both installations have the same address, because it is the issuer of the tokens.
  const address = { LATCHKEY_HTTP_ADDRESS: `127.0.0.1:${await freePort()}` };
  const before = await startProgram({ LATCHKEY_BOOTSTRAP: 'demo', ...address }, sourceDir);
  onTestFinished(() => before.kill());
  const token = await issueToken(before);
  const documents: Uploaded[] = [await upload(before, 12_000_000)];
  for (let i = 0; i < 30; i++) documents.push(await upload(before, 100_000 + i));
  await before.kill();
  const env = await targetEnv();
  const [first, second] = ['first.age', 'second.age'].map((name) => path.join(place.folder, name));

  await run(['backup', `${first}`], sourceDir, place.env);
  await run(['restore', `${first}`], targetDir, { ...env, ...place.env });

  await copyFile(path.join(sourceDir, 'bootstrap.env'), path.join(targetDir, 'bootstrap.env'));
  const after = await startProgram({ ...env, ...address }, targetDir);
  onTestFinished(() => after.kill());
  expect(await call(after, '/tokens/verify', { token }, token)).toMatchObject({ active: true });
  for (const { id, digest } of documents) expect(await digestOf(after, id)).toBe(digest);

  const load = startLoad(after);
  await expect.poll(load.rounds).toBeGreaterThan(2);
  const roundsBefore = load.rounds();
  await run(['backup', '--blobs=content', `${second}`], targetDir, { ...env, ...place.env });
  expect(load.rounds()).toBeGreaterThan(roundsBefore);
  await load.stop();
  await run(['restore', `${second}`], backDir, place.env);

  const { found, counted } = await countsIn(backDir);
  expect(counted).toEqual([found]);
  expect(found.documents).toBeGreaterThan(documents.length);
  await run(['doctor', '--blobs'], backDir, {});
  // The backup has left no settings in the connections of PgBouncer.
  const settings = `select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('transaction_isolation') as isolation`;
  const rows = await Promise.all([1, 2, 3, 4].map(() => query(bouncer.url, settings)));
  const unchanged = { statement: '0', idle: '0', isolation: 'read committed' };
  expect(rows.flat()).toEqual(rows.map(() => unchanged));
});

test('backups are stored in a bucket, of which the newest stay', async () => {
  const place = await backupPlace();
  const [dataDir, restoredDir] = [await newFolder(), await newFolder()];
  const program = await startProgram({ LATCHKEY_BOOTSTRAP: 'demo' }, dataDir);
  onTestFinished(() => program.kill());
  await upload(program, 40_000_000);
  const bucket = await newBucket();
  const { location } = bucket;
  const { accessKeyId, secretAccessKey } = inject('s3');
  const env = {
    ...place.env,
    LATCHKEY_BACKUP_TARGET: `s3://${location.bucket}/backups?endpoint=${location.endpoint}`,
    LATCHKEY_BACKUP_KEEP: '1',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };

  await run(['backup'], dataDir, env);
  const again = await run(['backup', '--json'], dataDir, env);

  expect(again.stderr()).toContain('A trial restore succeeded.');
  const { name, removed } = JSON.parse(again.stdout());
  expect(removed).toHaveLength(1);
  expect(await bucket.keys()).toEqual([`backups/${name}`]);
  expect(await bucket.uploads()).toEqual([]);
  const target = await openTarget({ ...location, prefix: 'backups/' });
  onTestFinished(() => target.close());
  const file = path.join(place.folder, name);
  await writeFile(file, target.read(name));
  await run(['restore', file], restoredDir, place.env);
  await run(['doctor', '--blobs'], restoredDir, {});
  await run(['doctor'], dataDir, env);
});
