// PostgreSQL, with a pool of connections.
import { isIP } from 'node:net';
import type tls from 'node:tls';
import {
  CompiledQuery,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  sql,
} from 'kysely';
import pg from 'pg';
import type { Database } from '../schema/schema.ts';
import { openPool } from './postgres-pool.ts';
import type { OpenedDialect } from './sqlite.ts';

export type PostgresSettings = {
  readonly databasePoolMax?: number;
  readonly databaseConnectSeconds?: number;
  readonly databaseQuerySeconds?: number;
};

/** No startup parameter besides the defaults of pg, because PgBouncer refuses others. */
export function openPostgres(url: string, settings: PostgresSettings = {}): OpenedDialect {
  const { databasePoolMax = 10, databaseQuerySeconds = 10 } = settings;
  requireUsable(url);
  const options = optionsOf(url, settings);
  const queryMs = databaseQuerySeconds * 1000;
  const queries = { max: databasePoolMax, query_timeout: queryMs };
  const begin = beginWithin(queryMs);
  const pool = openPool({ ...options, ...queries });
  return {
    dialect: new OurPostgresDialect({ pool }, begin),
    // A migration may take minutes.
    openForMigration: () =>
      new OurPostgresDialect({ pool: openPool({ ...options, max: 1 }) }, 'begin'),
    beginMigration,
    lockTables,
    countConnections: pool.count,
  };
}

/** Throws if a file in the URL, such as `sslrootcert`, cannot be read, or if TLS is not safe. */
function requireUsable(url: string): void {
  try {
    const { host, ssl } = new pg.Client({ connectionString: url });
    if (isIP(host) === 0 || !verifiesHost(ssl)) return;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`LATCHKEY_DATABASE_URL: ${reason}`, { cause });
  }
  // For an IP address, pg accepts a certificate for `localhost`.
  throw new Error(
    'LATCHKEY_DATABASE_URL: TLS with a verified certificate needs a host name, not an IP address',
  );
}

/** The types of pg do not declare that the value may be an object. */
function verifiesHost(ssl: boolean | tls.ConnectionOptions): boolean {
  if (typeof ssl === 'boolean') return ssl;
  return ssl.rejectUnauthorized !== false && ssl.checkServerIdentity === undefined;
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

/**
 * The statements that begin a transaction. If its process stops, the server ends the transaction.
 * Other transactions of the process may wait for the same row and get its lock in turn, so both
 * limits are short enough that all locks are released before the end of the query time. The
 * statements are one message, and local, so that they work through PgBouncer.
 */
function beginWithin(queryMs: number): string {
  const limits = {
    // A running process is idle for milliseconds.
    idle_in_transaction_session_timeout: 0.2,
    // An update may wait twice: for the transactions ahead of it, and for the one with the lock.
    lock_timeout: 0.3,
  };
  const settings = Object.entries(limits).map(
    ([name, share]) => `set local ${name} = ${Math.ceil(queryMs * share)}`,
  );
  return ['begin', ...settings].join('; ');
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
  // While a migration waits for the lock of a table, all queries on the table wait, too.
  await sql`set local lock_timeout = '2s'`.execute(connection);
  const { rows } = await sql<{ has_lock: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(migrationLockId)}::bigint) as has_lock
  `.execute(connection);
  if (rows[0]?.has_lock === true) return true;
  await sql`rollback`.execute(connection);
  return false;
}

/**
 * Locks all tables before the first change. A migration that locked them one by one could deadlock
 * with a query of a running process, and the server would end the query. The migration waits for
 * less than `deadlock_timeout`, whose default is a second, so that it gives up first.
 */
async function lockTables(connection: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = current_schema() and tableowner = current_user order by tablename
  `.execute(connection);
  if (rows.length === 0) return;
  await sql`set local lock_timeout = '500ms'`.execute(connection);
  const names = sql.join(rows.map(({ name }) => sql.table(name)));
  await sql`lock table ${names} in access exclusive mode`.execute(connection);
  await sql`set local lock_timeout = '2s'`.execute(connection);
}

/** The transaction of a migration already has a lock. */
class UnlockedPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

class OurPostgresDialect extends PostgresDialect {
  readonly #begin: string;

  constructor(config: PostgresDialectConfig, begin: string) {
    super(config);
    this.#begin = begin;
  }

  override createAdapter() {
    return new UnlockedPostgresAdapter();
  }

  override createDriver() {
    const driver = super.createDriver();
    const begin = driver.beginTransaction.bind(driver);
    driver.beginTransaction = async (connection, settings) => {
      // Only the snapshot of a backup has settings. It may last for hours.
      if (settings.isolationLevel !== undefined) return begin(connection, settings);
      await connection.executeQuery(CompiledQuery.raw(this.#begin));
    };
    // After a lost connection, the rollback also fails. Its error would hide the original one.
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {});
    return driver;
  }
}
