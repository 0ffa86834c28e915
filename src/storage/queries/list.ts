// Reads a page of a list, in any of its orders, with the number of all rows. A search and some
// filters cannot use an index: they examine the rows in slices, in the order of the list, so that
// they do not block SQLite or a connection for long.

import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { startSlicedWork, takeTurn } from '../../base/limits/turns.ts';
import type { Executor } from '../schema/schema.ts';
import {
  type Builder,
  containsText,
  foldedColumn,
  foldValue,
  type TextColumn,
} from './folded-text.ts';
import {
  isExamined,
  type ListPosition,
  type ListQuery,
  listTokenAt,
  type SortColumns,
} from './list-request.ts';
import { countRows } from './row-counts.ts';

export type List = {
  /** Each column has an index. */
  readonly sorts: SortColumns;
  readonly searches: readonly TextColumn[];
  /** The column with the id. Default: `id`. */
  readonly id?: string;
};

export type ListPage<R> = {
  readonly rows: R[];
  /** Empty on the last page. The page of a search may be short and have a next page. */
  readonly nextPageToken: string;
  /** The number of rows on all pages, counted up to `countedMax`. */
  readonly totalSize: number;
};

const countedMax = 10_000;

/**
 * The rows that one query of a search examines, the number of such queries, and the times after
 * which no further query starts: of the queries, and with the turns of other calls. SQLite runs a
 * query on the event loop: 500 rows with long names take 10 ms.
 */
export const scan = { rowsMax: 500, slicesMax: 200, msMax: 5_000, totalMsMax: 20_000 };

/** `filters`: the conditions of `query.filter`. */
export async function readList<DB, T extends keyof DB, O>(
  db: Executor,
  base: SelectQueryBuilder<DB, T, O>,
  list: List,
  query: ListQuery,
  filters: readonly RawBuilder<SqlBool>[] = [],
): Promise<ListPage<O>> {
  const reader = createReader(db, base, list, query, filters);
  const isSearch = isExamined(query);
  const [{ rows, next }, counted] = await Promise.all([
    isSearch ? reader.search() : reader.page(),
    query.total ?? (isSearch ? reader.countMatches() : reader.count()),
  ]);
  const totalSize = Math.min(counted, countedMax);
  const nextPageToken = next === undefined ? '' : listTokenAt(next, query, totalSize);
  return { rows, nextPageToken, totalSize };
}

export function shortenPage<R>(
  page: ListPage<R>,
  list: List,
  query: ListQuery,
  length: number,
): ListPage<R> {
  const last = page.rows[length - 1];
  if (page.rows.length <= length || last === undefined) return page;
  const next = positionOf(last, list, query);
  const nextPageToken = listTokenAt(next, query, page.totalSize);
  return { ...page, rows: page.rows.slice(0, length), nextPageToken };
}

type Found<R> = { readonly rows: R[]; readonly next: ListPosition | undefined };

/** A position, and whether its row is on the near or the far side of it. */
type Bounds = {
  readonly after?: ListPosition | undefined;
  readonly last?: ListPosition | undefined;
};

