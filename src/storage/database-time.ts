// The clock of the database. Processes on different machines compare times with it.
import { type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Executor } from './schema.ts';

/**
 * Returns the current time of the database in milliseconds since 1970, plus `addedMs`. SQLite has
 * the clock of the machine.
 */
export function databaseTime(db: Executor, addedMs = 0): RawBuilder<number> {
  const { adapter } = db.getExecutor();
  if (adapter instanceof SqliteAdapter) return sql<number>`${Date.now() + addedMs}`;
  const now = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return sql<number>`(${now} + ${sql.lit(addedMs)})`;
}
