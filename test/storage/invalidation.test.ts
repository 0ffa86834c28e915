import { expect, it, onTestFinished } from 'vitest';
import { incrementRevision, transact } from '../../src/storage/database.ts';
import { type Invalidations, watchInvalidations } from '../../src/storage/invalidation.ts';
import type { Database, Executor } from '../../src/storage/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

describeDialects('an invalidation', (dialect) => {
  it('reaches every process within a second, and this process at once', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const here = await openUntilFinished(url);
    const mine = await watch(here);
    const theirs = await watch(await openUntilFinished(url));
    const heard = { mine: 0, theirs: 0 };
    mine.onInvalidation('access', () => void heard.mine++);
    theirs.onInvalidation('access', () => void heard.theirs++);

    await transact(here, record);

    expect(heard.mine).toBe(1);
    await expectWithinOneSecond(here, () => heard.theirs, 1);
  });

  it('reaches the listeners of its topic', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const heard: string[] = [];
    for (const topic of ['access', 'signing_keys', 'revoked_tokens'] as const) {
      invalidations.onInvalidation(topic, () => void heard.push(topic));
    }

    await transact(db, (trx) => incrementRevision(trx, 'signing_keys'));
    await expect.poll(() => heard).toEqual(['signing_keys']);
    await invalidations.invalidate('revoked_tokens');

    expect(heard).toEqual(['signing_keys', 'revoked_tokens']);
  });

  it('that was rolled back reaches no listener', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const heard: string[] = [];
    invalidations.onInvalidation('access', () => void heard.push('change'));
    await expect(
      transact(db, async (trx) => {
        await record(trx);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    // A later change arrives once: the rolled-back one left nothing behind.
    await transact(db, record);

    await expect.poll(() => heard.length).toBeGreaterThan(0);
    expect(heard).toEqual(['change']);
  });

  it('is repeated until no listener fails', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const invalidations = await watch(db);
    let attempts = 0;
    invalidations.onInvalidation('access', () => {
      if (++attempts < 3) throw new Error('not yet');
    });

    await transact(db.withoutPlugins(), record);

    await expect.poll(() => attempts).toBe(3);
  });

  it('reaches every listener even if an earlier one fails', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    let now = 1_000;
    const invalidations = await watch(await openUntilFinished(url), () => now);
    const heard: string[] = [];
    invalidations.onInvalidation('signing_keys', async () => {
      throw new Error('no key');
    });
    invalidations.onInvalidation('access', () => {
      heard.push('second');
      throw new Error('no access');
    });
    invalidations.onInvalidation('access', () => void heard.push('third'));
    await transact(db, async (trx) => {
      await incrementRevision(trx, 'signing_keys');
      await incrementRevision(trx, 'access');
    });

    now += 5_001;
    await expect(invalidations.ensureFresh()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The service cannot update its cached data.',
      extra: { cause: new Error('no key') },
    });

    expect(heard.slice(0, 2)).toEqual(['second', 'third']);
    await expect(invalidations.invalidate('access')).rejects.toThrow('no access');
  });

  it('calls the listeners one after the other', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const steps: string[] = [];
    let call = 0;
    invalidations.onInvalidation('access', async () => {
      const mine = ++call;
      steps.push(`begin ${mine}`);
      // The first listener is the slowest, like a query.
      await new Promise((resolve) => setTimeout(resolve, mine === 1 ? 50 : 0));
      steps.push(`end ${mine}`);
    });

    await Promise.all([invalidations.invalidate('access'), invalidations.invalidate('access')]);

    expect(steps).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  it('is not read again within 5 seconds', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    let now = 1_000;
    const invalidations = await watch(db, () => now);

    expect(invalidations.ensureFresh()).toBeUndefined();
    now += 5_000;
    expect(invalidations.ensureFresh()).toBeUndefined();
  });

  it('is read from the database after more than 5 seconds', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    let now = 1_000;
    const invalidations = await watch(db, () => now);
    let heard = 0;
    invalidations.onInvalidation('access', () => void heard++);
    await transact(db.withoutPlugins(), record);

    now += 5_001;
    await invalidations.ensureFresh();

    expect(heard).toBe(1);
    expect(invalidations.ensureFresh()).toBeUndefined();
  });
});

const record = (trx: Executor) => incrementRevision(trx, 'access');

async function watch(db: Database, monotonicNow?: () => number): Promise<Invalidations> {
  const invalidations = await watchInvalidations(db, monotonicNow);
  onTestFinished(() => invalidations.stop());
  return invalidations;
}
