// Records when credentials were last used, and counts how token requests and verifications ended.
// Both are collected in memory and written periodically, so that no request waits for a write.
import { type Clock, dayMs } from '../../base/clock.ts';
import type { ErrorCode } from '../../base/errors/errors.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor, UsageCountRow } from '../../storage/schema/schema.ts';
import { addUsageCounts, type CredentialUse, findSubjects, updateLastUsedTimes } from './store.ts';

const flushMs = 10_000;

/** The size of the directory's cache. Beyond it, a use is not recorded. */
const usesMax = 50_000;

/** The maximum number of different counts between two writes. More are dropped. */
const countsMax = 200_000;

/** Unauthenticated callers choose the ids of these counts. */
const claimedMax = 1_000;

const batchMax = 1_000;

export type Outcome = 'issued' | 'verified' | ErrorCode;

export type CredentialUsage = {
  record(id: string): void;
  count(outcome: Outcome, ids: readonly string[]): void;
  /** Counts a refused request for the client or credential that it names without proof. */
  countClaimed(outcome: ErrorCode, id: string): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

export type CredentialUsageOptions = {
  readonly db: Database;
  /** Called with each count that was written. */
  readonly observe?: ((count: Count) => void) | undefined;
  readonly now: Clock;
};

export function createCredentialUsage(options: CredentialUsageOptions): CredentialUsage {
  const { db, observe, now } = options;
  let uses = new Map<string, number>();
  let counts = new Map<string, UsageCountRow>();
  let claimed = new Map<string, UsageCountRow>();
  let flushing: Promise<void> = Promise.resolve();

  /** Keeps the newest time. A failed write returns times that may be older. */
  function keepUse({ id, time }: CredentialUse): void {
    const kept = uses.get(id);
    if (kept === undefined ? uses.size < usesMax : kept < time) uses.set(id, time);
  }

  async function write(): Promise<void> {
    const used = [...uses].map(([id, time]) => ({ id, time, key: id }));
    uses = new Map();
    await writeInBatches(used, updateLastUsedTimes, keepUse);
    const fromCallers = [...claimed.values()];
    claimed = new Map();
    try {
      for (const row of await assignToSubjects(fromCallers)) addCount(counts, countsMax, row);
    } catch {
      for (const row of fromCallers) addCount(claimed, claimedMax, row);
    }
    const rows = [...counts.values()];
    counts = new Map();
    const keep = (row: UsageCountRow) => addCount(counts, countsMax, row);
    await writeInBatches(rows, addUsageCounts, keep, observe);
  }

  /**
   * Every process writes the rows in the order of their keys, so that processes seldom wait for
   * each other. If the database is unreachable, `keep` gets the unwritten items for the next flush.
   * Requests that need the database report the error.
   */
  async function writeInBatches<T extends { readonly key: string }>(
    items: T[],
    writeBatch: (trx: Executor, batch: readonly T[]) => Promise<void>,
    keep: (item: T) => void,
    written?: (item: T) => void,
  ): Promise<void> {
    items.sort((a, b) => (a.key < b.key ? -1 : 1));
    for (let i = 0; i < items.length; i += batchMax) {
      const batch = items.slice(i, i + batchMax);
      try {
        await transact(db, (trx) => writeBatch(trx, batch));
      } catch {
        items.slice(i).forEach(keep);
        return;
      }
      if (written !== undefined) batch.forEach(written);
    }
  }

  /** Drops counts of unknown ids. A credential also counts for its owner. */
  async function assignToSubjects(rows: readonly UsageCountRow[]): Promise<Count[]> {
    if (rows.length === 0) return [];
    const subjects = await findSubjects(db, [...new Set(rows.map((row) => row.subject_id))]);
    return rows.flatMap((row) =>
      (subjects.get(row.subject_id) ?? []).map((id) => ({ ...row, subject_id: id })),
    );
  }

  function flush(): Promise<void> {
    flushing = flushing.then(write);
    return flushing;
  }
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();

  const today = () => Math.floor(now() / dayMs);
  return {
    record: (id) => keepUse({ id, time: now() }),
    count(outcome, ids) {
      const day = today();
      for (const subject_id of ids) {
        addCount(counts, countsMax, { subject_id, day, outcome, count: 1 });
      }
    },
    countClaimed(outcome, subject_id) {
      addCount(claimed, claimedMax, { subject_id, day: today(), outcome, count: 1 });
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

type Count = Omit<UsageCountRow, 'key'>;

function addCount(counts: Map<string, UsageCountRow>, max: number, count: Count): void {
  const key = `${count.subject_id} ${count.day} ${count.outcome}`;
  const equal = counts.get(key);
  if (equal !== undefined) equal.count += count.count;
  else if (counts.size < max) counts.set(key, { ...count, key });
}
