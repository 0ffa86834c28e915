// Learns of the changes of all processes by reading the table `changes` four times a second, which
// also works through connection poolers.

import type { Changes } from '../schema/change.ts';
import type { Database } from '../schema/schema.ts';
import { changeTableOf } from './open-change-table.ts';

const pauseMs = 250;

export type Delivery = {
  readonly changes: Changes;
  /** A time before the read began, by the clock of `performance.now()` in this process. */
  readonly readTime: number;
};

export type Deliver = (delivery: Delivery) => void;

/** Delivers the changes that any process makes, with those of this process. */
export type ChangeSource = {
  /**
   * Resolves when every change that commits later will be delivered. `deliver` is also called if
   * there are no changes, as proof that the database can be read. If it throws, the same changes
   * are delivered again.
   */
  start(deliver: Deliver): Promise<void>;
  /**
   * Delivers the changes. May wait for a read that began before the call. Rejects if the changes
   * cannot be read, or if `deliver` throws.
   */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

export function pollChanges(
  db: Database,
  monotonicNow: () => number = () => performance.now(),
): ChangeSource {
  const table = changeTableOf(db);
  let deliver: Deliver = () => {};
  let position: unknown;
  let polling: Promise<void> | undefined;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function poll(): Promise<void> {
    const readTime = monotonicNow();
    const read = await table.readSince(db, position);
    deliver({ changes: read.changes, readTime });
    position = read.position;
  }
  function refresh(): Promise<void> {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
    return polling;
  }
  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      refresh().then(schedule, schedule);
    }, pauseMs);
    timer.unref();
  }

  return {
    async start(listener) {
      deliver = listener;
      await refresh();
      schedule();
    },
    refresh,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await polling?.catch(() => {});
    },
  };
}
