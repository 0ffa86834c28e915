import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { pingDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';

const intervalMs = 20;

/**
 * Reads until the value is the expected one, for at most a second in which the database answers.
 * Only the pauses count, because on a slow machine the database, the reads and the other process
 * take longer.
 */
export async function expectWithinOneSecond(
  db: Database,
  read: () => unknown,
  expected: unknown,
): Promise<void> {
  for (let pauses = 0; pauses < 1_000 / intervalMs; pauses++) {
    try {
      expect(await read()).toEqual(expected);
      return;
    } catch {
      await pingDatabase(db);
      await sleep(intervalMs);
    }
  }
  expect(await read()).toEqual(expected);
}
