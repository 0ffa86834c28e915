// Deletes rows that no request needs any more, in slices so small that no request waits for them.
// See docs/decisions/0012.
import { setTimeout as sleep } from 'node:timers/promises';
import { transact } from '../database.ts';
import type { Database, Executor } from '../schema/schema.ts';

/** Deletes about `limit` rows at most, and returns their number. Fewer: nothing is left. */
export type DeleteSlice = (trx: Executor, limit: number) => Promise<number>;

export type RetentionRule = {
  readonly rows: string;
  readonly begin: () => Promise<DeleteSlice> | DeleteSlice;
};

export type RetentionOptions = {
  readonly db: Database;
  readonly rules: readonly RetentionRule[];
  readonly warn: (facts: object, message: string) => void;
  /** Counts milliseconds and never jumps. */
  readonly monotonicNow?: () => number;
};

const rowsMin = 100;
const rowsMax = 500;
/** A slice on SQLite blocks the event loop for about this time. */
const sliceMs = 4;
const pauseMsMin = 20;
/** The shortest pause after a slice, as a multiple of the duration of the slice. */
const pauseFactor = 4;

/** A failing rule is logged and does not affect the others. After an abort, no slice starts. */
export function createRetention(options: RetentionOptions) {
  const { db, rules, warn, monotonicNow = () => performance.now() } = options;

  async function apply(rule: RetentionRule, signal: AbortSignal): Promise<void> {
    const deleteSlice = await rule.begin();
    let limit = rowsMin;
    while (!signal.aborted) {
      const start = monotonicNow();
      const deleted = await transact(db, (trx) => deleteSlice(trx, limit));
      const ms = monotonicNow() - start;
      if (deleted < limit) return;
      limit = nextLimit(limit, ms);
      await sleep(Math.max(pauseMsMin, ms * pauseFactor), undefined, { signal, ref: false });
    }
  }

  return async (signal: AbortSignal): Promise<void> => {
    for (const rule of rules) {
      await apply(rule, signal).catch((err: unknown) => {
        if (!signal.aborted) warn({ err, rows: rule.rows }, 'cannot delete old rows');
      });
    }
  };
}

/** Grows slowly and shrinks at once, because a long slice delays requests. */
function nextLimit(limit: number, ms: number): number {
  const fitting = ms > sliceMs ? Math.floor((limit * sliceMs) / ms) : Math.ceil(limit * 1.25);
  return Math.min(Math.max(fitting, rowsMin), rowsMax);
}
