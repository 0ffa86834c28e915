// PostgreSQL, with a pool of connections.
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { trackPoolErrors } from './postgres-errors.ts';
import type { OpenedDialect } from './sqlite.ts';

/** Opens a pool of connections to a server. */
export function openPostgres(url: string): OpenedDialect {
  const types = new pg.TypeOverrides();
  // Every bigint in the schema is a time in milliseconds or a count, far below 2^53.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    query_timeout: 10_000,
  });
  // The pool replaces a lost idle connection at its next use. Without a listener, the error would
  // end the process.
  pool.on('error', () => {});
  // The same applies to a connection lost during a query. The query itself fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  // An abandoned query may still be running in a transaction that nothing would end.
  pool.on('release', (_error, client) => {
    if (!isReady(client)) client.end().catch(() => {});
  });
  return { dialect: new OurPostgresDialect({ pool: trackPoolErrors(pool) }), ready: () => {} };
}

/**
 * Returns whether the server waits for the next query. The types of pg do not declare the field.
 */
function isReady(client: object): boolean {
  return !('readyForQuery' in client) || client.readyForQuery === true;
}

/** After a lost connection, the rollback also fails, and its error would hide the original one. */
class OurPostgresDialect extends PostgresDialect {
  override createDriver() {
    const driver = super.createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {});
    return driver;
  }
}
