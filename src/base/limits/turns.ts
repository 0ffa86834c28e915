// Runs long work, such as exports, in slices. With SQLite and a fast reader, an export never waits
// for input or output, and would block all other calls.
import { setImmediate } from 'node:timers';

const waiting: (() => void)[] = [];

/**
 * Waits before the next slice, so that other calls run. Each turn of the event loop runs one slice,
 * whatever the number of exports.
 */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(runNext);
  });
}

function runNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(runNext);
}
