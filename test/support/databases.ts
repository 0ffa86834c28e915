// Databases of a dialect, for tests of what stands on them alone.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema.ts';
import type { Dialect } from './harness.ts';
import { freshPostgresDatabase } from './postgres-databases.ts';

/** The url of an empty database, which the test's end removes. */
export async function freshDatabaseUrl(dialect: Dialect): Promise<string> {
  if (dialect === 'postgres') return freshPostgresDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return `sqlite:${folder}/latchkey.db`;
}

/** Opens a database until the test's end. */
export async function openUntilFinished(url: string): Promise<Database> {
  const db = await openDatabase(url);
  onTestFinished(() => db.destroy());
  return db;
}
