// Waits for PostgreSQL's row locks, so that a test decides the order of concurrent transactions.
import { type Kysely, sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import { openDatabase, transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';

/**
 * Does `work` in a transaction, starts the call, and commits once the call waits for a lock or has
 * ended, and `meanwhile` has ended. Returns the result of the call.
 */
export async function callDuring<T>(
  databaseUrl: string,
  call: () => Promise<T>,
  work: (trx: Executor) => Promise<unknown>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<T> {
  const db = await openDatabase(databaseUrl);
  onTestFinished(() => db.destroy());
  const { result } = await transact(db, async (trx) => {
    await work(trx);
    const result = call();
    await waitsForLock(db, result);
    await meanwhile();
    return { result };
  });
  return result;
}

/** Resolves when a transaction in the database waits for a lock, or when `call` has ended. */
async function waitsForLock(db: Database, call: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  call.then(end, end);
  await expect
    .poll(async () => hasEnded || (await countWaiting(db)) > 0, { interval: 10, timeout: 10_000 })
    .toBe(true);
}

/** Returns the number of connections to the database that wait for a lock. */
export async function countWaiting<T>(db: Kysely<T>): Promise<number> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db);
  return rows.length;
}
