// Old rows are deleted in slices, between which requests are answered.
import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { newId } from '../../src/base/crypto/ids.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { deleteOldest, oldRows } from '../../src/storage/upkeep/delete-oldest.ts';
import { createRetention } from '../../src/storage/upkeep/retention.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

const signal = new AbortController().signal;
const counters = { table: 'throttle_counters', key: 'key', time: 'level_time' } as const;

describeDialects('old rows', (dialect) => {
  const open = async () => openUntilFinished(await migratedDatabaseUrl(dialect));

  async function add(db: Database, times: readonly number[]): Promise<void> {
    const rows = times.map((level_time) => ({
      key: newId('key', randomBytes),
      level_time,
      next_time: 0,
    }));
    await db.insertInto('throttle_counters').values(rows).execute();
  }

  async function timesOf(db: Database): Promise<number[]> {
    const query = db.selectFrom('throttle_counters').select('level_time').orderBy('level_time');
    return (await query.execute()).map(({ level_time }) => level_time);
  }

  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

  /** A rule for times below `before` whose slices are recorded. */
  function recordedRule(before: number, onSlice: (limit: number) => Promise<void> | void) {
    return {
      rows: 'numbers',
      begin: () => async (trx: Database, limit: number) => {
        await onSlice(limit);
        return deleteOldest(trx, counters, { before }, limit);
      },
    };
  }

  it('are deleted oldest first, in slices of at most 500', async () => {
    const db = await open();
    for (let i = 0; i < 5; i++) await add(db, numbers(1_000));
    const limits: number[] = [];
    // The clock stands still, so the slices grow.
    const rules = [recordedRule(990, (limit) => void limits.push(limit))];
    await createRetention({ db, rules, warn: () => {}, monotonicNow: () => 0 })(signal);

    expect(await timesOf(db)).toEqual(numbers(50).map((i) => 990 + Math.floor(i / 5)));
    expect(limits[0]).toBe(100);
    expect(Math.max(...limits)).toBe(500);
  });

  it('are deleted in smaller slices if the database is slow', async () => {
    const db = await open();
    await add(db, numbers(200));
    let time = 0;
    const limits: number[] = [];
    const rule = recordedRule(200, (limit) => {
      limits.push(limit);
      // One millisecond for each row: no slice is longer than necessary.
      time += limit;
    });
    await createRetention({ db, rules: [rule], warn: () => {}, monotonicNow: () => time })(signal);

    expect(await timesOf(db)).toEqual([]);
    expect(new Set(limits)).toEqual(new Set([100]));
  });

  it('do not delay a request: it is answered before the next slice', async () => {
    const db = await open();
    await add(db, numbers(200));
    let answered: Promise<unknown> | undefined;
    const left: number[] = [];
    const rule = recordedRule(200, async () => {
      if (answered !== undefined) {
        await answered;
        return;
      }
      // The request waits for the connection until the slice ends.
      answered = timesOf(db).then((times) => left.push(times.length));
    });
    await createRetention({ db, rules: [rule], warn: () => {} })(signal);

    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThan(0);
    expect(await timesOf(db)).toEqual([]);
  });

  it('are kept by the slices after a stop', async () => {
    const db = await open();
    await add(db, numbers(200));
    const controller = new AbortController();
    const rule = recordedRule(200, () => controller.abort());
    const warn = vi.fn();
    await createRetention({ db, rules: [rule], warn })(controller.signal);

    expect(await timesOf(db)).toHaveLength(100);
    expect(warn).not.toHaveBeenCalled();
  });

  it('are deleted by the other rules if one fails', async () => {
    const db = await open();
    await add(db, [1, 2, 3]);
    const err = new Error('broken');
    const broken = { rows: 'nothing', begin: () => Promise.reject(err) };
    const ranges = () => [{ before: 2 }, { from: 3 }];
    const rules = [broken, oldRows('throttle_counters', 'key', 'level_time', ranges)];
    const warn = vi.fn();
    await createRetention({ db, rules, warn })(signal);

    expect(await timesOf(db)).toEqual([2]);
    expect(warn.mock.calls).toEqual([[{ err, rows: 'nothing' }, 'cannot delete old rows']]);
  });
});
