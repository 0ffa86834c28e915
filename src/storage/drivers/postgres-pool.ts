// A pool of connections that follows a failover. All pooled connections may lead to the lost
// server, so none of them is used again once one of them shows that the server is lost.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { CountConnections } from './connection-counts.ts';
import {
  isConnectionError,
  isServerLost,
  markConnectError,
  markQueryError,
} from './postgres-errors.ts';
import { requireWritable } from './postgres-writable.ts';

export type CountedPool = PostgresPool & { readonly count: CountConnections };

export function openPool(options: pg.PoolConfig): CountedPool {
  const pool = new pg.Pool(options);
  const fresh = new WeakSet<object>();
  /** The connections that were writable and have not been lost since. */
  let trusted = new WeakSet<object>();
  // The pool replaces a lost idle connection at its next use. Without a listener, the error would
  // end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    fresh.add(client);
    // The same applies to a connection lost during a query. The query itself fails.
    client.on('error', () => {});
  });
  // An abandoned query may still be running in a transaction that nothing would end.
  pool.on('release', (_error, client) => {
    if (!isReady(client)) client.end().catch(() => {});
  });

  async function connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (trusted.has(client)) return client;
      const isFresh = fresh.delete(client);
      if (!isFresh) {
        client.release(true);
        continue;
      }
      try {
        await client.query(requireWritable);
      } catch (error) {
        client.release(true);
        throw error;
      }
      trusted.add(client);
      return client;
    }
  }
  function onError(error: Error): void {
    markQueryError(error);
    if (isServerLost(error)) trusted = new WeakSet();
  }
  return {
    async connect() {
      try {
        return trackQueries(await connect(), onError, (client) => trusted.has(client));
      } catch (error) {
        throw error instanceof Error ? markConnectError(error) : error;
      }
    },
    end: () => pool.end(),
    count: () => ({
      max: pool.options.max,
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  };
}

/** The types of pg do not declare the field. */
function isReady(client: object): boolean {
  return !('readyForQuery' in client) || client.readyForQuery === true;
}

/** A connection that failed or timed out is not reused: its transaction may still be open. */
function trackQueries(
  client: pg.PoolClient,
  onError: (error: Error) => void,
  isTrusted: (client: object) => boolean,
): PostgresPoolClient {
  let isBroken = false;
  const query = async (...words: unknown[]) => {
    // Such as the rollback after a query without an answer, which would not be answered either.
    if (isBroken) throw markConnectError(new Error('the connection is broken'));
    try {
      return await Reflect.apply(client.query, client, words);
    } catch (error) {
      if (error instanceof Error) {
        isBroken = isConnectionError(error);
        onError(error);
      }
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release: () => client.release(isBroken || !isTrusted(client)),
  };
}
