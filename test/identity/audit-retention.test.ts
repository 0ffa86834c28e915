// Old events are deleted, others are kept.
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startRetention } from '../../src/audit/retention.ts';
import { newId } from '../../src/crypto/ids.ts';
import type { Database } from '../../src/storage/schema.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects, startTestApp } from '../support/harness.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 5, 1);

async function insert(db: Database, target: string, create_time: number): Promise<void> {
  const event = {
    actor_type: 'system',
    actor_id: '',
    action: 'Service.Method',
    code: 'ok',
    count: 1,
    request_id: '',
    address: '',
  };
  const row = { ...event, id: newId('evt', randomBytes), target, create_time };
  await db.insertInto('audit_events').values(row).execute();
}

async function targetsOf(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('audit_events').select('target').execute();
  return rows.map(({ target }) => target).sort();
}

describeDialects('an event', (dialect) => {
  it('is kept for the configured time, and deleted at the next start', async () => {
    const databaseUrl = await freshDatabaseUrl(dialect);
    const db = await openUntilFinished(databaseUrl);
    await insert(db, 'older', now - 30 * dayMs - 1);
    await insert(db, 'old', now - 30 * dayMs);
    await insert(db, 'new', now);
    await insert(db, 'of a clock that is ahead', now + dayMs);
    const config = { databaseUrl, auditRetentionDays: 30 };
    const test = await startTestApp({ config, now: () => now });
    onTestFinished(() => test.remove());

    await expect.poll(() => targetsOf(db)).toEqual(['new', 'of a clock that is ahead', 'old']);
    await test.stop();
    expect(await targetsOf(db)).toHaveLength(3);
  });

  it('is deleted while the process runs, too, after an earlier failure', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    let time = now;
    const warn = vi.fn<(facts: object, message: string) => void>();
    const broken = db.withPlugin({
      transformQuery({ node }) {
        if (warn.mock.calls.length === 0) throw new Error('the database is broken');
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    await insert(db, 'first', now);
    await insert(db, 'second', now + dayMs);
    const clock = { now: () => time, monotonicNow: () => time };
    const retention = startRetention({ ...clock, db: broken, days: 1, warn, everyMs: 20 });
    onTestFinished(() => retention.stop());

    await expect.poll(() => warn.mock.calls.length).toBe(1);
    time = now + dayMs + 1;
    await expect.poll(() => targetsOf(db)).toEqual(['second']);
    time += dayMs;
    await expect.poll(() => targetsOf(db)).toEqual([]);
    expect(warn.mock.calls).toEqual([
      [{ err: expect.any(Error) }, 'cannot delete old audit events'],
    ]);
  });

  it('is kept by a process that starts with its clock 400 days ahead', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await insert(db, 'old', now - 31 * dayMs);
    await insert(db, 'new', now);
    const warn = vi.fn<(facts: object, message: string) => void>();
    let running = 0;
    const monotonicNow = () => running;
    const start = async (time: number) => {
      const options = { db, days: 30, monotonicNow, warn, everyMs: 20 };
      const retention = startRetention({ ...options, now: () => time });
      onTestFinished(() => retention.stop());
      return retention;
    };
    const right = await start(now);
    await expect.poll(() => targetsOf(db)).toEqual(['new']);
    await right.stop();

    const ahead = await start(now + 400 * dayMs);
    await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(1);
    expect(await targetsOf(db)).toEqual(['new']);
    expect(warn.mock.calls[0]).toEqual([
      { clock: '2027-07-06T00:00:00.000Z', believed: '2026-06-01T00:00:00.000Z' },
      'the clock is far ahead of its last known time; old audit events are kept',
    ]);

    // After 30 hours the clock is believed for 30 of the days that it is ahead.
    running += 1.2 * dayMs;
    const calls = warn.mock.calls.length;
    await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(calls + 1);
    expect(await targetsOf(db)).toEqual(['new']);
    running += 0.1 * dayMs;
    await expect.poll(() => targetsOf(db)).toEqual([]);
    await ahead.stop();
  });

  it('is kept while the clock is ahead, even if it was set back before', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await insert(db, 'new', now);
    const warn = vi.fn<(facts: object, message: string) => void>();
    const options = { db, days: 30, monotonicNow: () => 0, warn };
    const times = [now, now - 100 * dayMs, now + 31 * dayMs];
    for (const time of times) await startRetention({ ...options, now: () => time }).stop();

    expect(await targetsOf(db)).toEqual(['new']);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('is deleted in batches of at most 500', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await Promise.all(Array.from({ length: 1201 }, (_, i) => insert(db, `${i}`, now - 2 * dayMs)));
    await insert(db, 'new', now);
    const steps: number[] = [];
    const deletions = new WeakSet<object>();
    const watched = db.withPlugin({
      transformQuery({ node, queryId }) {
        if (node.kind === 'DeleteQueryNode') deletions.add(queryId);
        return node;
      },
      async transformResult({ result, queryId }) {
        if (deletions.has(queryId)) steps.push(Number(result.numAffectedRows));
        return result;
      },
    });
    // Two processes do not disturb each other.
    const options = { days: 1, now: () => now, warn: () => {} };
    const here = startRetention({ ...options, db: watched });
    const there = startRetention({ ...options, db: watched });

    await expect.poll(() => targetsOf(db)).toEqual(['new']);
    await Promise.all([here.stop(), there.stop()]);
    expect(steps.reduce((sum, deleted) => sum + deleted, 0)).toBe(1201);
    expect(Math.max(...steps)).toBe(500);
  });
});
