// Long work in slices, such as an export. With SQLite and a fast reader, nothing makes it wait, so
// it would hold up all other calls.
import { setImmediate } from 'node:timers';

const waiting: (() => void)[] = [];

/**
 * Waits before the next slice, so that other calls run. In each turn of the event loop, one slice
 * of all long work runs.
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
