// Migrations when a database is opened.
import SQLite from 'better-sqlite3';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';

/** Runs `work` on a database without migrating it. */
async function withDatabase(url: string, work: (db: Kysely<unknown>) => Promise<unknown>) {
  const dialect = url.startsWith('sqlite:')
    ? new SqliteDialect({ database: new SQLite(url.slice('sqlite:'.length)) })
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) });
  const db = new Kysely<unknown>({ dialect });
  await work(db).finally(() => db.destroy());
}

const tableNames = async (db: Kysely<unknown>) =>
  (await db.introspection.getTables()).map(({ name }) => name);

describeDialects('opening a database', (dialect) => {
  it('changes nothing if a migration fails, and succeeds later', async () => {
    const url = await freshDatabaseUrl(dialect);
    // The last migration but one creates it, after most of the others.
    const obstacle = 'gate_codes';
    await withDatabase(url, (db) =>
      db.schema.createTable(obstacle).addColumn('id', 'text').execute(),
    );

    await expect(openDatabase(url)).rejects.toThrow(/exists/);

    await withDatabase(url, async (db) => {
      expect(await tableNames(db)).toEqual([obstacle]);
      await db.schema.dropTable(obstacle).execute();
    });
    const db = await openUntilFinished(url);
    expect(await db.selectFrom('clients').selectAll().execute()).toEqual([]);
  });

  it('refuses a database with migrations of a newer version', async () => {
    const url = await freshDatabaseUrl(dialect);
    await openDatabase(url).then((db) => db.destroy());
    await withDatabase(url, (db) =>
      sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(db),
    );

    await expect(openDatabase(url)).rejects.toThrow(
      'The database has migrations that this version does not know: 9999-later.',
    );
  });
});
