import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { compileOnce, type QueryParameters } from '../../src/storage/queries/compiled-query.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

type Workspace = { id: string; name: string };

const insertWorkspace = compileOnce((db, row: QueryParameters<Workspace>) =>
  db.insertInto('workspaces').values({ id: row.id, name: row.name, create_time: sql.lit(1) }),
);

const renameWorkspace = compileOnce((db, { id, name }: QueryParameters<Workspace>) =>
  db.updateTable('workspaces').set({ name }).where('id', '=', id).where('name', '!=', name),
);

const findName = compileOnce((db, { id }: QueryParameters<{ id: string }>) =>
  db.selectFrom('workspaces').select('name').where('id', '=', id).limit(sql.lit(1)),
);

describeDialects('a compiled query', (dialect) => {
  it('uses the values of each execution', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    await insertWorkspace(db, { id: 'ws_1', name: 'First' });
    await insertWorkspace(db, { name: 'Second', id: 'ws_2' });

    const found = await Promise.all(['ws_1', 'ws_2', 'ws_3'].map((id) => findName(db, { id })));

    expect(found.map(({ rows }) => rows)).toEqual([[{ name: 'First' }], [{ name: 'Second' }], []]);
    const renamed = await renameWorkspace(db, { id: 'ws_1', name: 'Second' });
    expect(renamed.numAffectedRows).toBe(1n);
    const unchanged = await renameWorkspace(db, { id: 'ws_2', name: 'Second' });
    expect(unchanged.numAffectedRows).toBe(0n);
  });

  it('belongs to the transaction that it is executed in', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));

    const failed = transact(db, async (trx) => {
      await insertWorkspace(trx, { id: 'ws_1', name: 'First' });
      expect((await findName(trx, { id: 'ws_1' })).rows).toHaveLength(1);
      throw new Error('failed');
    });

    await expect(failed).rejects.toThrow('failed');
    expect((await findName(db, { id: 'ws_1' })).rows).toEqual([]);
  });

  it('refuses a value that later executions would repeat', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const captured = 'ws_1';
    const find = compileOnce((executor, _: QueryParameters<{ id: string }>) =>
      executor.selectFrom('workspaces').select('name').where('id', '=', captured),
    );

    expect(() => find(db, { id: 'ws_2' })).toThrow('neither a parameter nor sql.lit()');
  });

  it('refuses a write that the caches would not notice', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const disable = compileOnce((executor, { id }: QueryParameters<{ id: string }>) =>
      executor
        .updateTable('clients')
        .set({ disable_time: sql.lit(1) })
        .where('id', '=', id),
    );

    await expect(transact(db, (trx) => disable(trx, { id: 'c' }))).rejects.toThrow('is cached');
  });
});