function createReader<DB, T extends keyof DB, O>(
  db: Executor,
  base: SelectQueryBuilder<DB, T, O>,
  list: List,
  query: ListQuery,
  filters: readonly RawBuilder<SqlBool>[],
) {
  const { sort, limit, text } = query;
  const direction = sort.descending ? 'desc' : 'asc';
  const id = sql.ref(list.id ?? 'id');
  const key = sort.kind === 'text' ? foldedColumn(db, sort.field) : sql.ref(sort.field);
  const sorted = base.orderBy(key, direction).orderBy(id, direction);

  function within<R>(rows: SelectQueryBuilder<DB, T, R>, { after, last }: Bounds) {
    const [beyond, upTo] = sort.descending ? ['<', '>='] : ['>', '<='];
    const compare = (operator: string, position: ListPosition) =>
      sql<SqlBool>`(${key}, ${id}) ${sql.raw(operator)} (${position.value}, ${position.id})`;
    const following = after === undefined ? rows : rows.where(compare(beyond ?? '', after));
    if (last === undefined) return following;
    const slice = following.where(compare(upTo ?? '', last));
    // PostgreSQL estimates the size of a range only if it has both ends on one column.
    const start = sql<SqlBool>`${key} ${sql.raw(`${beyond}=`)} ${after?.value}`;
    const end = sql<SqlBool>`${key} ${sql.raw(upTo ?? '')} ${last.value}`;
    return after === undefined ? slice.where(end) : slice.where(start).where(end);
  }

  const conditions = text === '' ? filters : [...filters, matchOf(db, list, text)];
  /** The columns of the rows are not read. */
  const countSelected = <R>(rows: SelectQueryBuilder<DB, T, R>) =>
    countRows(db.selectFrom(rows.clearSelect().select(sql.lit(1).as('row')).as('counted')));
  const matching = <R>(rows: SelectQueryBuilder<DB, T, R>) =>
    rows.where(sql.join<SqlBool>([...conditions], sql` and `));

  /** Returns the position of the last row of a slice; undefined if the slice is the last one. */
  async function sliceEnd(after: ListPosition | undefined): Promise<ListPosition | undefined> {
    const slice = within(sorted, { after }).clearSelect();
    const row = await slice
      .select([key.as('value'), id.as('id')])
      .offset(scan.rowsMax - 1)
      .limit(1)
      .executeTakeFirst();
    return row as ListPosition | undefined;
  }

  /**
   * Visits slices until `visit` returns true or the rows end. Returns the last position if the scan
   * has reached its limit. Throws if the client has left.
   */
  async function forEachSlice(
    start: ListPosition | undefined,
    visit: (slice: Bounds) => Promise<boolean>,
  ): Promise<ListPosition | undefined> {
    let after = start;
    const work = startSlicedWork(scan.msMax, scan.totalMsMax);
    for (let slices = 0; slices < scan.slicesMax; slices++) {
      const { last, isFound } = await work.run(async () => {
        const end = await sliceEnd(after);
        return { last: end, isFound: await visit({ after, last: end }) };
      });
      if (isFound || last === undefined) return undefined;
      after = last;
      await takeTurn();
      query.signal?.throwIfAborted();
      if (work.isOver()) break;
    }
    return after;
  }

  const toPage = (found: O[]): Found<O> => {
    const rows = found.slice(0, limit);
    const end = rows.at(-1);
    const hasMore = found.length > limit && end !== undefined;
    return { rows, next: hasMore ? positionOf(end, list, query) : undefined };
  };

  return {
    async page(): Promise<Found<O>> {
      const rows = within(sorted, query).limit(limit + 1);
      return toPage(await rows.execute());
    },

    async search(): Promise<Found<O>> {
      const found: O[] = [];
      const next = await forEachSlice(query.after, async (slice) => {
        const rows = matching(within(sorted, slice)).limit(limit + 1 - found.length);
        found.push(...(await rows.execute()));
        return found.length > limit;
      });
      return next === undefined ? toPage(found) : { rows: found, next };
    },

    count: () => countSelected(base.limit(countedMax)),

    async countMatches(): Promise<number> {
      let total = 0;
      await forEachSlice(undefined, async (slice) => {
        total += await countSelected(matching(within(base, slice)));
        return total >= countedMax;
      });
      return total;
    },
  };
}

function matchOf(db: Builder, list: List, text: string): RawBuilder<SqlBool> {
  const matches = list.searches.map((column) => containsText(db, column, text));
  return sql<SqlBool>`(${sql.join(matches, sql` or `)})`;
}

/** Kysely cannot name the columns of a row that is a type parameter. */
function positionOf(row: unknown, list: List, { sort }: ListQuery): ListPosition {
  const values = row as Readonly<Record<string, string | number>>;
  const value = values[sort.field] ?? '';
  return {
    value: typeof value === 'string' ? foldValue(value) : value,
    id: String(values[list.id ?? 'id']),
  };
}
