// Brings the schema of an opened database to the latest version, or checks it.
import { Kysely } from 'kysely';
import type { OpenedDialect } from './drivers/sqlite.ts';
import { compareSchema, migrate, type SchemaComparison } from './migrate.ts';
import type { Database, Schema } from './schema/schema.ts';

export type Prepared = {
  readonly applied: readonly string[];
  /** The migrations of newer versions, which support this one. */
  readonly unknown: readonly string[];
};

/** Throws if this version cannot run on the schema, or if it may not migrate it. */
export async function prepareSchema(
  db: Database,
  opened: OpenedDialect,
  { migrate: mode = 'auto' }: { readonly migrate?: 'auto' | 'off' },
): Promise<Prepared> {
  const before = await compareSupported(db);
  if (before.missing.length === 0) return { applied: [], unknown: before.unknown };
  if (mode === 'off') throw new Error(describeMissing(before));
  const applied = await migrateOpened(db, opened);
  // Another process may have applied more migrations than this version knows.
  const { unknown } = await compareSupported(db);
  return { applied, unknown };
}

async function compareSupported(db: Database): Promise<SchemaComparison> {
  const comparison = await compareSchema(db);
  if (!comparison.isSupported) throw new Error(describeUnsupported(comparison));
  return comparison;
}

async function migrateOpened(
  db: Database,
  { openForMigration, beginMigration: begin, ...dialect }: OpenedDialect,
): Promise<readonly string[]> {
  if (openForMigration === undefined) return migrate({ ...dialect, db, begin });
  const separate = new Kysely<Schema>({ dialect: openForMigration() });
  return migrate({ ...dialect, db: separate, begin }).finally(() => separate.destroy());
}

function describeUnsupported({ unknown }: SchemaComparison): string {
  return (
    `The database has migrations that this version does not know: ${unknown.join(', ')}. ` +
    'This version cannot run on them. Use the version that applied them, or a newer one.'
  );
}

function describeMissing({ missing, isNew }: SchemaComparison): string {
  const state = isNew ? 'The database is empty' : `The database lacks ${missing.join(', ')}`;
  return (
    `${state}, and LATCHKEY_MIGRATE=off forbids a migration at the start. ` +
    'Run `node dist/src/main.js migrate` first.'
  );
}
