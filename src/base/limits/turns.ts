// Runs long work, such as exports and searches, in slices. With SQLite and a fast reader, an export
// never waits for input or output, and would block all other calls.
import { setImmediate } from 'node:timers';

const waiting: (() => void)[] = [];

/**
 * Waits before the next slice, so that other calls run. Each turn of the event loop runs one slice,
 * whatever the number of exports and searches.
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

export type SlicedWork = {
  run<T>(slice: () => Promise<T>): Promise<T>;
  /** Whether the work, or the time since its start, has reached its limit. */
  isOver(): boolean;
};

/** Limits work that takes turns: the time of its slices, and the time with those of others. */
export function startSlicedWork(workMsMax: number, totalMsMax: number): SlicedWork {
  const start = performance.now();
  let workMs = 0;
  return {
    async run(slice) {
      const sliceStart = performance.now();
      const result = await slice();
      workMs += performance.now() - sliceStart;
      return result;
    },
    isOver: () => workMs >= workMsMax || performance.now() - start >= totalMsMax,
  };
}
