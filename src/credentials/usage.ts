// Records when credentials were last used. The times are collected in memory and written
// periodically, so that no request waits for a write.
import type { Clock } from '../base/clock.ts';
import { transact } from '../storage/database.ts';
import type { Database } from '../storage/schema.ts';
import { type CredentialUse, updateLastUsedTimes } from './store.ts';

const flushMs = 10_000;

/** The size of the directory's cache. Beyond it, a use is not recorded. */
const notedMax = 50_000;

const batchMax = 1_000;

export type CredentialUsage = {
  record(id: string): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

export type CredentialUsageOptions = {
  readonly db: Database;
  readonly now: Clock;
};

export function createCredentialUsage({ db, now }: CredentialUsageOptions): CredentialUsage {
  let noted = new Map<string, number>();
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const uses = noted;
    noted = new Map();
    // Every process updates the rows in the same order, so that they seldom wait for each other.
    const sorted = [...uses]
      .map(([id, time]): CredentialUse => ({ id, time }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    for (let i = 0; i < sorted.length; i += batchMax) {
      const batch = sorted.slice(i, i + batchMax);
      try {
        await transact(db, (trx) => updateLastUsedTimes(trx, batch));
      } catch {
        // If the database is unreachable, the next flush tries again. Requests that need the
        // database report the error.
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
    record(id) {
      if (noted.size < notedMax || noted.has(id)) noted.set(id, now());
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
