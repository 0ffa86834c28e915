// A process whose only job runs under a lease: `lease-job.ts <database URL> [<duration in ms>]`.
// Prints `round` when a round begins, and `end` when its signal is aborted. A round has no other
// end.
import { openDatabase } from '../../src/storage/database.ts';
import { startLeases } from '../../src/storage/upkeep/leases.ts';
import { startPeriodicTask } from '../../src/storage/upkeep/periodic-task.ts';

const [url = '', duration] = process.argv.slice(2);
const db = await openDatabase(url);
const onError = (error: unknown) => console.log(`error ${error}`);
const short = { durationMs: Number(duration), everyMs: Number(duration) / 4 };
const leases = startLeases({ db, onError, ...(duration === undefined ? {} : short) });
const task = startPeriodicTask({
  pauseMs: 100,
  round: (signal) =>
    new Promise((resolve) => {
      console.log('round');
      signal.addEventListener('abort', () => {
        console.log('end');
        resolve();
      });
    }),
  onError,
  lease: leases.lease('job'),
});
console.log('ready');
const timer = setInterval(() => {}, 1_000);
process.once('SIGTERM', async () => {
  clearInterval(timer);
  await task.stop();
  await leases.stop();
  await db.destroy();
});
