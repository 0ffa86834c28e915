// Marks the errors that come from PostgreSQL or from a connection to it. A reset of the caller's
// connection has the same error code and must not be mistaken for one of them.
import type { PostgresPool, PostgresPoolClient } from 'kysely';

const fromPostgres = new WeakSet<object>();
/** Errors of opening a connection. Whatever the cause, the server cannot be used. */
const connecting = new WeakSet<object>();

/**
 * Classes and codes of SQLSTATE that mean that the server is unreachable, busy, stopping, or has
 * failed over. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const awayStates = [
  '08', // connection_exception
  '25006', // read_only_sql_transaction: the server has become a standby
  '40003', // statement_completion_unknown
  '53', // insufficient_resources
  '57014', // query_canceled: by a timeout of the server or by its operator
  '57P', // operator_intervention: shutdown, crash, start
  '58', // system_error
];

const sqlState = /^[0-9A-Z]{5}$/;

function stateOf(error: object): string | undefined {
  // Only errors from the server have a severity. Node's code `EPIPE` also has five letters.
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity !== undefined && sqlState.test(String(code)) ? String(code) : undefined;
}

/** Returns whether a PostgreSQL error means that the server cannot be used now. */
export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (connecting.has(error)) return true;
  const state = stateOf(error);
  if (state !== undefined) return awayStates.some((away) => state.startsWith(away));
  return fromPostgres.has(error) && !(error instanceof TypeError);
}

type Client = PostgresPoolClient & { release(destroy?: boolean): void };

/**
 * Marks the errors of a pool. A connection that has failed or timed out is not reused, because its
 * transaction may still be open.
 */
export function trackPoolErrors(pool: PostgresPool): PostgresPool {
  return {
    async connect() {
      try {
        return markClient((await pool.connect()) as Client);
      } catch (error) {
        if (error instanceof Error) connecting.add(error);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

function markClient(client: Client): PostgresPoolClient {
  let isBroken = false;
  const query = async (...words: unknown[]) => {
    try {
      return await Reflect.apply(client.query, client, words);
    } catch (error) {
      if (error instanceof Error) {
        fromPostgres.add(error);
        isBroken ||= stateOf(error) === undefined;
      }
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release: () => client.release(isBroken),
  };
}
