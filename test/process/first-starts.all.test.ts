// First starts on a database and a blob store that several nodes share.
import path from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/schema/schema.ts';
import { newFolder } from '../support/backups.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { countWaiting } from '../support/lock-waits.ts';
import { type Program, spawnProgram } from '../support/program.ts';
import { filesUnder } from '../support/sharing-api.ts';

async function sharedPlace() {
  const databaseUrl = await migratedDatabaseUrl('postgres');
  // The transaction that holds the lock is idle.
  const db = await openUntilFinished(databaseUrl, { databaseQuerySeconds: 120 });
  const blobDir = path.join(await newFolder(), 'blobs');
  const env = {
    LATCHKEY_DATABASE_URL: databaseUrl,
    LATCHKEY_BLOB_URL: `file:${blobDir}`,
    LATCHKEY_MASTER_KEY: 'ab'.repeat(32),
    LATCHKEY_BOOTSTRAP: 'demo',
    // The test may hold its lock for longer than the default.
    LATCHKEY_DATABASE_QUERY_SECONDS: '60',
  };
  return {
    db,
    blobDir,
    async start(): Promise<Program> {
      const program = await spawnProgram(env, await newFolder());
      onTestFinished(program.kill);
      return program;
    },
  };
}

const isStarted = (program: Program) => program.stderr().includes('operations');

/** Runs `work`. Meanwhile, first starts write the content of their sample, but not its row. */
async function withoutCommits(db: Database, work: () => Promise<void>): Promise<void> {
  const locked = await db.startTransaction().execute();
  try {
    await sql`lock table signing_keys in exclusive mode`.execute(locked);
    await work();
  } finally {
    await locked.rollback().execute();
  }
}

const blobsIn = async (blobDir: string) =>
  (await filesUnder(blobDir)).filter((name) => name !== 'marker');

async function expectOneSample(db: Database, blobDir: string): Promise<void> {
  expect(await db.selectFrom('documents').select('name').execute()).toHaveLength(1);
  const states = await db.selectFrom('signing_keys').select('state').execute();
  expect(states.filter(({ state }) => state === 'active')).toHaveLength(1);
  await expect.poll(() => blobsIn(blobDir)).toHaveLength(1);
}

test('two first starts at the same time succeed, and one of them fills the database', async () => {
  const { db, blobDir, start } = await sharedPlace();
  const programs: Program[] = [];

  await withoutCommits(db, async () => {
    for (const waiting of [1, 2]) {
      const program = await start();
      programs.push(program);
      const state = async () => program.stderr() || `${await countWaiting(db)} waiting`;
      await expect.poll(state).toBe(`${waiting} waiting`);
    }
  });

  for (const program of programs) {
    await expect.poll(() => isStarted(program) || program.stderr()).toBe(true);
  }
  await expectOneSample(db, blobDir);
});

test('a first start that was killed is repeated on another machine', async () => {
  const { db, blobDir, start } = await sharedPlace();
  await withoutCommits(db, async () => {
    const killed = await start();
    await expect.poll(() => countWaiting(db)).toBe(1);
    await killed.kill();
  });

  const again = await start();

  await expect.poll(() => isStarted(again) || again.stderr()).toBe(true);
  // The content that the killed start has written expires later.
  expect(await db.selectFrom('pending_blobs').select('blob_id').execute()).toHaveLength(1);
  expect(await blobsIn(blobDir)).toHaveLength(2);
  expect(await db.selectFrom('documents').select('name').execute()).toHaveLength(1);
});
