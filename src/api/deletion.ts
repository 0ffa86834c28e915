// Deletions with a waiting time, in which they can be undone. A deleted resource stops working at
// once. Retention deletes it for good: see storage/upkeep/purge.ts.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import { fail } from '../base/errors/errors.ts';
import type { DeletionColumns, DisableColumns } from '../storage/schema/resource-rows.ts';
import { requireEtag, type Stored } from './etag.ts';

const waitMs = 7 * 86_400_000;

type DeletionChange = { readonly delete_time?: number | null };

/** The columns of a row that is not deleted. */
export const notDeleted = { delete_time: null, purge_time: null } as const;

export const neverDisabled = {
  disable_time: null,
  kept_disable_time: null,
  ...notDeleted,
} as const;

/** Returns the changes of a deletion; none if the row is already deleted. */
export function deletionOf({ delete_time }: DeletionColumns, now: number): DeletionChange {
  return delete_time === null ? { delete_time: now + waitMs } : {};
}

/** The row also counts as disabled, so that nothing else has to check the deletion. */
export function disablingDeletionOf(row: DisableColumns, now: number): Partial<DisableColumns> {
  if (row.delete_time !== null) return {};
  const { disable_time } = row;
  return {
    ...deletionOf(row, now),
    disable_time: disable_time ?? now,
    kept_disable_time: disable_time,
  };
}

/** Throws `conflict` if the waiting time has ended. */
export function undeletionOf(row: DeletionColumns, now: number): DeletionChange {
  const { delete_time, purge_time } = row;
  if (delete_time === null && purge_time === null) return {};
  if (delete_time !== null && purge_time === null && now < delete_time) {
    return { delete_time: null };
  }
  throw fail('conflict', 'The waiting time has ended. The deletion can no longer be undone.');
}

/** A row that was disabled before its deletion stays disabled. */
export function enablingUndeletionOf(row: DisableColumns, now: number): Partial<DisableColumns> {
  const change = undeletionOf(row, now);
  if (change.delete_time === undefined) return {};
  return { ...change, disable_time: row.kept_disable_time, kept_disable_time: null };
}

/** Returns the function with the change that disables or enables a row. */
export const disabling =
  (isDisabled: boolean) =>
  ({ disable_time }: DisableColumns, now: number): Partial<DisableColumns> => {
    if ((disable_time !== null) === isDisabled) return {};
    return { disable_time: isDisabled ? now : null };
  };

type StateChange<Row, Change> = {
  readonly before: Row;
  readonly changeOf: (row: Row, now: number) => Change;
  readonly time: number;
};

/**
 * Stores a deletion, a disabling or its undo, whose columns `changeOf` returns. Returns the row.
 * Throws `precondition_failed` for a stale `If-Match`. Call it with the locked row.
 */
export async function storeStateChange<Row extends Stored, Change extends object>(
  context: HandlerContext,
  { before, changeOf, time }: StateChange<Row, Change>,
  update: (changed: Change & { update_time: number }) => Promise<unknown>,
): Promise<Row> {
  requireEtag(context, {}, before);
  const change = changeOf(before, time);
  if (Object.keys(change).length === 0) return before;
  const changed = { ...change, update_time: time };
  await update(changed);
  return { ...before, ...changed };
}

/** Throws `conflict` for a change of a deleted resource. */
export function requireNotDeleted({ delete_time }: DeletionColumns, noun: string): void {
  if (delete_time === null) return;
  throw fail('conflict', `The ${noun} is deleted. Undelete it first.`);
}

/** The fields of a message. Until its deletion is undone, the resource shows its state before. */
export function disableFields(row: DisableColumns) {
  const time = row.delete_time === null ? row.disable_time : row.kept_disable_time;
  return {
    ...(time === null ? {} : { disableTime: timestampFromMs(time) }),
    ...deletionFields(row),
  };
}

export function deletionFields({ delete_time }: DeletionColumns) {
  return delete_time === null ? {} : { deleteTime: timestampFromMs(delete_time) };
}
