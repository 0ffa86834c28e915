// The tables that record the applied migrations. Release 0.1 reads `kysely_migration` and does not
// start if that table has a migration that it does not know. All later migrations are therefore
// recorded in `schema_migrations`.
import { sql } from 'kysely';
import type { Database } from './schema/schema.ts';

export const recordsTable = 'schema_migrations';
const firstRecordsTable = 'kysely_migration';
/** The last migration of release 0.1. */
const firstMigration = '0001-schema';

/**
 * Returns the applied migrations and, for each, the last migration of the oldest release that runs
 * on the schema after it; undefined if only releases with the migration itself do.
 */
export async function readApplied(db: Database): Promise<ReadonlyMap<string, string | undefined>> {
  const tables = await tableNames(db);
  const applied = new Map<string, string | undefined>();
  if (tables.has(firstRecordsTable)) {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    for (const { name } of rows) applied.set(name, undefined);
  }
  if (tables.has(recordsTable)) {
    const { rows } = await sql<{ name: string; oldest_supported: string | null }>`
      select name, oldest_supported from schema_migrations
    `.execute(db);
    for (const row of rows) applied.set(row.name, row.oldest_supported ?? undefined);
  }
  return applied;
}

/** Creates both tables and copies the records of release 0.1. */
export async function createRecords(db: Database): Promise<void> {
  for (const table of [firstRecordsTable, recordsTable]) {
    // The columns and types are those of Kysely's own table.
    const create = db.schema
      .createTable(table)
      .ifNotExists()
      .addColumn('name', 'varchar(255)', (c) => c.notNull().primaryKey())
      .addColumn('timestamp', 'varchar(255)', (c) => c.notNull());
    const isOurs = table === recordsTable;
    await (isOurs ? create.addColumn('oldest_supported', 'varchar(255)') : create).execute();
  }
  await sql`
    insert into schema_migrations (name, timestamp)
    select name, timestamp from kysely_migration
    where name not in (select name from schema_migrations)
  `.execute(db);
}

/**
 * Records the oldest release that runs on the schema after a migration. Records the migration also
 * in the table that release 0.1 reads, if that release knows it or does not run on the schema.
 */
export async function recordSupport(
  db: Database,
  name: string,
  oldestSupported: string,
): Promise<void> {
  await sql`
    update schema_migrations set oldest_supported = ${oldestSupported} where name = ${name}
  `.execute(db);
  if (name > firstMigration && oldestSupported <= firstMigration) return;
  await sql`
    insert into kysely_migration (name, timestamp)
    select name, timestamp from schema_migrations where name = ${name}
  `.execute(db);
}

async function tableNames(db: Database): Promise<ReadonlySet<string>> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return new Set(tables.map(({ name }) => name));
}
