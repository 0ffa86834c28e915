// Inspects a database without changing it.
import { openDatabaseReadOnly } from './database.ts';
import { compareSchema, type SchemaComparison } from './migrate.ts';
import type { PostgresSettings } from './postgres.ts';
import type { Database } from './schema.ts';

export type Inspection = SchemaComparison & {
  /**
   * The latest creation time of a row, in milliseconds since 1970; undefined for an empty database.
   */
  readonly newestTime: number | undefined;
  /** The ids of the master keys that encrypt the signing keys; empty for an empty database. */
  readonly masterKeyIds: readonly string[];
};

export async function inspectDatabase(
  url: string,
  settings: PostgresSettings,
): Promise<Inspection> {
  const db = await openDatabaseReadOnly(url, settings);
  try {
    const comparison = await compareSchema(db);
    if (comparison.missing.length > 0) {
      return { ...comparison, newestTime: undefined, masterKeyIds: [] };
    }
    const newestTime = await readNewestTime(db);
    return { ...comparison, newestTime, masterKeyIds: await readMasterKeyIds(db) };
  } finally {
    await db.destroy();
  }
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
