// Migrates the schema of a database.
import { Migrator, sql } from 'kysely';
import { up as createSchema } from './migrations/0001-schema.ts';
import { up as scaleOut } from './migrations/0002-scale-out.ts';
import type { Database } from './schema.ts';

/** The migrations, in the order in which they are applied. */
const migrations = { '0001-schema': { up: createSchema }, '0002-scale-out': { up: scaleOut } };

const attemptsMax = 5;

/**
 * Applies all missing migrations, or none if one fails. Throws if the database has migrations that
 * this version does not know. A failed attempt is retried, because two processes can migrate the
 * same SQLite file at once: the slower process then finds the schema already migrated.
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
  /** The migrations that the next start applies. */
  readonly missing: readonly string[];
  /** The applied migrations that this version does not know. */
  readonly unknown: readonly string[];
  /** Whether no migration was ever applied. */
  readonly isNew: boolean;
};

export async function compareMigrations(db: Database): Promise<MigrationComparison> {
  const applied = await readApplied(db);
  const known = Object.keys(migrations);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
    isNew: applied.length === 0,
  };
}

async function readApplied(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).sort();
}
