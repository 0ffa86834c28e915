import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Executor } from './schema.ts';

/** Whether the database of a query is PostgreSQL. It is SQLite otherwise. */
export const isPostgres = (db: Pick<Kysely<unknown>, 'getExecutor'>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Returns the current time of the database in milliseconds since 1970, plus `addedMs`. Processes on
 * different machines compare times with it. SQLite has the clock of the machine.
 */
export function databaseTime(
  db: Executor,
  addedMs: number | RawBuilder<number> = 0,
): RawBuilder<number> {
  const added = typeof addedMs === 'number' ? sql.lit(addedMs) : addedMs;
  const now = isPostgres(db)
    ? sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql`cast(round(unixepoch('subsec') * 1000) as integer)`;
  return sql<number>`(${now} + ${added})`;
}
