// Runs inside a measured server, before its own code. SIGUSR2 starts a profile of the main thread,
// the next SIGUSR2 ends it and writes it to the file: of its time, or of its allocations.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

const file = process.env.BENCH_PROFILE_FILE;
const isOfHeap = process.env.BENCH_PROFILE_KIND === 'heap';
const intervalMicros = 200;
/** Objects that are already collected count, too. */
const heapSampling = {
  samplingInterval: 32_768,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};
let session;

async function start() {
  session = new Session();
  session.connect();
  if (isOfHeap) return session.post('HeapProfiler.startSampling', heapSampling);
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: intervalMicros });
  await session.post('Profiler.start');
}

async function end() {
  const name = isOfHeap ? 'HeapProfiler.stopSampling' : 'Profiler.stop';
  const { profile } = await session.post(name);
  session.disconnect();
  session = undefined;
  // The bench waits for the file, so it appears when it is complete.
  writeFileSync(`${file}.part`, JSON.stringify(profile));
  renameSync(`${file}.part`, file);
}

if (isMainThread) {
  process.on('SIGUSR2', () => (session === undefined ? start() : end()));
}
