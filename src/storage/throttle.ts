// Slows down guessing: after many attempts, the next one has to wait. Nothing is ever locked, and
// attempts are forgotten over time. Both modules use it, and its counters are rows, so it is part
// of the storage.

import { createHmac } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { DerivedKeys } from '../base/crypto/master-key.ts';
import type { Failure } from '../base/errors/errors.ts';
import { transact } from './database.ts';
import type { Database, Executor, ThrottleCounterRow } from './schema/schema.ts';

export type ThrottleLimit = {
  /** The number of attempts in a row that need no wait. */
  readonly free: number;
  /** The wait after the last free attempt. Each further attempt doubles it. */
  readonly firstWaitMs: number;
  readonly waitMsMax: number;
  /** The time after which one attempt is forgotten. */
  readonly forgetMs: number;
};

/** Permits `free` attempts in a row, and then one every `everyMs`. */
export const steadyLimit = (free: number, everyMs: number): ThrottleLimit => ({
  ...{ free, firstWaitMs: everyMs, waitMsMax: everyMs, forgetMs: everyMs },
});

/**
 * Counts the attempts for one value of a limit, such as one network. During a rotation of the
 * master key, it has a row per master key, so that nodes with swapped keys count together.
 */
export type Counter = { readonly limit: ThrottleLimit; readonly keys: readonly string[] };

/** A counted attempt. */
export type ThrottledAttempt = {
  readonly counter: Counter;
  readonly next: ThrottleCounterRow;
  readonly addedMs: number;
};

export type Throttle<Limits extends string> = {
  /**
   * Returns the counter of a limit for the value given by `parts`. Only an HMAC of them is stored.
   */
  counter(limit: Limits, ...parts: string[]): Counter;
  /**
   * Counts an attempt before it is checked, so that concurrent attempts all count. Throws the
   * refusal, and counts nothing, if the attempt comes too early for one of the counters.
   */
  count(counters: readonly Counter[]): Promise<ThrottledAttempt[]>;
  /** Like `count`, but within a transaction, which the refusal rolls back. */
  countIn(trx: Executor, counters: readonly Counter[]): Promise<ThrottledAttempt[]>;
  /** Throws the refusal if an attempt would come too early. Counts nothing and costs one read. */
  check(counters: readonly Counter[]): Promise<void>;
  /**
   * Takes attempts back from their counters, and ends their waits unless later attempts have set
   * others. The counter `cleared` forgets all attempts.
   */
  takeBack(trx: Executor, counted: readonly ThrottledAttempt[], cleared?: Counter): Promise<void>;
  /** Forgets all attempts of a counter. */
  clear(trx: Executor, counter: Counter): Promise<void>;
};

export type ThrottleOptions<Limits extends string> = {
  readonly db: Database;
  /** Used by one throttle only. */
  readonly keys: DerivedKeys;
  readonly limits: Readonly<Record<Limits, ThrottleLimit>>;
  /** Makes the error for an attempt that comes too early. */
  readonly refusal: (retryAfterSeconds: number) => Failure;
  readonly now: Clock;
};

const table = 'throttle_counters';

