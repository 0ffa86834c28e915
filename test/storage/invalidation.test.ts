import { expect, it, onTestFinished } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import {
  type Invalidations,
  recordInvalidation,
  watchInvalidations,
} from '../../src/storage/invalidation.ts';
import type { Database, Executor } from '../../src/storage/schema.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';

describeDialects('a change', (dialect) => {
  const within1s = { timeout: 1_000, interval: 20 };

  it('is heard by every process within a second, and by its own at once', async () => {
    const url = await freshDatabaseUrl(dialect);
    const here = await openUntilFinished(url);
    const mine = await watch(here);
    const theirs = await watch(await openUntilFinished(url));
    const heard = { mine: 0, theirs: 0 };
    mine.onInvalidation('access', () => void heard.mine++);
    theirs.onInvalidation('access', () => void heard.theirs++);

    await transact(here, record);
    await mine.invalidate('access');

    expect(heard.mine).toBe(1);
    await expect.poll(() => heard.theirs, within1s).toBe(1);
  });

  it('is heard by those who listen to its topic', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const heard: string[] = [];
    for (const topic of ['access', 'signing_keys', 'revoked_tokens'] as const) {
      invalidations.onInvalidation(topic, () => void heard.push(topic));
    }

    await transact(db, (trx) => recordInvalidation(trx, 'signing_keys'));
    await expect.poll(() => heard, within1s).toEqual(['signing_keys']);
    await invalidations.invalidate('revoked_tokens');

    expect(heard).toEqual(['signing_keys', 'revoked_tokens']);
  });

  it('that was undone is heard by nobody', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const heard: string[] = [];
    invalidations.onInvalidation('access', () => void heard.push('change'));
    await expect(
      transact(db, async (trx) => {
        await record(trx);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    // A later change is heard once: nothing was left over of the other.
    await transact(db, record);

    await expect.poll(() => heard.length, within1s).toBeGreaterThan(0);
    expect(heard).toEqual(['change']);
  });

  it('is told again where a listener failed to take it in', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const invalidations = await watch(db);
    let attempts = 0;
    invalidations.onInvalidation('access', () => {
      if (++attempts < 3) throw new Error('not yet');
    });

    await transact(db, record);

    await expect.poll(() => attempts, { timeout: 5_000, interval: 20 }).toBe(3);
  });

  it('is taken in by one listener call after the other', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const invalidations = await watch(db);
    const steps: string[] = [];
    let call = 0;
    invalidations.onInvalidation('access', async () => {
      const mine = ++call;
      steps.push(`begin ${mine}`);
      // The first takes the longest, as a query may.
      await new Promise((resolve) => setTimeout(resolve, mine === 1 ? 50 : 0));
      steps.push(`end ${mine}`);
    });

    await Promise.all([invalidations.invalidate('access'), invalidations.invalidate('access')]);

    expect(steps).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  it('need not be asked for while the database was heard of 5 seconds ago or less', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    let now = 1_000;
    const invalidations = await watch(db, () => now);

    expect(invalidations.ensureFresh()).toBeUndefined();
    now += 5_000;
    expect(invalidations.ensureFresh()).toBeUndefined();
  });

  it('is asked for where the database was heard of longer ago', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    let now = 1_000;
    const invalidations = await watch(db, () => now);
    let heard = 0;
    invalidations.onInvalidation('access', () => void heard++);
    await transact(db, record);

    now += 5_001;
    await invalidations.ensureFresh();

    expect(heard).toBe(1);
    expect(invalidations.ensureFresh()).toBeUndefined();
  });
});

const record = (trx: Executor) => recordInvalidation(trx, 'access');

async function watch(db: Database, monotonicNow?: () => number): Promise<Invalidations> {
  const invalidations = await watchInvalidations(db, monotonicNow);
  onTestFinished(() => invalidations.stop());
  return invalidations;
}
