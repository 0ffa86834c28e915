import { type SqlBool, sql } from 'kysely';
import { newestFirst } from '../../storage/newest-first.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import type { AuditEventRow, Executor } from '../../storage/schema.ts';

export async function insertEvents(db: Executor, rows: readonly AuditEventRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('audit_events').values(rows).execute();
}

/** Writes those of the events that are not there yet, so that it may be tried again. */
export async function insertMissing(db: Executor, rows: readonly AuditEventRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('audit_events')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Each has an index. The most telling first: an index is used for the first that is given. */
const filters = ['target', 'actor_id', 'action', 'code'] as const;

/** Empty means any. Times are milliseconds since 1970, from `start` on and before `end`. */
export type EventFilter = Readonly<Record<(typeof filters)[number], string>> & {
  readonly start: number | undefined;
  readonly end: number | undefined;
};

/** Selects a page and one row more. */
export function selectEvents(db: Executor, filter: EventFilter, page: PageQuery) {
  let query = db.selectFrom('audit_events').selectAll();
  const [first, ...others] = filters.filter((column) => filter[column] !== '');
  if (first !== undefined) query = query.where(first, '=', filter[first]);
  // Written so that no index fits: SQLite cannot tell what leaves the fewest rows, and might read
  // all the events of a code to find those of a target.
  for (const column of others) {
    query = query.where(sql<SqlBool>`${sql.ref(column)} || '' = ${filter[column]}`);
  }
  if (filter.start !== undefined) query = query.where('create_time', '>=', filter.start);
  if (filter.end !== undefined) query = query.where('create_time', '<', filter.end);
  return newestFirst(query, page);
}

/** Deletes at most `limit` events, the oldest first; tells how many. */
export async function deleteEvents(db: Executor, before: number, limit: number): Promise<number> {
  const oldest = db
    .selectFrom('audit_events')
    .select('id')
    .where('create_time', '<', before)
    .orderBy('create_time')
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('audit_events')
    .where('id', 'in', oldest)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
