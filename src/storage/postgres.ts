// PostgreSQL, with a pool of connections.
import { type Dialect, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { trackPoolErrors } from './postgres-errors.ts';
import type { Database } from './schema.ts';
import type { OpenedDialect } from './sqlite.ts';

export type PostgresSettings = {
  readonly databasePoolMax?: number;
  readonly databaseConnectSeconds?: number;
  readonly databaseQuerySeconds?: number;
};

/**
 * Opens a pool of connections to a server. Sends no startup parameter besides the defaults of pg,
 * because PgBouncer refuses others.
 */
export function openPostgres(url: string, settings: PostgresSettings = {}): OpenedDialect {
  const { databasePoolMax = 10, databaseQuerySeconds = 10 } = settings;
  const options = optionsOf(url, settings);
  const queries = { max: databasePoolMax, query_timeout: databaseQuerySeconds * 1000 };
  return {
    dialect: openPool({ ...options, ...queries }),
    // A migration may take minutes.
    openForMigration: () => openPool({ ...options, max: 1 }),
    beginMigration,
    ready: () => {},
  };
}

function optionsOf(url: string, { databaseConnectSeconds = 5 }: PostgresSettings): pg.PoolConfig {
  const types = new pg.TypeOverrides();
  // Every bigint in the schema is a time in milliseconds or a count, far below 2^53.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  return {
    connectionString: url,
    types,
    connectionTimeoutMillis: databaseConnectSeconds * 1000,
    idleTimeoutMillis: 30_000,
    // Detects within 15 seconds that the machine of an idle connection is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}

function openPool(options: pg.PoolConfig): Dialect {
  const pool = new pg.Pool(options);
  // The pool replaces a lost idle connection at its next use. Without a listener, the error would
  // end the process.
  pool.on('error', () => {});
  // The same applies to a connection lost during a query. The query itself fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  // An abandoned query may still be running in a transaction that nothing would end.
  pool.on('release', (_error, client) => {
    if (!isReady(client)) client.end().catch(() => {});
  });
  return new OurPostgresDialect({ pool: trackPoolErrors(pool) });
}

/** Any number that no other program uses. */
const migrationLockId = '5064175391742206771';

/**
 * Takes a lock that ends with the transaction. A lock of the session would stay with the connection
 * of a pooler such as PgBouncer. Does not wait for the lock, because waiting would occupy a
 * connection of the pooler.
 */
async function beginMigration(connection: Database): Promise<boolean> {
  await sql`begin isolation level read committed`.execute(connection);
  await sql`set local statement_timeout = 0`.execute(connection);
  const { rows } = await sql<{ has_lock: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(migrationLockId)}::bigint) as has_lock
  `.execute(connection);
  if (rows[0]?.has_lock === true) return true;
  await sql`rollback`.execute(connection);
  return false;
}

/**
 * Returns whether the server waits for the next query. The types of pg do not declare the field.
 */
function isReady(client: object): boolean {
  return !('readyForQuery' in client) || client.readyForQuery === true;
}

/** The transaction of a migration already has a lock. */
class UnlockedPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

/** After a lost connection, the rollback also fails, and its error would hide the original one. */
class OurPostgresDialect extends PostgresDialect {
  override createAdapter() {
    return new UnlockedPostgresAdapter();
  }

  override createDriver() {
    const driver = super.createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {});
    return driver;
  }
}
