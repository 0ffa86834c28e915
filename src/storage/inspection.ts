// Inspects a database without changing it.

import { sql } from 'kysely';
import { openDatabaseReadOnly, useDatabase } from './database.ts';
import type { PostgresSettings } from './drivers/postgres.ts';
import { compareSchema, type SchemaComparison } from './migrate.ts';
import { isPostgres } from './schema/dialect.ts';
import type { Database } from './schema/schema.ts';

export type Inspection = SchemaComparison & {
  /**
   * The latest creation time of a row, in milliseconds since 1970; undefined for an empty database.
   */
  readonly newestTime: number | undefined;
  /** The ids of the master keys that encrypt the signing keys; empty for an empty database. */
  readonly masterKeyIds: readonly string[];
  readonly server: DatabaseServer;
};

export type DatabaseServer = {
  readonly version: string;
  /** The shortest time of several queries. */
  readonly latencyMs: number;
  /** How far the clock of the server is at least ahead of this clock; 0 for SQLite. */
  readonly skewMs: number;
};

export async function inspectDatabase(
  url: string,
  settings: PostgresSettings,
): Promise<Inspection> {
  return useDatabase(await openDatabaseReadOnly(url, settings), async (db) => {
    const comparison = await compareSchema(db);
    const server = await inspectServer(db);
    if (comparison.missing.length > 0) {
      return { ...comparison, newestTime: undefined, masterKeyIds: [], server };
    }
    const newestTime = await readNewestTime(db);
    return { ...comparison, newestTime, masterKeyIds: await readMasterKeyIds(db), server };
  });
}

const queries = 5;

async function inspectServer(db: Database): Promise<DatabaseServer> {
  let best: DatabaseServer | undefined;
  for (let i = 0; i < queries; i++) {
    const sent = Date.now();
    const start = performance.now();
    const row = isPostgres(db) ? await readPostgres(db) : await readSqlite(db);
    const latencyMs = performance.now() - start;
    if (best !== undefined && best.latencyMs <= latencyMs) continue;
    const { version, timeMs = sent } = row;
    // The server read its clock at some time between the request and the response.
    const skewMs = timeMs < sent ? timeMs - sent : Math.max(0, timeMs - sent - latencyMs);
    best = { version, latencyMs, skewMs };
  }
  if (best === undefined) throw new Error('there is no query');
  return best;
}

type ServerRow = { readonly version: string; readonly timeMs?: number };

async function readPostgres(db: Database): Promise<ServerRow> {
  const { rows } = await sql<{ version: string; time_ms: number }>`
    select current_setting('server_version') as version,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as time_ms`.execute(db);
  const [row] = rows;
  return { version: `PostgreSQL ${row?.version.split(' ')[0]}`, timeMs: Number(row?.time_ms) };
}

async function readSqlite(db: Database): Promise<ServerRow> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
  return { version: `SQLite ${rows[0]?.version}` };
}

async function readMasterKeyIds(db: Database): Promise<string[]> {
  const keys = db.selectFrom('signing_keys').select('master_key_id').distinct();
  const rows = await keys.where('state', '!=', 'revoked').execute();
  return rows.map(({ master_key_id }) => master_key_id);
}

async function readNewestTime(db: Database): Promise<number | undefined> {
  const times: number[] = [];
  // Each of these tables has an index on its newest rows.
  for (const table of ['audit_events', 'users', 'signing_keys'] as const) {
    const newest = db.selectFrom(table).select('create_time').orderBy('create_time', 'desc');
    const row = await newest.limit(1).executeTakeFirst();
    if (row !== undefined) times.push(row.create_time);
  }
  return times.length === 0 ? undefined : Math.max(...times);
}
