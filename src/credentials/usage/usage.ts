// Records when credentials were last used, and counts how token requests and verifications ended.
// Both are collected in memory and written periodically, so that no request waits for a write.
import type { Clock } from '../../base/clock.ts';
import type { ErrorCode } from '../../base/errors/errors.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor, UsageCountRow } from '../../storage/schema.ts';
import { type CredentialUse, updateLastUsedTimes } from '../store.ts';
import { addUsageCounts, findSubjects } from './store.ts';

const flushMs = 10_000;

/** The size of the directory's cache. Beyond it, a use is not recorded. */
const notedMax = 50_000;

/** The maximum number of different counts between two writes. More are dropped. */
const countsMax = 200_000;

/** Unauthenticated callers choose the ids of these counts. */
const claimedMax = 1_000;

const batchMax = 1_000;

const dayMs = 86_400_000;

export type Outcome = 'issued' | 'verified' | ErrorCode;

export type CredentialUsage = {
  /** Records that a credential was used now. */
  record(id: string): void;
  /** Counts a request for each of the ids. */
  count(outcome: Outcome, ids: readonly string[]): void;
  /** Counts a refused request for the client or credential that it names without proof. */
  countClaimed(outcome: ErrorCode, id: string): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

export type CredentialUsageOptions = {
  readonly db: Database;
  readonly now: Clock;
};

export function createCredentialUsage({ db, now }: CredentialUsageOptions): CredentialUsage {
  let noted = new Map<string, number>();
  let counts = new Map<string, UsageCountRow>();
  let claimed = new Map<string, UsageCountRow>();
  let flushing: Promise<void> = Promise.resolve();

  function note({ id, time }: CredentialUse): void {
    if (noted.size < notedMax || noted.has(id)) noted.set(id, time);
  }

  async function write(): Promise<void> {
    const uses = [...noted].map(([id, time]) => ({ id, time, key: id }));
    noted = new Map();
    await writeInBatches(uses, updateLastUsedTimes, note);
    const fromCallers = [...claimed.values()];
    claimed = new Map();
    try {
      for (const row of await assignToSubjects(fromCallers)) add(counts, countsMax, row);
    } catch {
      for (const row of fromCallers) add(claimed, claimedMax, row);
    }
    const rows = [...counts.values()];
    counts = new Map();
    await writeInBatches(rows, addUsageCounts, (row) => add(counts, countsMax, row));
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
  ): Promise<void> {
    items.sort((a, b) => (a.key < b.key ? -1 : 1));
    for (let i = 0; i < items.length; i += batchMax) {
      try {
        await transact(db, (trx) => writeBatch(trx, items.slice(i, i + batchMax)));
      } catch {
        items.slice(i).forEach(keep);
        return;
      }
    }
  }

  /** Drops counts of unknown ids. A secret or an API key also counts for its owner. */
  async function assignToSubjects(rows: readonly UsageCountRow[]): Promise<UsageCountRow[]> {
    if (rows.length === 0) return [];
    const subjects = await findSubjects(db, [...new Set(rows.map((row) => row.subject_id))]);
    return rows.flatMap(({ subject_id, day, outcome, count }) =>
      (subjects.get(subject_id) ?? []).map((id) => usageCount(id, day, outcome, count)),
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
    record: (id) => note({ id, time: now() }),
    count(outcome, ids) {
      for (const id of ids) add(counts, countsMax, usageCount(id, today(), outcome));
    },
    countClaimed: (outcome, id) => add(claimed, claimedMax, usageCount(id, today(), outcome)),
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

function usageCount(subject_id: string, day: number, outcome: string, count = 1): UsageCountRow {
  return { key: `${subject_id} ${day} ${outcome}`, subject_id, day, outcome, count };
}

function add(counts: Map<string, UsageCountRow>, max: number, row: UsageCountRow): void {
  const equal = counts.get(row.key);
  if (equal !== undefined) equal.count += row.count;
  else if (counts.size < max) counts.set(row.key, row);
}
