// Databases whose schema is not that of this version.
import { Kysely, Migrator, PostgresDialect, SqliteDialect } from 'kysely';
import pg from 'pg';
import { createFirstSchema } from '../../src/storage/migrations/0001-schema.ts';
import { openSqliteFile } from '../../src/storage/sqlite-library.ts';

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
