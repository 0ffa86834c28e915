import { sql } from 'kysely';
import { lockRows } from '../../storage/lock.ts';
import { newestFirst } from '../../storage/newest-first.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import type { Executor, ViewPageRow, ViewRow } from '../../storage/schema.ts';

/** Reads a page and one row more. */
export function findViews(db: Executor, linkId: string, page: PageQuery): Promise<ViewRow[]> {
  const query = db.selectFrom('views').selectAll().where('link_id', '=', linkId);
  return newestFirst(query, page).execute();
}

export async function hasView(db: Executor, viewId: string): Promise<boolean> {
  const row = await db.selectFrom('views').select('id').where('id', '=', viewId).executeTakeFirst();
  return row !== undefined;
}

/** Inserts a view and counts it for its link. */
export async function insertView(trx: Executor, row: ViewRow): Promise<void> {
  await trx.insertInto('views').values(row).execute();
  await trx
    .updateTable('links')
    .set((eb) => ({ view_count: eb('view_count', '+', 1) }))
    .where('id', '=', row.link_id)
    .execute();
}

/** What the visits of a view have claimed together. */
export type PageSum = Omit<ViewPageRow, 'visit'>;

/** By view, in order of the pages. */
export function findPages(db: Executor, viewIds: readonly string[]): Promise<PageSum[]> {
  return db
    .selectFrom('view_pages')
    .select(['view_id', 'page', sql<number>`cast(sum(duration_ms) as bigint)`.as('duration_ms')])
    .where('view_id', 'in', viewIds)
    .groupBy(['view_id', 'page'])
    .orderBy('view_id')
    .orderBy('page')
    .execute();
}

/** How many rows of pages each view has; one without any is left out. */
export async function countRows(
  db: Executor,
  viewIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('view_pages')
    .select((eb) => ['view_id', eb.fn.countAll().as('rows')])
    .where('view_id', 'in', viewIds)
    .groupBy('view_id')
    .execute();
  return new Map(rows.map(({ view_id, rows }) => [view_id, Number(rows)]));
}

/** Locks views until the transaction ends, and returns how many rows of pages each of them has. */
export async function lockViews(
  trx: Executor,
  viewIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const locked = await lockRows(trx, 'views', 'id', viewIds);
  // Not before the lock: another process may have written while this one waited.
  const counts = await countRows(trx, viewIds);
  return new Map(locked.map(({ id }) => [id, counts.get(id) ?? 0]));
}

export const rowKey = ({ view_id, visit, page }: Omit<ViewPageRow, 'duration_ms'>) =>
  `${view_id} ${visit} ${page}`;

/** Of these rows, the keys of those that are stored. */
export async function knownRows(
  trx: Executor,
  rows: readonly ViewPageRow[],
): Promise<ReadonlySet<string>> {
  const keys = rows.map(
    ({ view_id, visit, page }) => sql`(${view_id}, ${visit}, cast(${page} as bigint))`,
  );
  const known = await trx
    .selectFrom('view_pages')
    .select(['view_id', 'visit', 'page'])
    .where(sql<boolean>`(view_id, visit, page) in (values ${sql.join(keys)})`)
    .execute();
  return new Set(known.map(rowKey));
}

/** Keeps the larger of what is stored and what is given; tells in which views that changed any. */
export async function raisePages(
  trx: Executor,
  rows: readonly ViewPageRow[],
): Promise<ReadonlySet<string>> {
  const raised = await trx
    .insertInto('view_pages')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['view_id', 'visit', 'page'])
        .doUpdateSet((eb) => ({ duration_ms: eb.ref('excluded.duration_ms') }))
        .whereRef('excluded.duration_ms', '>', 'view_pages.duration_ms'),
    )
    .returning('view_id')
    .execute();
  return new Set(raised.map(({ view_id }) => view_id));
}

/** A view lasts as long as its visits together, and never longer than from its start to `now`. */
export async function raiseDurations(
  trx: Executor,
  viewIds: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const sum = sql`sum(view_pages.duration_ms)`;
  const elapsed = sql`${now} - views.create_time`;
  const duration = sql<number>`(select case when ${sum} < ${elapsed} then ${sum} else ${elapsed} end
    from view_pages where view_pages.view_id = views.id)`;
  await trx
    .updateTable('views')
    .set({ duration_ms: duration })
    .where('id', 'in', [...viewIds])
    .where('duration_ms', '<', duration)
    .execute();
}
