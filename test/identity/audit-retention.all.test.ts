// Old events are deleted, others are kept.
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  auditRetention,
  createTrustedTime,
  type TrustedTimeOptions,
} from '../../src/audit/retention.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { createRetention } from '../../src/storage/upkeep/retention.ts';
import { auditEventRow } from '../support/audit-rows.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { startTestApp } from '../support/harness.ts';
import { describeDialects } from '../support/matrix.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const now = Date.UTC(2026, 5, 1);

type Warn = (facts: object, message: string) => void;

/** Returns a function that runs a round of one process. */
function startProcess(options: TrustedTimeOptions & { days: number }): () => Promise<void> {
  const { db, warn, days } = options;
  const rule = auditRetention({ days, trustedTime: createTrustedTime(options) });
  const round = createRetention({ db, warn, rules: [rule] });
  return () => round(new AbortController().signal);
}

async function insert(db: Database, target: string, create_time: number): Promise<void> {
  await db.insertInto('audit_events').values(auditEventRow({ target, create_time })).execute();
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
    const warn = vi.fn<Warn>();
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
    const round = startProcess({ ...clock, db: broken, days: 1, warn });

    await round();
    expect(warn.mock.calls).toEqual([
      [{ err: expect.any(Error), rows: 'audit_events' }, 'cannot delete old rows'],
    ]);
    time = now + dayMs + 1;
    await round();
    expect(await targetsOf(db)).toEqual(['second']);
    time += dayMs;
    await round();
    expect(await targetsOf(db)).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('is kept by a process that starts with its clock 400 days ahead', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await insert(db, 'old', now - 31 * dayMs);
    await insert(db, 'new', now);
    const warn = vi.fn<Warn>();
    let running = 0;
    const options = { db, days: 30, monotonicNow: () => running, warn };
    await startProcess({ ...options, now: () => now })();
    expect(await targetsOf(db)).toEqual(['new']);

    const round = startProcess({ ...options, now: () => now + 400 * dayMs });
    await round();
    expect(await targetsOf(db)).toEqual(['new']);
    expect(warn.mock.calls).toEqual([
      [
        { clock: '2027-07-06T00:00:00.000Z', trusted: '2026-06-01T00:00:00.000Z' },
        'the clock is far ahead of its last known time; old and deleted rows are kept',
      ],
    ]);

    // After 30 hours the clock is trusted for 30 of the days that it is ahead.
    for (let hours = 1; hours <= 30; hours++) {
      running += hourMs;
      await round();
    }
    expect(await targetsOf(db)).toEqual(['new']);
    expect(warn).toHaveBeenCalledTimes(31);
    running += hourMs;
    await round();
    expect(await targetsOf(db)).toEqual([]);
  });

  it('is kept by a process that ran no round for a year, while its clock is ahead', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await insert(db, 'new', now);
    let running = 0;
    const options = { db, days: 30, monotonicNow: () => running, warn: () => {} };
    const round = startProcess({ ...options, now: () => now + 400 * dayMs });
    running += 365 * dayMs;
    await round();

    expect(await targetsOf(db)).toEqual(['new']);
  });

  it('is kept while the clock is ahead, even if it was set back before', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await insert(db, 'new', now);
    const warn = vi.fn<Warn>();
    const options = { db, days: 30, monotonicNow: () => 0, warn };
    const times = [now, now - 100 * dayMs, now + 31 * dayMs];
    for (const time of times) await startProcess({ ...options, now: () => time })();

    expect(await targetsOf(db)).toEqual(['new']);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
