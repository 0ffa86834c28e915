// The background tasks of the table `changes`.
import { SqliteAdapter } from 'kysely';
import type { Invalidations } from './invalidation.ts';
import type { Leases } from './leases.ts';
import { type PeriodicTask, startPeriodicTask } from './periodic-task.ts';
import { createAnnouncement } from './release-0-1.ts';
import type { Database } from './schema.ts';
import { createChangesTrim } from './trim-changes.ts';

const trimPauseMs = 60_000;
const announcePauseMs = 250;

export type UpkeepOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly leases: Leases;
  /** Called with the first of several errors in a row. */
  readonly onError: (error: unknown) => void;
};

export function startChangesUpkeep(options: UpkeepOptions): PeriodicTask {
  const { db, leases, onError } = options;
  const trim = startPeriodicTask({
    pauseMs: trimPauseMs,
    lease: leases.lease('trimming of changes'),
    ...reportingFirst(onError, createChangesTrim({ db })),
  });
  // Processes of different releases share a PostgreSQL server only, and no SQLite file.
  const isShared = !(db.getExecutor().adapter instanceof SqliteAdapter);
  const tasks = isShared ? [trim, startAnnouncements(options)] : [trim];
  return { stop: async () => void (await Promise.all(tasks.map((task) => task.stop()))) };
}

function startAnnouncements({ db, invalidations, leases, onError }: UpkeepOptions): PeriodicTask {
  return startPeriodicTask({
    pauseMs: announcePauseMs,
    lease: leases.lease('announcements to release 0.1'),
    ...reportingFirst(onError, createAnnouncement(db, invalidations)),
  });
}

function reportingFirst(
  onError: (error: unknown) => void,
  round: (signal: AbortSignal) => Promise<void>,
) {
  let isFailing = false;
  return {
    async round(signal: AbortSignal) {
      await round(signal);
      isFailing = false;
    },
    onError(error: unknown) {
      if (!isFailing) onError(error);
      isFailing = true;
    },
  };
}
