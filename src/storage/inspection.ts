// Looks at a database without changing it.
import { sql } from 'kysely';
import { migrationNames, openUnchanged } from './database.ts';
import type { Database } from './schema.ts';

export type Inspection = {
  /** Migrations that the next start applies. */
  readonly missing: readonly string[];
  /** Applied migrations that this version does not know. */
  readonly unknown: readonly string[];
  /** The latest time of a row, in milliseconds since 1970; undefined for an empty database. */
  readonly newestTime: number | undefined;
  /** The master keys that signing keys are encrypted under; none in an empty database. */
  readonly masterKeyIds: readonly string[];
};

export async function inspectDatabase(url: string): Promise<Inspection> {
  const db = openUnchanged(url);
  try {
    const applied = await readApplied(db);
    const missing = migrationNames.filter((name) => !applied.includes(name));
    const unknown = applied.filter((name) => !migrationNames.includes(name));
    const newestTime = await readNewestTime(db, applied);
    const masterKeyIds = await readMasterKeyIds(db, applied);
    return { missing, unknown, newestTime, masterKeyIds };
  } finally {
    await db.destroy();
  }
}

async function readApplied(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).sort();
}

async function readMasterKeyIds(db: Database, applied: readonly string[]): Promise<string[]> {
  if (!applied.includes('0005-signing-keys')) return [];
  const keys = db.selectFrom('signing_keys').select('master_key_id').distinct();
  const rows = await keys.where('state', '!=', 'revoked').execute();
  return rows.map(({ master_key_id }) => master_key_id);
}

/** Tables with an index of the newest rows, and the migration that has made it. */
const newestIndexes = {
  audit_events: '0002-audit',
  users: '0004-users',
  signing_keys: '0005-signing-keys',
} as const;

async function readNewestTime(
  db: Database,
  applied: readonly string[],
): Promise<number | undefined> {
  const times: number[] = [];
  for (const table of ['audit_events', 'users', 'signing_keys'] as const) {
    if (!applied.includes(newestIndexes[table])) continue;
    const row = await db
      .selectFrom(table)
      .select('create_time')
      .orderBy('create_time', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) times.push(row.create_time);
  }
  return times.length === 0 ? undefined : Math.max(...times);
}
