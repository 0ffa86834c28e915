// A database that an earlier version has filled, opened by this one.
import SQLite from 'better-sqlite3';
import { Kysely, Migrator, PostgresDialect, SqliteDialect, sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { up as foundation } from '../../src/storage/migrations/0001-foundation.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';

/** What the accounts were before they had rows of their own. */
type Foundation = {
  customers: { id: string; name: string; create_time: number; disable_time: number | null };
  accounts: { customer_id: string; account_id: string };
};

function connect(url: string): Kysely<Foundation> {
  const dialect = url.startsWith('sqlite:')
    ? new SqliteDialect({ database: new SQLite(url.slice('sqlite:'.length)) })
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) });
  return new Kysely<Foundation>({ dialect });
}

async function withOld<T>(url: string, work: (db: Kysely<Foundation>) => Promise<T>): Promise<T> {
  const db = connect(url);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** A database as the first version has left it. */
function fill(url: string): Promise<void> {
  return withOld(url, async (db) => {
    const provider = {
      getMigrations: () => Promise.resolve({ '0001-foundation': { up: foundation } }),
    };
    const { error } = await new Migrator({ db, provider }).migrateToLatest();
    expect(error).toBeUndefined();
    const customer = { name: 'Old', disable_time: null };
    await db
      .insertInto('customers')
      .values([
        { ...customer, id: 'cus_1', create_time: 2_000 },
        { ...customer, id: 'cus_2', create_time: 1_000 },
        { ...customer, id: 'cus_3', create_time: 3_000 },
      ])
      .execute();
    await db
      .insertInto('accounts')
      .values([
        { customer_id: 'cus_1', account_id: 'acc_a' },
        { customer_id: 'cus_1', account_id: 'acc_b' },
        { customer_id: 'cus_2', account_id: 'acc_b' },
      ])
      .execute();
  });
}

describeDialects('a database of the first version', (dialect) => {
  it("keeps its customers' accounts, which begin with the first who has them", async () => {
    const url = await freshDatabaseUrl(dialect);
    await fill(url);

    const db = await openUntilFinished(url);

    const bindings = db.selectFrom('customer_accounts').selectAll();
    expect(await bindings.orderBy('customer_id').orderBy('account_id').execute()).toEqual([
      { customer_id: 'cus_1', account_id: 'acc_a' },
      { customer_id: 'cus_1', account_id: 'acc_b' },
      { customer_id: 'cus_2', account_id: 'acc_b' },
    ]);
    expect(await db.selectFrom('accounts').selectAll().orderBy('id').execute()).toEqual([
      { id: 'acc_a', create_time: 2_000 },
      { id: 'acc_b', create_time: 1_000 },
    ]);
    expect(await db.selectFrom('customers').select('id').orderBy('id').execute()).toHaveLength(3);
  });

  it('counts what its workspaces store and how often its links were viewed', async () => {
    const url = await freshDatabaseUrl(dialect);
    await fill(url);
    await withOld(url, async (db) => {
      await sql`insert into workspaces (id, name, create_time)
        values ('ws_1', '', 1), ('ws_2', '', 1)`.execute(db);
      for (const [id, bytes] of [
        ['doc_1', 4_000_000_000],
        ['doc_2', 7],
      ] as const) {
        await sql`insert into documents (id, workspace_id, name, content_type, size_bytes, sha256,
          page_count, blob_id, create_time)
          values (${id}, 'ws_1', '', '', ${bytes}, '', 0, ${id}, 1)`.execute(db);
      }
      for (const id of ['lnk_1', 'lnk_2', 'lnk_3']) {
        await sql`insert into links (id, slug, workspace_id, document_id, name, email_required,
          email_verification_required, allow_download, gate_revision, create_time)
          values (${id}, ${id}, 'ws_1', 'doc_1', '', 0, 0, 0, 1, 1)`.execute(db);
      }
      for (const [id, link] of [
        ['viw_1', 'lnk_1'],
        ['viw_2', 'lnk_1'],
        ['viw_3', 'lnk_2'],
      ]) {
        await sql`insert into views (id, link_id, email, email_verified, create_time, duration_ms)
          values (${id}, ${link}, '', 0, 1, 0)`.execute(db);
      }
    });

    const db = await openUntilFinished(url);

    const links = db.selectFrom('links').select(['id', 'view_count']).orderBy('id');
    expect(await links.execute()).toEqual([
      { id: 'lnk_1', view_count: 2 },
      { id: 'lnk_2', view_count: 1 },
      { id: 'lnk_3', view_count: 0 },
    ]);
    const usage = db.selectFrom('workspace_usage').selectAll().orderBy('workspace_id');
    expect(await usage.execute()).toEqual([
      { workspace_id: 'ws_1', bytes: 4_000_000_007, documents: 2, links: 3, views: 3 },
      { workspace_id: 'ws_2', bytes: 0, documents: 0, links: 0, views: 0 },
    ]);
  });

  it('is left as it was where it cannot be upgraded, and is upgraded once it can', async () => {
    const url = await freshDatabaseUrl(dialect);
    await fill(url);
    const obstacle = (db: Kysely<Foundation>) =>
      db.schema.createTable('customer_accounts').addColumn('id', 'text').execute();
    await withOld(url, obstacle);

    await expect(openDatabase(url)).rejects.toThrow(/exists/);

    await withOld(url, async (db) => {
      expect(await db.selectFrom('accounts').select('customer_id').execute()).toHaveLength(3);
      await db.schema.dropTable('customer_accounts').execute();
    });
    const db = await openUntilFinished(url);
    expect(await db.selectFrom('customer_accounts').selectAll().execute()).toHaveLength(3);
  });
});
