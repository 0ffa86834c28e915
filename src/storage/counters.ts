// Counters of attempts, which make the next one wait where there were many: nothing is ever locked,
// and what was counted is forgotten with time.
import type { Failure } from '../errors/errors.ts';
import { transact } from './database.ts';
import type { AttemptCounterRow, Database, Executor } from './schema.ts';

export type Lane = {
  /** So many attempts in a row do not wait. */
  readonly free: number;
  /** The wait after the last of those; each further attempt doubles it. */
  readonly firstWaitMs: number;
  readonly waitMsMax: number;
  /** An attempt is forgotten in this time, one after the other. */
  readonly forgetMs: number;
};

/** What is counted: `key` names it, as a digest. */
export type Counter = { readonly lane: Lane; readonly key: string };

/** An attempt as it was counted, for whoever wants to take it back. */
export type Counted = Counter & { readonly next: AttemptCounterRow; readonly addedMs: number };

export type Counters = {
  /**
   * Counts an attempt, before it is checked: of those that come at the same time none slips
   * through. Throws where it comes too early for one of the counters; then it does not count.
   */
  count(counters: readonly Counter[]): Promise<Counted[]>;
  /** The same within a transaction, which the refusal undoes. */
  countIn(trx: Executor, counters: readonly Counter[]): Promise<Counted[]>;
  /** Throws where an attempt would come too early, and counts nothing: it costs a read. */
  check(counters: readonly Counter[]): Promise<void>;
  /** Takes an attempt back, and its wait, unless another one has set a wait since. */
  takeBack(trx: Executor, counted: Counted): Promise<void>;
  /** Forgets all attempts of a counter. */
  clear(trx: Executor, counter: Counter): Promise<void>;
  /** Forgets what no longer counts. */
  sweep(trx: Executor): Promise<void>;
};

export type CountersOptions = {
  readonly db: Database;
  readonly table: 'sign_in_counters' | 'gate_counters';
  /** What an attempt that comes too early is told. */
  readonly refusal: (retryAfterSeconds: number) => Failure;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function createCounters({ db, table, refusal, now }: CountersOptions): Counters {
  function refuseEarly({ next_time }: AttemptCounterRow, time: number): void {
    if (next_time > time) throw refusal(Math.ceil((next_time - time) / 1000));
  }

  async function countIn(trx: Executor, counters: readonly Counter[]): Promise<Counted[]> {
    const all: Counted[] = [];
    for (const counter of inOrder(counters)) {
      const stored = await lock(trx, counter.key);
      // Not before the lock: the last attempt may have been counted while this one waited.
      const time = now();
      const row = bounded(counter.lane, stored, time);
      refuseEarly(row, time);
      const next = afterAttempt(counter.lane, row, time);
      const { key, ...change } = next;
      await trx.updateTable(table).set(change).where('key', '=', key).execute();
      all.push({ ...counter, next, addedMs: next.level_time - Math.max(row.level_time, time) });
    }
    return all;
  }

  /** Reads a counter, made where there is none, and keeps others from it until the commit. */
  function lock(trx: Executor, key: string): Promise<AttemptCounterRow> {
    return trx
      .insertInto(table)
      .values({ key, level_time: 0, next_time: 0 })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet((eb) => ({ key: eb.ref('excluded.key') })),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  async function check(counters: readonly Counter[]): Promise<void> {
    const laneOf = new Map(counters.map(({ key, lane }) => [key, lane]));
    const keys = [...laneOf.keys()];
    const rows = await db.selectFrom(table).selectAll().where('key', 'in', keys).execute();
    const time = now();
    for (const row of rows) {
      const lane = laneOf.get(row.key);
      if (lane !== undefined) refuseEarly(bounded(lane, row, time), time);
    }
  }

  return {
    async count(counters) {
      // A flood costs a read, no write.
      await check(counters);
      return transact(db, (trx) => countIn(trx, counters));
    },

    check,

    countIn,

    async takeBack(trx, { key, next, addedMs }) {
      await trx
        .updateTable(table)
        .set((eb) => ({
          level_time: eb('level_time', '-', addedMs),
          next_time: eb
            .case()
            .when('next_time', '=', next.next_time)
            .then(now())
            .else(eb.ref('next_time'))
            .end(),
        }))
        .where('key', '=', key)
        .execute();
    },

    async clear(trx, { key }) {
      await trx.deleteFrom(table).where('key', '=', key).execute();
    },

    async sweep(trx) {
      await trx.deleteFrom(table).where('level_time', '<=', now()).execute();
    },
  };
}

/** One order for all, so that attempts do not wait for each other crosswise. */
function inOrder(counters: readonly Counter[]): Counter[] {
  return [...counters].sort((a, b) => (a.key < b.key ? -1 : 1));
}

const levelMaxOf = ({ free, firstWaitMs, waitMsMax }: Lane) =>
  free + Math.log2(waitMsMax / firstWaitMs);

/**
 * A row from before the clock was set back could stop attempts for as long as the clock was ahead.
 * Its next attempt is let through, and counts as one after many: then the longest wait follows.
 */
function bounded(lane: Lane, row: AttemptCounterRow, now: number): AttemptCounterRow {
  const isAhead = row.next_time - now > lane.waitMsMax;
  return {
    key: row.key,
    level_time: Math.min(row.level_time, Math.ceil(now + levelMaxOf(lane) * lane.forgetMs)),
    next_time: isAhead ? 0 : row.next_time,
  };
}

function afterAttempt(lane: Lane, row: AttemptCounterRow, now: number): AttemptCounterRow {
  const { free, firstWaitMs, waitMsMax, forgetMs } = lane;
  const levelMax = levelMaxOf(lane);
  const level = Math.min(Math.max(0, (row.level_time - now) / forgetMs) + 1, levelMax);
  const doublings = Math.ceil(level) - free;
  const waitMs = doublings < 0 ? 0 : Math.min(firstWaitMs * 2 ** doublings, waitMsMax);
  return {
    key: row.key,
    level_time: Math.ceil(now + level * forgetMs),
    next_time: now + waitMs,
  };
}
