// Deletes audit events that are older than the retention period. Every process deletes them in
// small batches, so that no caller waits. If the clock jumps ahead, nothing is deleted at first:
// see docs/decisions/0027.
import type { Clock } from '../clock.ts';
import { transact } from '../storage/database.ts';
import type { Database } from '../storage/schema.ts';
import { deleteEvents, findNewestTime, readRetentionTime, writeRetentionTime } from './store.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const batchMax = 500;
const pauseMs = 20;
/** How much faster than real time the believed time may follow the clock. */
const catchUpFactor = 24;
/** A larger difference between the clock and the believed time is logged. */
const warnMs = 2 * dayMs;

export type Retention = {
  /** Waits for the current batch and starts no other one. */
  stop(): Promise<void>;
};

export type RetentionOptions = {
  readonly db: Database;
  readonly days: number;
  readonly now: Clock;
  /** Counts milliseconds and never jumps. */
  readonly monotonicNow?: () => number;
  /** Logs a warning for the operator. */
  readonly warn: (facts: object, message: string) => void;
  /** The pause between the end of a search for old events and the next search. */
  readonly everyMs?: number;
};

/** Deletes old events at once, and then every hour. */
export function startRetention(options: RetentionOptions): Retention {
  const { db, days, now, warn, everyMs = hourMs } = options;
  const { monotonicNow = () => performance.now() } = options;
  let lastRun = monotonicNow();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      timer = setTimeout(resolve, ms).unref();
    });
  }

  /** Moves the believed time, which is stored in the database, towards the clock and returns it. */
  async function believedTime(): Promise<number> {
    const runTime = monotonicNow();
    const clock = now();
    const time = await transact(db, async (trx) => {
      const before = (await readRetentionTime(trx)) ?? (await findNewestTime(trx)) ?? clock;
      const next = Math.min(clock, Math.ceil(before + (runTime - lastRun) * catchUpFactor));
      await writeRetentionTime(trx, next);
      return next;
    });
    lastRun = runTime;
    if (clock - time > warnMs) {
      const facts = { clock: textOf(clock), believed: textOf(time) };
      warn(facts, 'the clock is far ahead of its last known time; old audit events are kept');
    }
    return time;
  }

  async function deleteOld(): Promise<void> {
    const before = (await believedTime()) - days * dayMs;
    while (!stopped) {
      const deleted = await transact(db, (trx) => deleteEvents(trx, before, batchMax));
      if (deleted < batchMax) return;
      await wait(pauseMs);
    }
  }

  let deleting: Promise<void>;
  function run(): void {
    deleting = deleteOld()
      .catch((err: unknown) => warn({ err }, 'cannot delete old audit events'))
      .then(() => {
        if (!stopped) timer = setTimeout(run, everyMs).unref();
      });
  }
  run();

  return {
    async stop() {
      stopped = true;
      await deleting;
      clearTimeout(timer);
    },
  };
}

const textOf = (time: number) => new Date(time).toISOString();
