// The triggers record the changes of every writer and every statement.
import { SqliteAdapter, sql } from 'kysely';
import { expect, it } from 'vitest';
import { cachedTables } from '../../src/storage/changes/cached-tables.ts';
import { transact } from '../../src/storage/database.ts';
import { lockRow } from '../../src/storage/queries/row-locks.ts';
import type { Database, Schema } from '../../src/storage/schema/schema.ts';
import { cachedRowIds, fillCachedTables } from '../support/cached-rows.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';

const tables = Object.keys(cachedTables) as (keyof typeof cachedTables & keyof Schema)[];

describeDialects('the triggers of', (dialect) => {
  /** A database with one row in each cached table, open as an operator opens it. */
  async function open() {
    const db = (await openUntilFinished(await migratedDatabaseUrl(dialect))).withoutPlugins();
    await transact(db, fillCachedTables);
    await sql`delete from changes`.execute(db);
    return db;
  }

  itHoldsFor(tables, 11)('record a change of each cached column', async (table) => {
    const db = await open();
    await dropConstraints(db);
    const { entity, uncached } = cachedTables[table] ?? { entity: '', uncached: [] };
    const id = cachedRowIds[table] ?? '';
    const idColumn = Object.entries((await allRowsOf(db, table))[0] ?? {}).find(
      ([, value]) => value === id,
    )?.[0];

    for (const { name: column, isNumber } of await columnsOf(db, table)) {
      await sql`delete from changes`.execute(db);
      const changed = isNumber
        ? sql`coalesce(${sql.ref(column)}, 0) + 1`
        : sql`coalesce(${sql.ref(column)}, '') || 'x'`;
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${changed}`.execute(db);

      const isCached = !(uncached as readonly string[]).includes(column);
      const expected = !isCached ? [] : column === idColumn ? [`${id}x`, id] : [id];
      const found = await changesOf(db, entity);
      expect(found, column).toEqual(expected);
      if (column !== idColumn) continue;
      const back = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${id}`;
      await back.execute(db);
    }
  });

  itHoldsFor(tables, 11)('record a deletion, unless no cache trusts the row', async (table) => {
    const db = await open();
    await dropConstraints(db);
    const { entity = '', ignoresDeletes } = cachedTables[table] ?? {};

    await sql`delete from ${sql.table(table)}`.execute(db);

    expect(await changesOf(db, entity)).toEqual(ignoresDeletes ? [] : [cachedRowIds[table]]);
  });

  itHoldsFor(tables, 11)('record an insertion, unless the row has a random id', async (table) => {
    const db = (await openUntilFinished(await migratedDatabaseUrl(dialect))).withoutPlugins();
    await transact(db, fillCachedTables);

    const { entity = '' } = cachedTables[table] ?? {};
    if (insertsOf(table)) expect(await changesOf(db, entity)).toContain(cachedRowIds[table]);
    else if (!tables.some((other) => cachedTables[other]?.entity === entity && insertsOf(other))) {
      expect(await changesOf(db, entity)).toEqual([]);
    }
  });

  itHoldsFor(tables, 11)('record nothing if a row is only locked', async (table) => {
    const db = await open();
    const [row] = await allRowsOf(db, table);
    const [column = ''] = Object.keys(row ?? {});

    await transact(db, (trx) => lockRow(trx, table, column as never, String(row?.[column])));

    expect(await db.selectFrom('changes').selectAll().execute()).toEqual([]);
  });

  it('revoked_tokens record the time at which the token expires', async () => {
    const db = await open();

    await sql`update revoked_tokens set expire_time = 77`.execute(db);

    const change = db.selectFrom('changes').select(['entity', 'expire_time']);
    expect(await change.execute()).toEqual([{ entity: 'revoked_token', expire_time: 77 }]);
  });

  it('a table are found whatever the search path of the writer is', async () => {
    if (dialect === 'sqlite') return;
    const db = await open();

    await db.connection().execute(async (one) => {
      await sql`set search_path to pg_catalog`.execute(one);
      await sql`update public.clients set scopes = 'x:read'`.execute(one);
      await sql`reset search_path`.execute(one);
    });

    expect(await changesOf(db, 'client')).toEqual(['cli_1']);
  });
});

const insertsOf = (table: keyof typeof cachedTables) => !cachedTables[table]?.ignoresInserts;

async function changesOf(db: Database, entity: string): Promise<string[]> {
  const rows = await db
    .selectFrom('changes')
    .select('entity_id')
    .where('entity', '=', entity as 'client')
    .orderBy('id')
    .execute();
  return rows.map(({ entity_id }) => entity_id);
}

async function allRowsOf(db: Database, table: string): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select * from ${sql.table(table)}
  `.execute(db);
  return rows;
}

type Column = { readonly name: string; readonly isNumber: boolean };

async function columnsOf(db: Database, table: string): Promise<Column[]> {
  const found = (await db.introspection.getTables()).find(({ name }) => name === table);
  return (found?.columns ?? []).map(({ name, dataType }) => ({
    name,
    isNumber: /int/i.test(dataType),
  }));
}

/** Lets a test change each column by itself. */
async function dropConstraints(db: Database): Promise<void> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) {
    await sql`pragma foreign_keys = off`.execute(db);
    await sql`pragma ignore_check_constraints = on`.execute(db);
    return;
  }
  // Keys last, because foreign keys depend on them. Constraints of NOT NULL cannot be dropped so.
  const { rows } = await sql<{ statement: string }>`
    select format('alter table %s drop constraint if exists %I', conrelid::regclass, conname)
      as statement
    from pg_constraint where contype in ('c', 'f') and connamespace = 'public'::regnamespace
  `.execute(db);
  for (const { statement } of rows) await sql.raw(statement).execute(db);
}
