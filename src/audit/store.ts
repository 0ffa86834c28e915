import { type SqlBool, sql } from 'kysely';
import { compileOnce, type QueryParameters } from '../storage/queries/compiled-query.ts';
import { type PageQuery, type Position, selectNewestFirst } from '../storage/queries/page-token.ts';
import { hasRow } from '../storage/queries/row-counts.ts';
import type { AuditEventRow, Executor } from '../storage/schema/schema.ts';

const insertRow = compileOnce((db, row: QueryParameters<AuditEventRow>) =>
  db.insertInto('audit_events').values({
    id: row.id,
    create_time: row.create_time,
    actor_type: row.actor_type,
    actor_id: row.actor_id,
    action: row.action,
    target: row.target,
    code: row.code,
    reason: row.reason,
    acting_client: row.acting_client,
    token_id: row.token_id,
    request_id: row.request_id,
    address: row.address,
    count: row.count,
  }),
);

export async function insertEvent(db: Executor, row: AuditEventRow): Promise<void> {
  await insertRow(db, row);
}

const insertedMax = 500;

/** Inserts many events with few queries. A single row uses the compiled query. */
export async function insertEvents(db: Executor, rows: readonly AuditEventRow[]): Promise<void> {
  const [first, second] = rows;
  if (first !== undefined && second === undefined) return insertEvent(db, first);
  for (let start = 0; start < rows.length; start += insertedMax) {
    const slice = rows.slice(start, start + insertedMax);
    await db.insertInto('audit_events').values(slice).execute();
  }
}

export function hasEventOf(db: Executor, actorId: string, action: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('audit_events')
      .where('actor_id', '=', actorId)
      // `|| ''` prevents the use of the index of the action, which has more events.
      .where(sql<SqlBool>`action || '' = ${action}`),
  );
}

/** Inserts the events that are not stored yet, so that a failed write can be repeated. */
export async function insertMissingEvents(
  db: Executor,
  rows: readonly AuditEventRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('audit_events')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Each has an index, and the query uses that of the first given one: most selective first. */
const filters = ['token_id', 'target', 'actor_id', 'action', 'code'] as const;

/** Empty texts do not filter. Milliseconds since 1970; `start` inclusive, `end` exclusive. */
export type EventFilter = Readonly<Record<(typeof filters)[number], string>> & {
  readonly start: number | undefined;
  readonly end: number | undefined;
};

const givenOf = (filter: EventFilter) => filters.filter((column) => filter[column] !== '');

/** Otherwise the events of the first filter must be scanned. */
export const isIndexed = (filter: EventFilter) => givenOf(filter).length <= 1;

function selectIndexed(db: Executor, filter: EventFilter, page: PageQuery) {
  let query = db.selectFrom('audit_events');
  const [first] = givenOf(filter);
  if (first !== undefined) query = query.where(first, '=', filter[first]);
  if (filter.start !== undefined) query = query.where('create_time', '>=', filter.start);
  if (filter.end !== undefined) query = query.where('create_time', '<', filter.end);
  return selectNewestFirst(query, page);
}

/** Selects a page and one row more. With `floor`, selects no event older than it. */
export function selectEvents(db: Executor, filter: EventFilter, page: PageQuery, floor?: Position) {
  let query = selectIndexed(db, filter, page).selectAll();
  // `|| ''` prevents the use of an index. SQLite does not know which filter is the most selective,
  // and might read all events of a code to find those of a target.
  for (const column of givenOf(filter).slice(1)) {
    query = query.where(sql<SqlBool>`${sql.ref(column)} || '' = ${filter[column]}`);
  }
  if (floor === undefined) return query;
  return query
    .where('create_time', '>=', floor.time)
    .where(sql<SqlBool>`(create_time, id) >= (${floor.time}, ${floor.id})`);
}

export function selectScanEnd(
  db: Executor,
  filter: EventFilter,
  after: Position | undefined,
  count: number,
) {
  return selectIndexed(db, filter, { limit: 0, after })
    .select(['create_time', 'id'])
    .offset(count - 1);
}

const retentionName = 'audit_events';

export async function readRetentionTime(db: Executor): Promise<number | undefined> {
  const row = await db
    .selectFrom('retention_times')
    .select('time')
    .where('name', '=', retentionName)
    .executeTakeFirst();
  return row?.time;
}

export async function writeRetentionTime(trx: Executor, time: number): Promise<void> {
  await trx
    .insertInto('retention_times')
    .values({ name: retentionName, time })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ time }))
    .execute();
}

export async function findNewestTime(db: Executor): Promise<number | undefined> {
  const row = await db
    .selectFrom('audit_events')
    .select('create_time')
    .orderBy('create_time', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.create_time;
}
