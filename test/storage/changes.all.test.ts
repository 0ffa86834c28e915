// Reading and trimming the table of changes.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { pollChanges } from '../../src/storage/changes/poll-changes.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { createChangesTrim } from '../../src/storage/upkeep/trim-changes.ts';
import { fillCachedTables } from '../support/cached-rows.ts';
import { changeEntity, replaceChanges, waitForEarlierTransactions } from '../support/changes.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

describeDialects('the table of changes', (dialect) => {
  async function open() {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    return { url, db, other: (await openUntilFinished(url)).withoutPlugins() };
  }

  /** The ids of the entities that a process hears of. */
  async function listen(db: Database): Promise<string[]> {
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const heard: string[] = [];
    invalidations.onEviction(({ isComplete, list }) => {
      if (!isComplete) heard.push('everything');
      heard.push(...list.map(({ entityId }) => entityId));
    });
    return heard;
  }

  /** Trims everything: the rounds are far apart. */
  async function trimAll(db: Database): Promise<void> {
    let now = 0;
    const trim = createChangesTrim({ db, monotonicNow: () => now });
    await waitForEarlierTransactions(db);
    await trim(new AbortController().signal);
    now += 600_000;
    await trim(new AbortController().signal);
  }

  it('reports what an operator changes with SQL', async () => {
    const { db, other } = await open();
    await transact(db, fillCachedTables);
    const heard = await listen(db);

    await sql`update clients set disable_time = 1`.execute(other);
    await sql`delete from members`.execute(other);

    await expectWithinOneSecond(db, () => heard, ['cli_1', 'usr_1']);
  });

  it('is read at most four times a second, whatever changes', async () => {
    const { db, other } = await open();
    let reads = 0;
    const counted = db.withPlugin({
      transformQuery({ node }) {
        reads++;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const source = pollChanges(counted);
    let deliveries = 0;
    await source.start(() => void deliveries++);
    onTestFinished(() => source.stop());
    expect(reads).toBe(1);

    const begin = performance.now();
    for (let i = 0; deliveries < 9; i++) {
      await changeEntity(other, `${i}`);
      // SQLite answers without a pause, in which the poll could run.
      await setImmediate();
    }
    const seconds = (performance.now() - begin) / 1_000;
    await source.stop();

    expect(reads).toBeLessThanOrEqual(1 + Math.ceil(seconds * 4));
    expect(reads).toBe(deliveries);
  });

  it('is trimmed in slices, whatever its size', async () => {
    const { db } = await open();
    const rows = Array.from({ length: 2_345 }, (_, i) => ({
      jti: `${i}`,
      expire_time: 1,
      revision: 0,
    }));
    await transact(db, (trx) => trx.insertInto('revoked_tokens').values(rows).execute());

    await trimAll(db);

    const left = await db.selectFrom('changes').select('entity').execute();
    expect(left).toEqual([{ entity: 'deletion' }]);
  });

  it('is not trimmed by a process that has just started', async () => {
    const { db } = await open();
    await changeEntity(db, 'a');
    const trim = createChangesTrim({ db });

    for (let i = 0; i < 3; i++) await trim(new AbortController().signal);

    expect(await db.selectFrom('changes').select('entity_id').execute()).toEqual([
      { entity_id: 'a' },
    ]);
  });

  it('is trimmed without an eviction in processes that have read the changes', async () => {
    const { db, other } = await open();
    const heard = await listen(db);
    let now = 0;
    const trim = createChangesTrim({ db: other, monotonicNow: () => now });
    await changeEntity(other, 'a');
    await waitForEarlierTransactions(other);
    await trim(new AbortController().signal);
    await changeEntity(other, 'b');
    // The process has now read up to the boundary of the first round.
    await expect.poll(() => heard).toEqual(['a', 'b']);

    now += 600_000;
    await trim(new AbortController().signal);
    await changeEntity(other, 'c');

    await expect.poll(() => heard).toEqual(['a', 'b', 'c']);
    const left = other.selectFrom('changes').select('entity_id').where('entity_id', '=', 'a');
    expect(await left.execute()).toEqual([]);
  });

  it('makes a process evict everything if changes were trimmed before it read them', async () => {
    const { db, other } = await open();
    // The process is suspended: it reads only when asked.
    const source = pollChanges(db);
    const heard: unknown[] = [];
    await source.start(({ changes }) => void heard.push(changes));
    await source.stop();
    await changeEntity(other, 'a');
    await trimAll(other);
    heard.length = 0;

    await source.refresh();
    await source.refresh();

    expect(heard).toMatchObject([
      { isComplete: false, list: [] },
      { isComplete: true, list: [] },
    ]);
  });

  it('makes a process evict everything if it is not the table that it was', async () => {
    const { db, other } = await open();
    await changeEntity(other, 'a');
    const heard = await listen(db);

    await replaceChanges(other);

    await expect.poll(() => heard).toEqual(['everything']);
    await changeEntity(other, 'b');
    await expect.poll(() => heard).toEqual(['everything', 'b']);
  });
});
