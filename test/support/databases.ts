// Databases of each dialect, for tests that need no app.
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import type { PostgresSettings } from '../../src/storage/postgres.ts';
import type { Database } from '../../src/storage/schema.ts';
import type {} from './global-setup.ts';
import type { Dialect } from './matrix.ts';
import { freshPostgresDatabase, migratedPostgresDatabase } from './postgres-databases.ts';

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
