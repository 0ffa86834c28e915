// Databases of each dialect, for tests that need no app.

import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Kysely, Migrator, PostgresDialect, SqliteDialect } from 'kysely';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { openPostgres, type PostgresSettings } from '../../src/storage/drivers/postgres.ts';
import { openSqlite } from '../../src/storage/drivers/sqlite.ts';
import { openSqliteFile } from '../../src/storage/drivers/sqlite-library.ts';
import { migrate, type SchemaMigrations } from '../../src/storage/migrate.ts';
import { createFirstSchema } from '../../src/storage/migrations/0001-schema.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import type {} from './global-setup.ts';
import type { Dialect } from './matrix.ts';
import { createDatabase } from './postgres.ts';

/** The URL of an empty database, removed when the test ends. */
export async function freshDatabaseUrl(dialect: Dialect): Promise<string> {
  if (dialect === 'postgres') return freshPostgresDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return `sqlite:${folder}/latchkey.db`;
}

/** The same with the current schema, which saves the time of the migrations. */
export async function migratedDatabaseUrl(dialect: Dialect): Promise<string> {
  if (dialect === 'postgres') return migratedPostgresDatabase();
  const url = await freshDatabaseUrl(dialect);
  const file = url.slice('sqlite:'.length);
  await copyFile(inject('sqliteTemplate'), file);
  await chmod(file, 0o600);
  return url;
}

/** Opens a database that is closed when the test ends. */
export async function openUntilFinished(
  url: string,
  settings: PostgresSettings = {},
): Promise<Database> {
  const db = await openDatabase(url, settings);
  onTestFinished(() => db.destroy());
  return db;
}

/** Returns the URL of a new, empty database on the server that all tests of this run share. */
export function freshPostgresDatabase(): Promise<string> {
  return createDatabase(inject('postgresUrl'));
}

/** Does the same with the current schema, which saves the time of the migrations. */
export function migratedPostgresDatabase(): Promise<string> {
  return createDatabase(inject('postgresUrl'), inject('postgresTemplate'));
}

/** Runs `work` on a database without migrating it. */
export async function withRawDatabase<T>(url: string, work: (db: Kysely<unknown>) => Promise<T>) {
  const dialect = url.startsWith('sqlite:')
    ? new SqliteDialect({ database: openSqliteFile(url.slice('sqlite:'.length), { timeout: 100 }) })
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) });
  const db = new Kysely<unknown>({ dialect });
  return work(db).finally(() => db.destroy());
}

/** Applies the migrations of release 0.1 with the code of that release. */
export async function openWithFirstRelease(url: string): Promise<unknown> {
  const provider = {
    getMigrations: () => Promise.resolve({ '0001-schema': { up: createFirstSchema } }),
  };
  return withRawDatabase(url, async (db) => {
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    return error;
  });
}

/** Migrates with other migrations than those of this version. */
export async function migrateWith(
  url: string,
  migrations: SchemaMigrations,
): Promise<readonly string[]> {
  const opened = url.startsWith('sqlite:')
    ? await openSqlite(url.slice('sqlite:'.length))
    : openPostgres(url);
  const db = new Kysely({ dialect: opened.openForMigration?.() ?? opened.dialect });
  const { beginMigration: begin, ...others } = opened;
  const dialect = { ...others, db: db as never, begin };
  return migrate(dialect, migrations, { lockedPauseMs: 1 }).finally(() => db.destroy());
}
