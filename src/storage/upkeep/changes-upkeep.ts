// The background tasks of the table `changes`.

import { within } from '../../base/limits/within.ts';
import type { Invalidations } from '../cache/invalidation.ts';
import type { Database } from '../schema/schema.ts';
import type { Leases } from './leases.ts';
import { type PeriodicTask, startPeriodicTask } from './periodic-task.ts';
import { createAnnouncement } from './release-0-1.ts';
import { createChangesTrim } from './trim-changes.ts';

const trimPauseMs = 60_000;
const announcePauseMs = 250;
/** How long a stop waits for the last announcement. */
const lastAnnouncementMs = 1_000;

export type UpkeepOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly leases: Leases;
  /** Whether this process announces changes to release 0.1. One process per node does. */
  readonly announces: boolean;
  /** Called with the first of several errors in a row. */
  readonly onError: (error: unknown) => void;
};

export function startChangesUpkeep(options: UpkeepOptions): PeriodicTask {
  const { db, leases, onError } = options;
  const trim = startPeriodicTask({
    pauseMs: trimPauseMs,
    lease: leases.lease('trimming of changes'),
    round: createChangesTrim({ db }),
    ...{ onError, reportsFirst: true },
  });
  const tasks = options.announces ? [trim, startAnnouncements(options)] : [trim];
  return { stop: async () => void (await Promise.all(tasks.map((task) => task.stop()))) };
}

/** Uses no lease, so that changes are still announced in time after a process was killed. */
function startAnnouncements({ db, invalidations, onError }: UpkeepOptions): PeriodicTask {
  const { announce, announceAll } = createAnnouncement(db, invalidations);
  const task = startPeriodicTask({
    ...{ pauseMs: announcePauseMs, round: announce, onError, reportsFirst: true },
  });
  return {
    async stop() {
      await task.stop();
      await within(lastAnnouncementMs, announceAll()).catch(onError);
    },
  };
}
