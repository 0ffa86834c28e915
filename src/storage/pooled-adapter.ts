// The adapter of PostgreSQL, which also counts the connections of the pool. Processes that use
// SQLite can ask for them without loading pg.
import { PostgresAdapter } from 'kysely';
import type { Database } from './schema.ts';

export type PoolCounts = {
  readonly max: number;
  readonly busy: number;
  readonly idle: number;
  /** The queries and transactions that wait for a connection. */
  readonly waiting: number;
};

export class PooledAdapter extends PostgresAdapter {
  readonly countConnections: () => PoolCounts;

  constructor(countConnections: () => PoolCounts) {
    super();
    this.countConnections = countConnections;
  }

  /** The transaction of a migration already has a lock. */
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

/** Returns undefined for SQLite, which has no pool. */
export function countConnections(db: Database): PoolCounts | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof PooledAdapter ? adapter.countConnections() : undefined;
}
