// Deletes a limited number of rows, oldest first.
import { type SqlBool, sql } from 'kysely';
import { anyTable, skipLocked } from '../queries/row-locks.ts';
import type { Executor, Schema } from '../schema/schema.ts';
import type { DeleteSlice, RetentionRule } from './retention.ts';

type Column<T extends keyof Schema> = keyof Schema[T] & string;

type OldRows<T extends keyof Schema> = {
  readonly table: T;
  readonly key: Column<T>;
  /** A column with an index. */
  readonly time: Column<T>;
};

/** Times from `from` until before `before`. */
type TimeRange = { readonly from?: number; readonly before?: number };

/** Rows that another transaction has locked are kept. Returns the number of deleted rows. */
export async function deleteOldest<T extends keyof Schema>(
  trx: Executor,
  { table, key, time }: OldRows<T>,
  { from, before }: TimeRange,
  limit: number,
): Promise<number> {
  const db = anyTable(trx);
  const column = sql.ref(time);
  const name: string = key;
  let oldest = db.selectFrom<string>(table).select(name).orderBy(column).limit(limit);
  if (from !== undefined) oldest = oldest.where(sql<SqlBool>`${column} >= ${from}`);
  if (before !== undefined) oldest = oldest.where(sql<SqlBool>`${column} < ${before}`);
  // Two statements: with `in`, PostgreSQL may run the query again and exceed the limit.
  const rows = await skipLocked(trx, oldest).execute();
  if (rows.length === 0) return 0;
  const keys = rows.map((row) => row[name]);
  const { numDeletedRows } = await db
    .deleteFrom<string>(table)
    .where(name, 'in', keys)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Returns a rule that deletes rows by their time. `rangesNow` is called once in each round. */
export function oldRows<T extends keyof Schema>(
  table: T,
  key: Column<T>,
  time: Column<T>,
  rangesNow: () => readonly TimeRange[],
): RetentionRule {
  return {
    rows: table,
    begin(): DeleteSlice {
      const ranges = rangesNow();
      return async (trx, limit) => {
        let deleted = 0;
        for (const range of ranges) {
          if (deleted === limit) break;
          deleted += await deleteOldest(trx, { table, key, time }, range, limit - deleted);
        }
        return deleted;
      };
    },
  };
}
