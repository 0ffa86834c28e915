// When credentials were last used: gathered in memory, and written to their rows now and then, so
// that no request waits for a write.
import type { Clock } from '../clock.ts';
import { transact } from '../storage/database.ts';
import type { Database } from '../storage/schema.ts';
import { markUsed, type Use } from './store.ts';

const flushMs = 10_000;

/** As many as the directory keeps; a use of yet another one is not noted before the next write. */
const notedMax = 50_000;

const batchMax = 1_000;

export type Usage = {
  /** Notes that a credential is being used. */
  note(id: string): void;
  /** Writes what was noted. */
  flush(): Promise<void>;
  /** Writes what was noted, for the last time. */
  stop(): Promise<void>;
};

export type UsageOptions = {
  readonly db: Database;
  readonly now: Clock;
};

export function createUsage({ db, now }: UsageOptions): Usage {
  let noted = new Map<string, number>();
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const uses = noted;
    noted = new Map();
    // Every process takes the rows in the same order, so that they seldom wait for one another.
    const sorted = [...uses]
      .map(([id, time]): Use => ({ id, time }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    for (let i = 0; i < sorted.length; i += batchMax) {
      const batch = sorted.slice(i, i + batchMax);
      try {
        await transact(db, (trx) => markUsed(trx, batch));
      } catch {
        // The database is away, which whoever needs it finds out. They are written the next time.
        for (const { id, time } of sorted.slice(i)) {
          if (!noted.has(id) && noted.size < notedMax) noted.set(id, time);
        }
        return;
      }
    }
  }
  function flush(): Promise<void> {
    flushing = flushing.then(write);
    return flushing;
  }
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();

  return {
    note(id) {
      if (noted.size < notedMax || noted.has(id)) noted.set(id, now());
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