export function createThrottle<Limits extends string>({
  db,
  keys,
  limits,
  refusal,
  now,
}: ThrottleOptions<Limits>): Throttle<Limits> {
  function refuseEarly({ next_time }: ThrottleCounterRow, time: number): void {
    if (next_time > time) throw refusal(Math.ceil((next_time - time) / 1000));
  }

  async function countIn(trx: Executor, counters: readonly Counter[]): Promise<ThrottledAttempt[]> {
    const all: ThrottledAttempt[] = [];
    for (const { counter, rowKey } of inOrder(counters)) {
      const stored = await lock(trx, rowKey);
      // Reads the clock under the lock: another attempt may have been counted while this one
      // waited.
      const time = now();
      const row = bounded(counter.limit, stored, time);
      refuseEarly(row, time);
      const next = afterAttempt(counter.limit, row, time);
      const { key, ...change } = next;
      await trx.updateTable(table).set(change).where('key', '=', key).execute();
      all.push({ counter, next, addedMs: next.level_time - Math.max(row.level_time, time) });
    }
    return all;
  }

  /** Reads a counter and locks it until the commit. Creates the counter if necessary. */
  function lock(trx: Executor, key: string): Promise<ThrottleCounterRow> {
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
    const limitOf = new Map(rowsOf(counters).map(({ rowKey, counter }) => [rowKey, counter.limit]));
    const rowKeys = [...limitOf.keys()];
    const rows = await db.selectFrom(table).selectAll().where('key', 'in', rowKeys).execute();
    const time = now();
    for (const row of rows) {
      const limit = limitOf.get(row.key);
      if (limit !== undefined) refuseEarly(bounded(limit, row, time), time);
    }
  }

  async function takeBackFrom(trx: Executor, { next, addedMs }: ThrottledAttempt): Promise<void> {
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
      .where('key', '=', next.key)
      .execute();
  }

  async function clear(trx: Executor, { keys: rowKeys }: Counter): Promise<void> {
    await trx.deleteFrom(table).where('key', 'in', rowKeys).execute();
  }

  return {
    counter(limit, ...parts) {
      const text = JSON.stringify([limit, ...parts]);
      const rowKeyOf = (key: Uint8Array) =>
        createHmac('sha256', key).update(text).digest('base64url');
      return { limit: limits[limit], keys: keys.map(rowKeyOf) };
    },

    async count(counters) {
      // A flood of attempts costs reads but no writes.
      await check(counters);
      return transact(db, (trx) => countIn(trx, counters));
    },

    check,

    countIn,

    async takeBack(trx, counted, cleared) {
      // In the order in which the attempts have locked the rows.
      for (const attempt of counted) {
        await (attempt.counter === cleared ? clear(trx, cleared) : takeBackFrom(trx, attempt));
      }
    },

    clear,
  };
}

type CounterRow = { readonly counter: Counter; readonly rowKey: string };

function rowsOf(counters: readonly Counter[]): CounterRow[] {
  return counters.flatMap((counter) => counter.keys.map((rowKey) => ({ counter, rowKey })));
}

/** Sorts the rows, so that concurrent attempts lock them in the same order and cannot deadlock. */
function inOrder(counters: readonly Counter[]): CounterRow[] {
  return rowsOf(counters).sort((a, b) => (a.rowKey < b.rowKey ? -1 : 1));
}

const levelMaxOf = ({ free, firstWaitMs, waitMsMax }: ThrottleLimit) =>
  free + Math.log2(waitMsMax / firstWaitMs);

/**
 * Limits the wait after the clock was set back. A row written before could block attempts for as
 * long as the clock was ahead. Instead, the next attempt is accepted and the longest wait follows
 * it.
 */
function bounded(limit: ThrottleLimit, row: ThrottleCounterRow, now: number): ThrottleCounterRow {
  const isAhead = row.next_time - now > limit.waitMsMax;
  return {
    key: row.key,
    level_time: Math.min(row.level_time, Math.ceil(now + levelMaxOf(limit) * limit.forgetMs)),
    next_time: isAhead ? 0 : row.next_time,
  };
}

function afterAttempt(
  limit: ThrottleLimit,
  row: ThrottleCounterRow,
  now: number,
): ThrottleCounterRow {
  const { free, firstWaitMs, waitMsMax, forgetMs } = limit;
  const levelMax = levelMaxOf(limit);
  const level = Math.min(Math.max(0, (row.level_time - now) / forgetMs) + 1, levelMax);
  const doublings = Math.ceil(level) - free;
  const waitMs = doublings < 0 ? 0 : Math.min(firstWaitMs * 2 ** doublings, waitMsMax);
  return {
    key: row.key,
    level_time: Math.ceil(now + level * forgetMs),
    next_time: now + waitMs,
  };
}
