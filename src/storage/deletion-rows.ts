// The columns of rows whose deletion has a waiting time; schema.ts describes how values are stored.

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
