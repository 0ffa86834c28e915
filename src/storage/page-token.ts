// Page tokens of lists that are sorted newest first: opaque, versioned, and a position rather than
// a count, so that a list may grow while it is being read.
import { invalid } from '../errors/errors.ts';

/** Where a page ended: the time and id of its last row. */
export type Position = { readonly time: number; readonly id: string };

export type PageRequest = { readonly pageSize: number; readonly pageToken: string };

export type PageQuery = { readonly limit: number; readonly after: Position | undefined };

const sizeDefault = 50;
const sizeMax = 200;

/** Reads `page_size` (0 means 50; more than 200 is read as 200) and `page_token`. */
export function pageQuery({ pageSize, pageToken }: PageRequest): PageQuery {
  const limit = pageSize === 0 ? sizeDefault : Math.min(pageSize, sizeMax);
  return { limit, after: pageToken === '' ? undefined : readToken(pageToken) };
}

/**
 * Cuts rows, of which one more than `limit` was read, to a page, and tells the token of the next;
 * an empty one for the last page.
 */
export function pageOf<R extends { create_time: number; id: string }>(
  rows: R[],
  { limit }: Pick<PageQuery, 'limit'>,
): { rows: R[]; nextPageToken: string } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const nextPageToken = hasMore ? tokenAt({ time: last.create_time, id: last.id }) : '';
  return { rows: page, nextPageToken };
}

/** Makes the token of the page after a position. */
export function tokenAt({ time, id }: Position): string {
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
