import { expect, it, onTestFinished } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { type Changes, recordChange, watchChanges } from '../../src/storage/invalidation.ts';
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
    mine.onChange('access', () => void heard.mine++);
    theirs.onChange('access', () => void heard.theirs++);

    await transact(here, record);
    await mine.announce('access');

    expect(heard.mine).toBe(1);
    await expect.poll(() => heard.theirs, within1s).toBe(1);
  });

  it('is heard by those who listen to its topic', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const changes = await watch(db);
    const heard: string[] = [];
    for (const topic of ['access', 'signing_keys', 'revoked_tokens'] as const) {
      changes.onChange(topic, () => void heard.push(topic));
    }

    await transact(db, (trx) => recordChange(trx, 'signing_keys'));
    await expect.poll(() => heard, within1s).toEqual(['signing_keys']);
    await changes.announce('revoked_tokens');

    expect(heard).toEqual(['signing_keys', 'revoked_tokens']);
  });

  it('that was undone is heard by nobody', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const changes = await watch(db);
    const heard: string[] = [];
    changes.onChange('access', () => void heard.push('change'));
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
    const changes = await watch(db);
    let attempts = 0;
    changes.onChange('access', () => {
      if (++attempts < 3) throw new Error('not yet');
    });

    await transact(db, record);

    await expect.poll(() => attempts, { timeout: 5_000, interval: 20 }).toBe(3);
  });

  it('is taken in by one listener call after the other', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const changes = await watch(db);
    const steps: string[] = [];
    let call = 0;
    changes.onChange('access', async () => {
      const mine = ++call;
      steps.push(`begin ${mine}`);
      // The first takes the longest, as a query may.
      await new Promise((resolve) => setTimeout(resolve, mine === 1 ? 50 : 0));
      steps.push(`end ${mine}`);
    });

    await Promise.all([changes.announce('access'), changes.announce('access')]);

    expect(steps).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  it('need not be asked for while the database was heard of 5 seconds ago or less', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    let now = 1_000;
    const changes = await watch(db, () => now);

    expect(changes.ensureFresh()).toBeUndefined();
    now += 5_000;
    expect(changes.ensureFresh()).toBeUndefined();
  });

  it('is asked for where the database was heard of longer ago', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    let now = 1_000;
    const changes = await watch(db, () => now);
    let heard = 0;
    changes.onChange('access', () => void heard++);
    await transact(db, record);

    now += 5_001;
    await changes.ensureFresh();

    expect(heard).toBe(1);
    expect(changes.ensureFresh()).toBeUndefined();
  });
});

const record = (trx: Executor) => recordChange(trx, 'access');

async function watch(db: Database, monotonicNow?: () => number): Promise<Changes> {
  const changes = await watchChanges(db, monotonicNow);
  onTestFinished(() => changes.stop());
  return changes;
}
