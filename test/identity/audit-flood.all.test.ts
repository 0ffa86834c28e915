// Many failures: the number of pending events is bounded, their counts are not.
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { type Call, LazyContext } from '../../src/api/call.ts';
import { type MethodFacts, methodFactsOf } from '../../src/api/endpoint.ts';
import type { Observation } from '../../src/api/method-guard.ts';
import { createFailedCalls } from '../../src/audit/failed-calls.ts';
import { type ErrorCode, fail } from '../../src/base/errors/errors.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { withFailingAuditLog } from '../support/audit-rows.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { type Dialect, describeDialects } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';

const getJwks = methodFactsOf(VerificationService.method.getJwks);
const revokeToken = methodFactsOf(VerificationService.method.revokeToken);

/** A failed call without a credential. */
function failed(peer: string, code: ErrorCode = 'unauthenticated', target = ''): Observation {
  return { ...callOf(revokeToken, peer), failure: fail(code, 'no', { target }) };
}

function callOf(method: MethodFacts, peer: string): Omit<Observation, 'failure'> {
  const header = () => undefined;
  const call: Call = {
    transport: 'http',
    requestId: 'r',
    peer,
    header,
    clientCertificate: () => undefined,
    context,
    isGone: () => false,
  };
  return { method, call, principal: { type: 'anonymous' }, durationMs: 1 };
}

const context = new LazyContext({
  method: VerificationService.method.revokeToken,
  protocolName: 'http',
  requestMethod: 'POST',
  url: '/',
  headers: () => new Headers(),
  onGone: () => {},
});

/** Time stands still: neither a batch nor the time limit of a stop is due by itself. */
async function start(dialect: Dialect) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const db = await openUntilFinished(await freshDatabaseUrl(dialect));
  const warn = vi.fn<(facts: object, message: string) => void>();
  const failures = createFailedCalls({ db, random: randomBytes, now: Date.now, warn });
  onTestFinished(() => failures.stop());
  return { db, warn, failures };
}

const rowsOf = (db: Database) => db.selectFrom('audit_events').selectAll().execute();

async function countOf(db: Database): Promise<number> {
  return (await rowsOf(db)).reduce((sum, { count }) => sum + count, 0);
}

describeDialects('failures', (dialect) => {
  it('are one event with a count if they are equal', async () => {
    const { db, failures } = await start(dialect);

    for (let i = 0; i < 1000; i++) failures.record(failed('192.0.2.1'));
    for (let i = 0; i < 10; i++) failures.record(failed('192.0.2.2'));
    for (let i = 0; i < 3; i++) failures.record(failed('192.0.2.2', 'step_up_required'));
    failures.record(failed('192.0.2.2', 'unauthenticated', 'key_1'));
    await failures.stop();

    const told = (await rowsOf(db)).map((row) => `${row.address} ${row.code} ${row.count}`);
    expect(told.sort()).toEqual([
      '192.0.2.1 unauthenticated 1000',
      '192.0.2.2 step_up_required 3',
      '192.0.2.2 unauthenticated 1',
      '192.0.2.2 unauthenticated 10',
    ]);
  });

  it('are counted without a caller beyond the limit of callers', async () => {
    const { db, failures } = await start(dialect);

    for (let i = 0; i < 20_000; i++) failures.record(failed(`2001:db8::${i}`));
    for (let i = 0; i < 5000; i++) failures.record(failed('a', 'forbidden', `lnk_${i}`));
    // The first caller still has an event.
    failures.record(failed('2001:db8::0'));
    await failures.stop();

    const rows = await rowsOf(db);
    const rest = rows.filter(({ address }) => address === '');
    expect(rows).toHaveLength(256 + 2);
    expect(rest.map(({ code, count, target }) => ({ code, count, target }))).toEqual(
      expect.arrayContaining([
        { code: 'unauthenticated', count: 20_000 - 256, target: '' },
        { code: 'forbidden', count: 5000, target: '' },
      ]),
    );
    expect(rows.find(({ address }) => address === '2001:db8::0')).toMatchObject({ count: 2 });
    expect(await countOf(db)).toBe(25_001);
  });

  it('are written once each, even if the database fails', async () => {
    const { db, failures, warn } = await start(dialect);
    await withFailingAuditLog(db, dialect, async () => {
      failures.record(failed('192.0.2.1'));
      await vi.advanceTimersByTimeAsync(1_000);
      await expect.poll(() => warn.mock.calls.length).toBe(1);
      // Meanwhile more different failures arrive than are kept apart.
      for (let i = 0; i < 1000; i++) failures.record(failed(`2001:db8::${i}`));
    });

    const countLater = async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      return countOf(db);
    };
    await expect.poll(countLater).toBe(1001);
    await failures.stop();
    expect(await countOf(db)).toBe(1001);
    expect(warn.mock.calls).toEqual([
      [
        { err: expect.any(Error), failures: 1 },
        'cannot write audit events of failures; trying again',
      ],
    ]);
  });

  it('are counted in the log if a stop cannot write them', async () => {
    const { db, failures, warn } = await start(dialect);
    await withFailingAuditLog(db, dialect, async () => {
      for (let i = 0; i < 300; i++) failures.record(failed(`2001:db8::${i}`));
      for (let i = 0; i < 20; i++) failures.record(failed('192.0.2.1'));
      await failures.stop();
    });

    expect(warn.mock.calls).toEqual([
      [{ err: expect.any(Error), failures: 320 }, 'audit events of failures were lost'],
    ]);
    expect(await rowsOf(db)).toEqual([]);
  });
});

describe('a flood', () => {
  it('is written less and less often, at least once a minute, then as before', async () => {
    const { db, failures } = await start('sqlite');
    let told = 0;
    const expectWait = async (seconds: number, size: number) => {
      for (let i = 0; i < size; i++) failures.record(failed(`2001:db8::${i}`));
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(await countOf(db)).toBe(told);
      await vi.advanceTimersByTimeAsync(1);
      told += size;
      await expect.poll(() => countOf(db)).toBe(told);
      // The next failure may start a timer only after the write has ended.
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) await expectWait(seconds, 300);
    await expectWait(60, 3);
    await expectWait(1, 3);
  });
});

describe('recorded failures', () => {
  const codes: [ErrorCode, ofChange: number, ofReading: number][] = [
    ['unauthenticated', 1, 1],
    ['identity.credential_invalid', 1, 1],
    ['step_up_required', 1, 0],
    ['second_factor_required', 1, 0],
    ['forbidden', 1, 0],
    ['not_found', 0, 0],
    ['invalid_argument', 0, 0],
    ['conflict', 0, 0],
    ['rate_limited', 0, 0],
    ['internal', 0, 0],
  ];
  itHoldsFor(codes, 9)(
    'are of a change or of reading, by the code of the error',
    async (code, change, reading) => {
      for (const [method, expected] of [
        [revokeToken, change],
        [getJwks, reading],
      ] as const) {
        const { db, failures } = await start('sqlite');
        const failure = fail(code, 'no');
        failures.record({ ...callOf(method, 'a'), failure });
        failures.record({ ...callOf(method, 'a'), failure: undefined });
        await failures.stop();
        expect(await rowsOf(db)).toHaveLength(expected);
      }
    },
  );

  it('cut the target to the length of an id', async () => {
    const { db, failures } = await start('sqlite');
    failures.record(failed('a', 'forbidden', 'x'.repeat(100_000)));
    await failures.stop();
    expect((await rowsOf(db))[0]?.target).toHaveLength(128);
  });
});
