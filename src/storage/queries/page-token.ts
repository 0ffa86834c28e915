// Page tokens of lists that are sorted newest first. A token is opaque and versioned. It holds a
// position rather than a count, so the list may grow between two pages.
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { invalid } from '../../base/errors/errors.ts';

export type Position = { readonly time: number; readonly id: string };

export type PageRequest = { readonly pageSize: number; readonly pageToken: string };

export type PageQuery = { readonly limit: number; readonly after: Position | undefined };

const sizeDefault = 50;
const sizeMax = 200;

/** Parses `page_size` and `page_token`. A `page_size` of 0 means 50; values above 200 mean 200. */
export function parsePageRequest({ pageSize, pageToken }: PageRequest): PageQuery {
  const limit = pageSize === 0 ? sizeDefault : Math.min(pageSize, sizeMax);
  return { limit, after: pageToken === '' ? undefined : readToken(pageToken) };
}

/** `rows` may have one row more than `limit`. The token is empty on the last page. */
export function pageOf<R extends { create_time: number; id: string }>(
  rows: R[],
  { limit }: Pick<PageQuery, 'limit'>,
): { rows: R[]; nextPageToken: string } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const nextPageToken = hasMore ? pageTokenAt({ time: last.create_time, id: last.id }) : '';
  return { rows: page, nextPageToken };
}

export function pageTokenAt({ time, id }: Position): string {
  return Buffer.from(`1.${time}.${id}`).toString('base64url');
}

function readToken(token: string): Position {
  const text = Buffer.from(token, 'base64url').toString();
  const [, time, id] = /^1\.(\d{1,15})\.([\w-]{1,64})$/.exec(text) ?? [];
  if (time === undefined || id === undefined) {
    throw invalid('page_token', 'must be the next_page_token of a previous response');
  }
  return { time: Number(time), id };
}

/**
 * Sorts the rows of a table by `create_time` and id, newest first. Limits them to one row more than
 * a page: the extra row shows that there is another page.
 */
export function selectNewestFirst<DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  { limit, after }: PageQuery,
  id: 'id' | 'kid' = 'id',
): SelectQueryBuilder<DB, T, O> {
  const sorted = query
    .orderBy(sql.ref('create_time'), 'desc')
    .orderBy(sql.ref(id), 'desc')
    .limit(limit + 1);
  if (after === undefined) return sorted;
  return sorted.where(sql<SqlBool>`(create_time, ${sql.ref(id)}) < (${after.time}, ${after.id})`);
}
