import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

const intervalMs = 20;

/**
 * Reads until the value is the expected one, for at most a second. Only the pauses count, because
 * on a slow machine both the reads and the other process take longer.
 */
export async function expectWithinOneSecond(read: () => unknown, expected: unknown): Promise<void> {
  for (let pauses = 0; pauses < 1_000 / intervalMs; pauses++) {
    try {
      expect(await read()).toEqual(expected);
      return;
    } catch {
      await sleep(intervalMs);
    }
  }
  expect(await read()).toEqual(expected);
}
