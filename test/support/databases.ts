// Databases of each dialect, for tests that need no app.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema.ts';
import type { Dialect } from './harness.ts';
import { freshPostgresDatabase } from './postgres-databases.ts';

/** The URL of an empty database, removed when the test ends. */
export async function freshDatabaseUrl(dialect: Dialect): Promise<string> {
  if (dialect === 'postgres') return freshPostgresDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return `sqlite:${folder}/latchkey.db`;
}

/** Opens a database that is closed when the test ends. */
export async function openUntilFinished(url: string): Promise<Database> {
  const db = await openDatabase(url);
  onTestFinished(() => db.destroy());
  return db;
}
