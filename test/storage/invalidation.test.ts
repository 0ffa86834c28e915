import { expect, it, onTestFinished } from 'vitest';
import {
  type InvalidationOptions,
  type Invalidations,
  watchInvalidations,
} from '../../src/storage/cache/invalidation.ts';
import type { ChangeSource, Deliver, Delivery } from '../../src/storage/changes/poll-changes.ts';
import { transact } from '../../src/storage/database.ts';
import { noChanges } from '../../src/storage/schema/change.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { changeEntity, insertChangedRow } from '../support/changes.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

describeDialects('an invalidation', (dialect) => {
  it('reaches every process within a second, and this process at once', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const here = await openUntilFinished(url);
    const mine = listen(await watch(here));
    const theirs = listen(await watch(await openUntilFinished(url)));

    await changeEntity(here, 'a');

    expect(mine).toEqual(['a']);
    await expectWithinOneSecond(here, () => theirs, ['a']);
  });

  it('by this process is applied once', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    const heard = listen(await watch(db));

    await changeEntity(db, 'a');
    await changeEntity(await openUntilFinished(url), 'b');

    // The poll that delivers the second change also reads the first one.
    await expect.poll(() => heard).toEqual(['a', 'b']);
  });

  it('evicts from all caches synchronously', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const steps: string[] = [];
    for (const step of ['evict first', 'evict second']) {
      invalidations.onEviction(() => {
        steps.push(step);
        queueMicrotask(() => steps.push('after a pause'));
      });
    }

    await changeEntity(db, 'a');

    expect(steps.slice(0, 2)).toEqual(['evict first', 'evict second']);
  });

  it('that was rolled back reaches no listener', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const heard = listen(await watch(db));
    await expect(
      transact(db, async (trx) => {
        await insertChangedRow(trx, 'undone');
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');

    await changeEntity(db.withoutPlugins(), 'a');

    await expect.poll(() => heard).toEqual(['a']);
  });

  it('is repeated until no listener fails', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const heard = listen(invalidations);
    let attempts = 0;
    invalidations.onEviction(({ list }) => {
      if (list.length > 0 && ++attempts < 3) throw new Error('not yet');
    });

    await changeEntity(db.withoutPlugins(), 'a');

    await expect.poll(() => attempts).toBe(3);
    expect(heard).toEqual(['a', 'a', 'a']);
  });

  it('makes calls unavailable if a listener has failed for more than 5 seconds', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    let now = 1_000;
    const invalidations = await watch(await openUntilFinished(url), { monotonicNow: () => now });
    invalidations.onEviction(() => {
      throw new Error('broken');
    });
    await changeEntity(db, 'a');

    now += 5_001;

    await expect(invalidations.ensureFresh()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The service cannot update its cached data.',
      extra: { cause: new Error('broken') },
    });
  });

  it('is not read again within 5 seconds', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    let now = 1_000;
    const invalidations = await watch(db, { monotonicNow: () => now });

    expect(invalidations.ensureFresh()).toBeUndefined();
    now += 5_000;
    expect(invalidations.ensureFresh()).toBeUndefined();
  });

  it('is read from the database after more than 5 seconds', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    let now = 1_000;
    const invalidations = await watch(db, { monotonicNow: () => now });
    const heard = listen(invalidations);
    await changeEntity(db.withoutPlugins(), 'a');

    now += 5_001;
    await invalidations.ensureFresh();

    expect(heard).toEqual(['a']);
    expect(invalidations.ensureFresh()).toBeUndefined();
  });

  it('is read again if the read that a caller waited for began too early', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    let now = 1_000;
    let reads = 0;
    const { source, send } = createSource(async () => {
      // The first read began before `now` was moved.
      send({ changes: noChanges, readTime: ++reads === 1 ? 1_000 : now });
    });
    const invalidations = await watch(db, { monotonicNow: () => now, source });

    now += 6_000;
    await invalidations.ensureFresh();

    expect(reads).toBe(2);
    expect(invalidations.ensureFresh()).toBeUndefined();
  });

  it('is unavailable if each read takes too long', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    let now = 1_000;
    const { source, send } = createSource(async () => {
      const readTime = now;
      now += 6_000;
      send({ changes: noChanges, readTime });
    });
    const invalidations = await watch(db, { monotonicNow: () => now, source });

    now += 6_000;

    await expect(invalidations.ensureFresh()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('can come from another process that reads the database', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const { source, send } = createSource();
    let now = 1_000;
    const heard = listen(await watch(db, { monotonicNow: () => now, source }));
    const change = { id: 1, entity: 'client', entityId: 'cli_1', expireTime: null } as const;

    now += 6_000;
    send({ changes: { ...noChanges, list: [change] }, readTime: now - 5_000 });

    expect(heard).toEqual(['cli_1']);
    await changeEntity(db, 'own');
    expect(heard).toEqual(['cli_1', 'own']);
  });
});

/** A source that delivers the changes that a test sends. */
function createSource(refresh = async () => {}) {
  let send: Deliver = () => {};
  const source: ChangeSource = {
    async start(deliver) {
      send = deliver;
      deliver({ changes: noChanges, readTime: 0 });
    },
    refresh,
    stop: async () => {},
  };
  return { source, send: (delivery: Delivery) => send(delivery) };
}

async function watch(db: Database, options?: InvalidationOptions): Promise<Invalidations> {
  const invalidations = await watchInvalidations(db, options);
  onTestFinished(() => invalidations.stop());
  return invalidations;
}

/** The ids of the entities that were evicted. */
function listen(invalidations: Invalidations): string[] {
  const heard: string[] = [];
  invalidations.onEviction(({ isComplete, list }) => {
    if (!isComplete) heard.push('everything');
    heard.push(...list.map(({ entityId }) => entityId));
  });
  return heard;
}
