// The columns of resources that can be kept as files, and that two people may change at once.
import type { Generated } from 'kysely';

export type ResourceColumns = {
  /** When a caller last changed the row; null before migration 0035. */
  update_time: number | null;
  /** The id in a system of the caller, unique in the table. */
  external_id: string | null;
};

/** The insertable row: the service itself creates rows without these values. */
export type ResourceTable<Row extends ResourceColumns> = Omit<Row, keyof ResourceColumns> & {
  [Column in keyof ResourceColumns]: Generated<Row[Column]>;
};
