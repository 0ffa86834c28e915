// The columns for the times and external ids of resources.
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
