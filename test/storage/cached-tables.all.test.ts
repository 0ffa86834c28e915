// Every write to a cached table evicts cache entries, whichever code makes it.
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { updateClient } from '../../src/identity/clients/store.ts';
import { insertWorkspace } from '../../src/sharing/workspaces/store.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { cachedTables } from '../../src/storage/changes/cached-tables.ts';
import { transact } from '../../src/storage/database.ts';
import { lockRows } from '../../src/storage/queries/row-locks.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { fillCachedTables } from '../support/cached-rows.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { casesOf, itHoldsFor } from '../support/rule.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';
import { evicting, keeping } from './cached-writes.ts';

describeDialects('a write', (dialect) => {
  async function open() {
    const url = await migratedDatabaseUrl(dialect);
    const here = await openUntilFinished(url);
    await transact(here, fillCachedTables);
    return { here, url };
  }

  async function listen(db: Database) {
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const heard: string[] = [];
    invalidations.onEviction(({ isComplete, list }) => {
      if (!isComplete) heard.push('everything');
      heard.push(...list.map(({ entity, entityId }) => `${entity} ${entityId}`));
    });
    return heard;
  }

  itHoldsFor(casesOf(evicting), 23)(
    'evicts the entity at once in this process, and within 1 s in others',
    async (_, entry, write) => {
      const { here, url } = await open();
      const heardHere = await listen(here);
      const heardElsewhere = await listen(await openUntilFinished(url));

      await transact(here, async (trx) => void (await write(trx)));

      const [table = '', id] = entry.split(' ');
      const changed = [`${cachedTables[table as keyof typeof cachedTables]?.entity} ${id}`];
      expect(heardHere).toEqual(changed);
      await expectWithinOneSecond(here, () => heardElsewhere, changed);
      expect(heardHere).toEqual(changed);
    },
  );

  it('is tested for each cached table', () => {
    const tables = new Set(Object.keys(evicting).map((entry) => entry.split(' ')[0]));
    expect([...tables].sort()).toEqual(Object.keys(cachedTables).sort());
  });

  itHoldsFor(keeping, 12)('of an uncached column evicts nothing', async (_, write) => {
    const { here } = await open();
    const heard = await listen(here);
    const before = await here.selectFrom('changes').selectAll().execute();

    await transact(here, async (trx) => void (await write(trx)));

    expect(heard).toEqual([]);
    expect(await here.selectFrom('changes').selectAll().execute()).toEqual(before);
  });

  it('to a table without a cache costs no additional query', async () => {
    const { here } = await open();
    let queries = 0;
    const counted = here.withPlugin({
      transformQuery({ node }) {
        queries++;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });

    await transact(counted, (trx) =>
      insertWorkspace(trx, { id: 'ws_2', name: '', create_time: 1 }),
    );
    await transact(counted, (trx) => lockRows(trx, 'users', 'kind', ['member']));
    expect(queries).toBe(2);

    await transact(counted, (trx) => updateClient(trx, 'cli_1', { disable_time: 2 }));
    expect(queries).toBe(3);
    // Only a process with caches reads the changes of its transactions.
    await listen(counted);
    queries = 0;
    await transact(counted, (trx) => updateClient(trx, 'cli_1', { disable_time: 3 }));
    expect(queries).toBe(2);
  });

  it('to a cached table outside of a transaction is rejected', async () => {
    const { here } = await open();
    await expect(updateClient(here, 'cli_1', { scopes: '' })).rejects.toThrow('within transact()');
  });

  it('in raw SQL is rejected', async () => {
    const { here } = await open();
    const raw = sql`update clients set scopes = ''`;
    await expect(raw.execute(here)).rejects.toThrow('raw SQL');
    await expect(transact(here, (trx) => raw.execute(trx))).rejects.toThrow('raw SQL');
  });
});
