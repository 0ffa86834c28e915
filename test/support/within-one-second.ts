import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

const intervalMs = 20;

/**
 * Reads until the value is the expected one, for a second. The pauses count, not the reads: where
 * the machine is slow, each read takes longer, and so does what the other process has to do.
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
