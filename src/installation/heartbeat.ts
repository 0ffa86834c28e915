// Each process that serves calls records itself, so that staff see which nodes run which version.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { readVersion } from '../base/files/package.ts';
import { within } from '../base/limits/within.ts';
import { transact } from '../storage/database.ts';
import type { Database } from '../storage/schema/schema.ts';
import { type PeriodicTask, startPeriodicTask } from '../storage/upkeep/periodic-task.ts';
import { deleteEndedProcesses, deleteProcess, recordProcess } from './store.ts';

const everyMs = 30_000;
/** A process that has not recorded itself for this time counts as ended. */
export const seenMs = 3 * everyMs;
/** Longer than `seenMs`, so that a clock that is set does not delete rows of running processes. */
const keptMs = 10 * seenMs;
/** A stop does not wait longer for the database. */
const stopMs = 1_000;

export type HeartbeatOptions = {
  readonly db: Database;
  readonly now: Clock;
  /** Called with the first of several errors in a row. */
  readonly onError: (error: unknown) => void;
};

export function startHeartbeat({ db, now, onError }: HeartbeatOptions): PeriodicTask {
  const row = { id: randomUUID(), host: hostname(), version: readVersion(), start_time: now() };
  const task = startPeriodicTask({
    pauseMs: everyMs,
    async round() {
      await transact(db, async (trx) => {
        await deleteEndedProcesses(trx, keptMs);
        await recordProcess(trx, row);
      });
    },
    ...{ onError, reportsFirst: true },
  });
  return {
    async stop() {
      await task.stop();
      const deleted = transact(db, (trx) => deleteProcess(trx, row.id));
      await within(stopMs, deleted).catch(() => {});
    },
  };
}
