// Ends a program that reads untrusted files once it uses too much memory. A second thread does it,
// because such a file can block the first one.
import process from 'node:process';
import { Worker, workerData } from 'node:worker_threads';

const watchedEveryMs = 10;
/** States of the main thread. The second thread waits while it is idle. */
const idle = 0;
const busy = 1;

type Watched = {
  readonly state: Int32Array;
  readonly memoryBytesMax: number;
  readonly parent: number;
};

/**
 * Starts the second thread with the module of the program, which calls `watchMemory` there. Returns
 * a function that the main thread calls when it begins to work, and when it is idle again.
 */
export function startMemoryWatch(program: string, memoryBytesMax: number) {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const watched: Watched = { state, memoryBytesMax, parent: process.ppid };
  new Worker(new URL(program), { workerData: watched }).unref();
  return (isBusy: boolean): void => {
    Atomics.store(state, 0, isBusy ? busy : idle);
    Atomics.notify(state, 0);
  };
}

/** Ends the process if it uses too much memory or its parent has ended. */
export function watchMemory(): never {
  const { state, memoryBytesMax, parent }: Watched = workerData;
  for (;;) {
    Atomics.wait(state, 0, idle);
    const isTooLarge = process.memoryUsage.rss() > memoryBytesMax;
    if (isTooLarge || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    Atomics.wait(state, 0, busy, watchedEveryMs);
  }
}
