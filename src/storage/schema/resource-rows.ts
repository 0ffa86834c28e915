// The columns for the times, the external ids and the deletion of resources; schema.ts describes
// how values are stored.
import type { Generated } from 'kysely';

export type UpdateTime = {
  /** When a caller last changed the row. Null if none has since the column was added. */
  update_time: number | null;
};

export type ResourceColumns = UpdateTime & {
  /** The id in a system of the caller, unique in the table. */
  external_id: string | null;
};

/** The insertable row: the service itself creates rows without these values. */
export type ResourceTable<Row extends ResourceColumns> = Omit<Row, keyof ResourceColumns> & {
  [Column in keyof ResourceColumns]: Generated<Row[Column]>;
};

/** The columns of rows whose deletion has a waiting time. */
export type DeletionColumns = {
  /** When a deleted row is deleted for good. Null means that it is not deleted. */
  delete_time: number | null;
  /** When that began. It cannot be undone any more. */
  purge_time: number | null;
};

export type DisableColumns = DeletionColumns & {
  /** A deleted row is disabled, too. */
  disable_time: number | null;
  /** Of a deleted row: the `disable_time` before. */
  kept_disable_time: number | null;
};

/** These columns can be omitted from an inserted row. */
export type DeletionDefaults = 'delete_time' | 'purge_time';
export type DisableDefaults = DeletionDefaults | 'kept_disable_time';
