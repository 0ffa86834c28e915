// Concurrent transactions on SQLite share a commit. Both databases give the same guarantees.
import { sql } from 'kysely';
import { describe, expect, it, test } from 'vitest';
import { transact, UnconfirmedCommit } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

const insert = (trx: Executor, id: string) =>
  trx.insertInto('workspaces').values({ id, name: id, create_time: 1 }).execute();

async function idsIn(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('workspaces').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

const outcomesOf = async (all: Promise<unknown>[]) =>
  (await Promise.allSettled(all)).map(({ status }) => status);

describeDialects('concurrent transactions', (dialect) => {
  it('are all stored, except those that fail', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const add = (id: string, isFailing = false) =>
      transact(db, async (trx) => {
        await insert(trx, id);
        if (isFailing) throw new Error('refused');
        await insert(trx, `${id}_2`);
      });

    const outcomes = await outcomesOf([add('a', true), add('b'), add('c', true), add('d')]);
    const duplicates = await outcomesOf([add('e'), add('b'), add('f')]);

    expect(outcomes).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(duplicates).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await idsIn(db)).toEqual(['b', 'b_2', 'd', 'd_2', 'e', 'e_2', 'f', 'f_2']);
  });

  it('never lose an increment', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const [here, there] = [await openUntilFinished(url), await openUntilFinished(url)];
    await insert(here, 'ws');
    const count = (trx: Executor) =>
      trx
        .insertInto('workspace_usage')
        .values({ workspace_id: 'ws', bytes: 1, documents: 0, links: 0, views: 0 })
        .onConflict((conflict) =>
          conflict
            .column('workspace_id')
            .doUpdateSet((eb) => ({ bytes: eb('workspace_usage.bytes', '+', 1) })),
        )
        .execute();

    await Promise.all(Array.from({ length: 40 }, (_, i) => transact(i % 2 ? here : there, count)));

    const read = here.selectFrom('workspace_usage').select('bytes');
    expect(await read.execute()).toEqual([{ bytes: 40 }]);
  });
});

describe('transactions on SQLite that are ready at the same time', () => {
  async function open() {
    const url = await migratedDatabaseUrl('sqlite');
    return { db: await openUntilFinished(url), other: await openUntilFinished(url) };
  }

  /** The commit of this transaction fails. */
  const addOrphan = (db: Database) =>
    transact(db, async (trx) => {
      await sql`pragma defer_foreign_keys = on`.execute(trx);
      await trx.insertInto('members').values(orphan).execute();
    });
  const orphan = { user_id: 'none', workspace_id: 'none', role: 'owner', create_time: 1 } as const;

  test('share a commit', async () => {
    const { db, other } = await open();
    let [seenHere, seenElsewhere]: (readonly string[])[] = [[], []];
    const first = transact(db, (trx) => insert(trx, 'a'));
    const second = transact(db, async (trx) => {
      [seenHere, seenElsewhere] = [await idsIn(trx), await idsIn(other)];
      await insert(trx, 'b');
    });

    await first;

    expect(await idsIn(other)).toEqual(['a', 'b']);
    expect([seenHere, seenElsewhere]).toEqual([['a'], []]);
    await second;
  });

  test('are answered after their own commit', async () => {
    const { db, other } = await open();
    const add = async (id: string) => {
      await transact(db, (trx) => insert(trx, id));
      expect(await idsIn(other)).toContain(id);
    };

    await Promise.all(Array.from({ length: 20 }, (_, i) => add(`ws_${i}`)));
  });

  test('all fail if their commit fails, and later ones succeed', async () => {
    const { db } = await open();
    const add = (id: string) => transact(db, (trx) => insert(trx, id));

    expect(await outcomesOf([add('a'), addOrphan(db), add('b')])).toEqual(
      Array(3).fill('rejected'),
    );

    expect(await idsIn(db)).toEqual([]);
    await add('c');
    expect(await idsIn(db)).toEqual(['c']);
  });

  test('are not read by a query before their commit', async () => {
    const { db } = await open();
    const added = transact(db, (trx) => insert(trx, 'a'));
    const failed = outcomesOf([added, addOrphan(db)]);

    const reads = await Promise.all([idsIn(db), idsIn(db)]);

    expect(await failed).toEqual(['rejected', 'rejected']);
    expect(reads).toEqual([[], []]);
  });

  test('all fail if SQLite rolls them back because it is full', async () => {
    const { db } = await open();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    const limitPages = (count: number) => sql.raw(`pragma max_page_count = ${count}`).execute(db);
    await limitPages((rows[0]?.page_count ?? 0) + 1);
    const add = (id: string) => transact(db, (trx) => insert(trx, id));

    const errors = await Promise.all(
      [add('a'), add('b'.repeat(1e6)), add('c'.repeat(1e6))].map((one) => one.catch((e) => e)),
    );

    for (const error of errors) {
      expect(error).toMatchObject({ code: 'unavailable', message: 'The database is full.' });
      expect(error).not.toBeInstanceOf(UnconfirmedCommit);
    }
    expect(await idsIn(db)).toEqual([]);
    await limitPages(1e6);
    await add('d');
    expect(await idsIn(db)).toEqual(['d']);
  });
});

test('a transaction that SQLite has ended writes nothing more', async () => {
  const db = await openUntilFinished(await migratedDatabaseUrl('sqlite'));
  await insert(db, 'a');

  const ended = transact(db, async (trx) => {
    const duplicate = { id: 'a', name: 'a', create_time: 1 };
    const inserted = trx.insertInto('workspaces').orRollback().values(duplicate).execute();
    await expect(inserted).rejects.toThrow('UNIQUE constraint failed');
    await insert(trx, 'b');
  });

  await expect(ended).rejects.toThrow('SQLite has ended the transaction');
  expect(await idsIn(db)).toEqual(['a']);
});

test('a repeated query on SQLite follows a change of the schema by another process', async () => {
  const url = await migratedDatabaseUrl('sqlite');
  const [db, other] = [await openUntilFinished(url), await openUntilFinished(url)];
  await insert(db, 'a');
  const read = () => db.selectFrom('workspaces').selectAll().executeTakeFirst();
  const before = await read();

  await sql`alter table workspaces add column color text default 'red'`.execute(other);

  expect(await read()).toEqual({ ...before, color: 'red' });
});
