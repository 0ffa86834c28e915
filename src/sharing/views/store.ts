import { sql } from 'kysely';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { type PageQuery, selectNewestFirst } from '../../storage/queries/page-token.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import { lockRows } from '../../storage/queries/row-locks.ts';
import type { Executor, StoredView, ViewPageRow, ViewRow } from '../../storage/schema/schema.ts';
import { hasTarget } from '../../storage/schema/sharing-rows.ts';
import { type ViewScope, type VisitorScope, viewsIn } from '../queries/view-scopes.ts';

/** Another order of a document's views would need another index, which each new view updates. */
export const viewLists = {
  link_id: {
    sorts: { create_time: 'number', email: 'text', duration_ms: 'number' },
    searches: ['email'],
  },
  document_id: { sorts: { create_time: 'number' }, searches: ['email'] },
  visitor: { sorts: { create_time: 'number' }, searches: [] },
} as const satisfies Record<(ViewScope | VisitorScope)['column'], List>;

export function findViews(
  db: Executor,
  scope: ViewScope | VisitorScope,
  query: ListQuery,
): Promise<ListPage<StoredView>> {
  return readList(db, viewsIn(db, scope).selectAll(), viewLists[scope.column], query);
}

export function findViewsIn(
  db: Executor,
  scope: ViewScope | VisitorScope,
  page: PageQuery,
): Promise<StoredView[]> {
  return selectNewestFirst(viewsIn(db, scope).selectAll(), page).execute();
}

export async function findLinkNames(
  db: Executor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('links').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function findDocumentNames(
  db: Executor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const documents = db.selectFrom('documents').select(['id', 'name']);
  const rows = await documents.where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Counts a download, unless one was counted after `since`. */
export async function countDownload(
  trx: Executor,
  viewId: string,
  { time, since }: { readonly time: number; readonly since: number },
): Promise<void> {
  await trx
    .updateTable('views')
    .set((eb) => ({ download_count: eb('download_count', '+', 1), last_download_time: time }))
    .where('id', '=', viewId)
    .where((eb) =>
      eb.or([eb('last_download_time', 'is', null), eb('last_download_time', '<=', since)]),
    )
    .execute();
}

export function hasView(db: Executor, viewId: string): Promise<boolean> {
  return hasRow(db.selectFrom('views').where('id', '=', viewId));
}

/** A trigger sets the document and the version that a view does not have. */
export type NewView = ViewRow & {
  readonly document_id?: string;
  readonly version?: number;
  readonly access_id?: string;
  readonly agreement_id?: string;
  readonly acting_client_id?: string;
  readonly acting_client_name?: string;
};

export type ViewCounting = {
  /** Whether the link counts only up to its limit. */
  readonly isLimited: boolean;
  /** Whether the link has counted the reader's visit of the room. */
  readonly isInRoom?: boolean;
};

/**
 * Inserts a view and counts it for its link and its document. Returns the reason if the link can
 * have no more views; the caller must roll back.
 */
export async function insertView(
  trx: Executor,
  row: NewView,
  { isLimited, isInRoom = false }: ViewCounting = { isLimited: true },
): Promise<'no link' | 'limit reached' | undefined> {
  await trx.insertInto('views').values(row).execute();
  if (row.access_id !== undefined && !(await countInRoom(trx, row))) return 'no link';
  if (isInRoom) return undefined;
  const { numUpdatedRows } = await trx
    .updateTable('links')
    .set((eb) => ({ view_count: eb('view_count', '+', 1) }))
    .where('id', '=', row.link_id)
    .where(hasTarget)
    .where((eb) =>
      isLimited
        ? eb.or([eb('view_limit', 'is', null), eb('view_count', '<', eb.ref('view_limit'))])
        : eb.lit(true),
    )
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return undefined;
  const links = trx.selectFrom('links').select('id').where('id', '=', row.link_id);
  const link = await links.where(hasTarget).executeTakeFirst();
  return link === undefined ? 'no link' : 'limit reached';
}

/** A trigger counts the views of a link only for the document of the link. */
async function countInRoom(trx: Executor, { document_id, create_time }: NewView) {
  const { numUpdatedRows } = await trx
    .updateTable('documents')
    .set((eb) => ({
      view_count: eb('view_count', '+', 1),
      last_view_time: eb
        .case()
        .when('last_view_time', '>', create_time)
        .then(eb.ref('last_view_time'))
        .else(create_time)
        .end(),
    }))
    .where('id', '=', document_id ?? '')
    .where('remove_time', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type PageSum = Omit<ViewPageRow, 'visit'>;

export function sumPageDurations(db: Executor, viewIds: readonly string[]): Promise<PageSum[]> {
  return db
    .selectFrom('view_pages')
    .select(['view_id', 'page', sql<number>`cast(sum(duration_ms) as bigint)`.as('duration_ms')])
    .where('view_id', 'in', viewIds)
    .groupBy(['view_id', 'page'])
    .orderBy('view_id')
    .orderBy('page')
    .execute();
}

export type PageRowCount = { readonly rows: number; readonly visits: number };

export async function countPageRows(
  db: Executor,
  viewIds: readonly string[],
): Promise<ReadonlyMap<string, PageRowCount>> {
  if (viewIds.length === 0) return new Map();
  const counts = await db
    .selectFrom('view_pages')
    .select((eb) => [
      'view_id',
      eb.fn.countAll().as('rows'),
      eb.fn.count('visit').distinct().as('visits'),
    ])
    .where('view_id', 'in', viewIds)
    .groupBy('view_id')
    .execute();
  return new Map(
    counts.map(({ view_id, rows, visits }) => [
      view_id,
      { rows: Number(rows), visits: Number(visits) },
    ]),
  );
}

/** Locks views until the transaction ends, and returns how many page rows each of them has. */
export async function lockViews(
  trx: Executor,
  viewIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const locked = await lockRows(trx, 'views', 'id', viewIds);
  // Count after locking: another process may have written while this one waited.
  const counts = await countPageRows(trx, viewIds);
  return new Map(locked.map(({ id }) => [id, counts.get(id)?.rows ?? 0]));
}

export const pageRowKey = ({ view_id, visit, page }: Omit<ViewPageRow, 'duration_ms'>) =>
  `${view_id} ${visit} ${page}`;

export async function findStoredPageRows(
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
  return new Set(known.map(pageRowKey));
}

export async function raisePageDurations(
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

/** Sets a view's duration to the sum of its visits, at most the time from its start to `now`. */
export async function raiseViewDurations(
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
