// PostgreSQL: a pool of connections.
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { markErrors } from './postgres-errors.ts';
import type { Opened } from './sqlite.ts';

/** A pool of connections to a server. */
export function postgres(url: string): Opened {
  const types = new pg.TypeOverrides();
  // Every bigint of the schema is a time in milliseconds or a count, far below 2^53.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    query_timeout: 10_000,
  });
  // A lost idle connection is replaced at the next use; unheard, its error would end the process.
  pool.on('error', () => {});
  // Nor may one that is lost amid a query, which fails by itself.
  pool.on('connect', (client) => client.on('error', () => {}));
  // A query that was given up may still run, within a transaction that nothing would end.
  pool.on('release', (_error, client) => {
    if (!isReady(client)) client.end().catch(() => {});
  });
  return { dialect: new OurPostgresDialect({ pool: markErrors(pool) }), ready: () => {} };
}

/** Whether the server waits for the next query; pg does not declare the field. */
function isReady(client: object): boolean {
  return !('readyForQuery' in client) || client.readyForQuery === true;
}

/** Where the connection is lost, a rollback fails, too, and its failure would hide the true one. */
class OurPostgresDialect extends PostgresDialect {
  override createDriver() {
    const driver = super.createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {});
    return driver;
  }
}
