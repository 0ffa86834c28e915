// Optimistic concurrency (AIP-154, RFC 9110 §13.1.1): an update of a resource fails if someone
// else has changed the resource since the caller read it. Call these functions with the locked row.
import { createHash } from 'node:crypto';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import { fail } from '../base/errors/errors.ts';
import { requireMatch } from '../base/http/byte-range.ts';
import type { ResourceColumns, UpdateTime } from '../storage/schema/resource-rows.ts';
import { callerOf } from './principal.ts';

/** A stored resource, without values that change without a call. */
export type Stored = ResourceColumns & Timed;

type Timed = UpdateTime & { readonly create_time: number };

/**
 * The strong entity tag of a stored resource, with its quotes. Columns without a value do not
 * count, so that a release that adds one does not change every tag.
 */
export function etagOf(stored: object): string {
  const values = Object.entries(stored)
    .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64url');
  return `"${digest.slice(0, 27)}"`;
}

/**
 * Throws `precondition_failed` if the request is based on another state of the resource. Without a
 * context, as for a request of a batch, `If-Match` does not count.
 */
export function requireEtag(
  context: HandlerContext | undefined,
  request: { readonly etag?: string },
  stored: object,
): void {
  const etag = etagOf(stored);
  if (context) requireMatch(callerOf(context).call.header('if-match'), etag);
  if (!request.etag || request.etag === etag) return;
  throw fail(
    'precondition_failed',
    'etag: The resource was changed since it had this tag. Read it again before you change it.',
  );
}

/** The new `update_time`, if a change contains a value that is not the stored one. */
export function touched<R extends UpdateTime>(
  stored: R,
  change: Partial<R>,
  time: number,
): { update_time?: number } {
  const columns = Object.keys(change) as (keyof R)[];
  const isChanged = columns.some((column) => stored[column] !== change[column]);
  return isChanged ? { update_time: time } : {};
}

export const timeFields = ({ create_time, update_time }: Timed) => ({
  createTime: timestampFromMs(create_time),
  updateTime: timestampFromMs(update_time ?? create_time),
});

export const resourceFields = (stored: Stored) => ({
  ...timeFields(stored),
  etag: etagOf(stored),
  externalId: stored.external_id ?? '',
});

/** The columns of a resource that a request creates. */
export const createdColumns = (request: { readonly externalId: string }, time: number) => ({
  create_time: time,
  update_time: time,
  external_id: request.externalId || null,
});

/** The change of an update request whose mask names `external_id`. */
export const externalIdChange = ({ externalId }: { readonly externalId: string }) => ({
  external_id: externalId || null,
});
