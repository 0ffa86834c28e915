// Waits for PostgreSQL's row locks, so that a test decides the order of concurrent transactions.
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../../src/storage/schema.ts';

/** Resolves when a transaction in the database waits for a lock, or when `call` has ended. */
export async function waitsForLock(db: Database, call: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  call.then(end, end);
  await expect
    .poll(async () => hasEnded || (await countWaiting(db)) > 0, { interval: 10, timeout: 10_000 })
    .toBe(true);
}

async function countWaiting(db: Database): Promise<number> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db);
  return rows.length;
}
