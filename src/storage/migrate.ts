// Brings the schema of a database up to date.
import { Migrator, sql } from 'kysely';
import { up as createSchema } from './migrations/0001-schema.ts';
import type { Database } from './schema.ts';

/** In the order in which they are applied. */
const migrations = { '0001-schema': { up: createSchema } };

const attemptsMax = 5;

/**
 * Applies the migrations that are missing, all or none. Throws where another version has applied
 * migrations that this one does not know.
 *
 * A failure is retried: nothing prevents two processes from migrating the same SQLite file, and the
 * slower one finds the work done at its next attempt.
 */
export async function migrate(db: Database): Promise<void> {
  const provider = { getMigrations: () => Promise.resolve(migrations) };
  for (let attempt = 1; ; attempt++) {
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    if (error === undefined) return;
    const { unknown } = await compareMigrations(db);
    if (unknown.length > 0) {
      throw new Error(
        `The database has migrations that this version does not know: ${unknown.join(', ')}.`,
      );
    }
    if (attempt === attemptsMax) throw error;
    await new Promise((resolve) => setTimeout(resolve, 50 * attempt));
  }
}

export type MigrationComparison = {
  /** Migrations that the next start applies. */
  readonly missing: readonly string[];
  /** Applied migrations that this version does not know. */
  readonly unknown: readonly string[];
};

export async function compareMigrations(db: Database): Promise<MigrationComparison> {
  const applied = await readApplied(db);
  const known = Object.keys(migrations);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

async function readApplied(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).sort();
}
