// The connections of each open database.
import type { Database } from '../schema/schema.ts';

export type ConnectionCounts = {
  readonly max: number;
  readonly busy: number;
  readonly idle: number;
  /** The queries and transactions that wait for a connection. */
  readonly waiting: number;
};

export type CountConnections = () => ConnectionCounts;

const counters = new WeakMap<Database, CountConnections>();

export function countWith(db: Database, count: CountConnections): void {
  counters.set(db, count);
}

/** Returns undefined for SQLite, which has no pool. */
export const countConnections = (db: Database): ConnectionCounts | undefined =>
  counters.get(db)?.();
