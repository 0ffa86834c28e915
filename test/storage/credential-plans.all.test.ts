// The live credentials of an owner are found without reading its revoked and expired ones.
import { CompiledQuery, type RootOperationNode, sql } from 'kysely';
import { expect, it } from 'vitest';
import { countLiveCredentials, endCredentials } from '../../src/credentials/store.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { fillSettings, fillTables } from '../support/many-rows.ts';
import { describeDialects } from '../support/matrix.ts';

const owner = { kind: 'wk', id: '1' } as const;

const queries: [name: string, run: (db: Executor) => Promise<unknown>][] = [
  ['counted', (db) => countLiveCredentials(db, owner, 5)],
  ['ended', (db) => endCredentials(db, owner, { time: 5, overlapMs: 0 })],
];

describeDialects('live credentials', (dialect) => {
  /** Runs a query and returns its plan. */
  async function planOf(db: Database, run: (db: Executor) => Promise<unknown>): Promise<string> {
    const nodes: RootOperationNode[] = [];
    await transact(db, async (trx) => {
      await run(
        trx.withPlugin({
          transformQuery({ node }) {
            nodes.push(node);
            return node;
          },
          transformResult: async ({ result }) => result,
        }),
      );
    });
    const [node] = nodes;
    if (node === undefined) throw new Error('the function sent no query');
    const plain = db.withoutPlugins();
    const query = plain.getExecutor().compileQuery(node, { queryId: 'plan' });
    const words = dialect === 'sqlite' ? 'explain query plan' : 'explain';
    const explained = CompiledQuery.raw(`${words} ${query.sql}`, [...query.parameters]);
    return JSON.stringify((await plain.executeQuery(explained)).rows);
  }

  it('are counted and ended by an index of live credentials', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect), fillSettings);
    await fillTables(db, dialect);
    await transact(db, async (trx) => {
      const many = trx.updateTable('credentials').set({ revoke_time: 1 });
      await many.where('create_time', '>', 100).where('create_time', '<', 10_000).execute();
      const others = trx.updateTable('credentials').set({ expire_time: 2 });
      await others.where('create_time', '>=', 10_000).execute();
    });
    if (dialect === 'postgres') await sql`analyze`.execute(db);
    for (const [name, run] of queries) {
      expect(await planOf(db, run), name).toContain('credentials_live_workspace_id');
    }
  });
});
