// How often clients and customers get tokens: counted in memory, written later.

import { randomBytes } from 'node:crypto';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { UsageService } from '../../gen/latchkey/identity/v1/usage_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { newId } from '../../src/base/crypto/ids.ts';
import { oldRowRules } from '../../src/boot/old-rows.ts';
import { createCredentialUsage } from '../../src/credentials/usage/usage.ts';
import { createLog } from '../../src/observe/log.ts';
import { createObserver } from '../../src/observe/observer.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { createRetention } from '../../src/storage/upkeep/retention.ts';
import { startPlace } from '../support/app-suite.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeFeature } from '../support/matrix.ts';
import { addClient, addCustomer, addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken } = VerificationService.method;
const { introspect } = OAuthService.method;
const { getUsage } = UsageService.method;

const dayMs = 86_400_000;
const noon = Date.UTC(2026, 5, 15, 12);

async function countsOf(db: Database, id: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('usage_counts')
    .select(['day', 'outcome', 'count'])
    .where('subject_id', '=', id)
    .execute();
  return Object.fromEntries(rows.map(({ day, outcome, count }) => [`${day} ${outcome}`, count]));
}

function recorder(db: Database, now = () => noon) {
  const usage = createCredentialUsage({ db, now });
  onTestFinished(() => usage.stop());
  return usage;
}

const today = Math.floor(noon / dayMs);

describeFeature('usage', (dialect) => {
  const openDatabase = async () => openUntilFinished(await freshDatabaseUrl(dialect));

  it('counts tokens of clients, of customers and of their keys', async () => {
    let time = noon;
    const now = () => time;
    const { testApp, db, transports } = await startPlace({ dialect, now });
    const scope = 'payments:read';
    const client = await addClient(db, `${scope} tokens:read`);
    const customer = await addCustomer(db, scope);
    const workspace = await addWorkspace(db, 'links:read');
    const unknownId = 'cli_0000000000000000000000';
    const authentication = { clientId: client.ownerId, clientSecret: client.text };
    const wrongKey = customer.text.replace(/.{12}$/, (end) => end.replaceAll(/./g, 'x'));
    for (const { call } of transports) {
      const issued = messageOf(
        await call(issueToken, { ...authentication, scope: `${scope} tokens:read` }),
      );
      const { accessToken: token } = messageOf(
        await call(exchangeApiKey, { apiKey: customer.text }),
      );
      await call(verifyToken, { token }, { authorization: `Bearer ${issued.accessToken}` });
      await call(introspect, { ...authentication, token: issued.accessToken });
      await call(issueToken, { ...authentication, scope: 'payments:write' });
      await call(issueToken, { ...authentication, clientSecret: 'wrong', scope });
      await call(issueToken, { clientId: unknownId, clientSecret: client.text, scope });
      await call(exchangeApiKey, { apiKey: workspace.text });
      await call(exchangeApiKey, { apiKey: wrongKey });
    }
    await testApp.stop();

    time += dayMs;
    const { dataDir, databaseUrl } = testApp;
    const restarted = await startPlace({ dataDir, config: { databaseUrl }, now });
    const manager = await managerCredential(restarted.app, 'audit:read');
    const n = transports.length;
    const wrong = { code: 'identity.credential_invalid', count: n };
    const notGranted = { code: 'identity.scope_not_granted', count: n };
    const expected: [id: string, counts: object][] = [
      [client.ownerId, { issued: n, refused: 2 * n, verified: n, refusals: [wrong, notGranted] }],
      [client.credentialId, { issued: n, refused: n, verified: 0, refusals: [notGranted] }],
      [customer.ownerId, { issued: n, verified: n }],
      [customer.credentialId, { issued: n, verified: n }],
    ];
    for (const { call } of restarted.transports) {
      for (const [credentialId, counts] of expected) {
        const { points } = messageOf(await call(getUsage, { credentialId }, manager));
        expect(points).toHaveLength(30);
        expect(points.at(-2)).toMatchObject({ time: timestampFromMs(today * dayMs), ...counts });
        expect(points.at(-1)).toMatchObject({ issued: 0, refused: 0, verified: 0, refusals: [] });
      }
      for (const credentialId of [unknownId, workspace.ownerId, workspace.credentialId]) {
        expect(codeOf(await call(getUsage, { credentialId }, manager))).toBe('not_found');
      }
    }
    const rows = await restarted.db.selectFrom('usage_counts').selectAll().execute();
    const known = new Set(expected.map(([id]) => id));
    expect(rows.filter(({ subject_id }) => !known.has(subject_id))).toEqual([]);
  });

  it('returns the days of the period, and refuses others', async () => {
    const { app, db, transport } = await startPlace({ dialect, now: () => noon });
    const { ownerId: credentialId } = await addClient(db, 'payments:read');
    const manager = await managerCredential(app, 'audit:read');
    const call = (start?: number, end?: number) =>
      transport('http').call(
        getUsage,
        {
          credentialId,
          ...(start === undefined ? {} : { startTime: timestampFromMs(start) }),
          ...(end === undefined ? {} : { endTime: timestampFromMs(end) }),
        },
        manager,
      );
    const midnight = today * dayMs;
    const cases: [start: number | undefined, end: number | undefined, days: number][] = [
      [undefined, undefined, 30],
      [midnight, undefined, 1],
      [midnight - 1, undefined, 2],
      [undefined, midnight, 30],
      [midnight, midnight + 1, 1],
      [midnight - dayMs, midnight, 1],
      [midnight - 399 * dayMs, undefined, 400],
      [midnight - 400 * dayMs, undefined, 0],
      [noon, noon, 0],
      [noon + dayMs, undefined, 0],
    ];
    for (const [start, end, days] of cases) {
      const answer = await call(start, end);
      const got = answer.ok ? messageOf(answer).points.length : 0;
      expect([start, end, got], codeOf(answer)).toEqual([start, end, days]);
      if (days === 0) expect(codeOf(answer)).toBe('invalid_argument');
    }
  });

  it('adds the counts of all processes, by the day of each request', async () => {
    const db = await openDatabase();
    const { ownerId } = await addClient(db, 'payments:read');
    let time = noon;
    const [first, second] = [recorder(db, () => time), recorder(db, () => time)];
    first.count('issued', [ownerId]);
    second.count('issued', [ownerId]);
    time += dayMs;
    second.count('issued', [ownerId]);
    await Promise.all([first.flush(), second.flush()]);
    first.count('issued', [ownerId]);
    await first.flush();
    expect(await countsOf(db, ownerId)).toEqual({
      [`${today} issued`]: 2,
      [`${today + 1} issued`]: 2,
    });
  });

  it('keeps the counts while the database is unavailable', async () => {
    const db = await openDatabase();
    const { ownerId, credentialId } = await addCustomer(db, 'payments:read');
    const usage = recorder(db);
    usage.count('issued', [ownerId]);
    usage.countClaimed('identity.credential_invalid', credentialId);
    for (const table of ['usage_counts', 'customers'] as const) {
      await db.schema.alterTable(table).renameTo('away').execute();
      await usage.flush();
      await db.schema.alterTable('away').renameTo(table).execute();
    }
    await usage.flush();
    const refused = { [`${today} identity.credential_invalid`]: 1 };
    expect(await countsOf(db, ownerId)).toEqual({ [`${today} issued`]: 1, ...refused });
    expect(await countsOf(db, credentialId)).toEqual(refused);
  });

  it('deletes counts after 400 days', async () => {
    const db = await openDatabase();
    const { ownerId } = await addClient(db, 'payments:read');
    let time = noon;
    const usage = recorder(db, () => time);
    for (time of [noon, noon + dayMs]) usage.count('issued', [ownerId]);
    await usage.flush();
    const rules = oldRowRules(() => noon + 401 * dayMs);
    await createRetention({ db, rules, warn: () => {} })(new AbortController().signal);
    expect(await countsOf(db, ownerId)).toEqual({ [`${today + 1} issued`]: 1 });
  });
});

it('does not count for an unknown client, an invalid id and a text with markup', async () => {
  const db = await openUntilFinished(await freshDatabaseUrl('sqlite'));
  const usage = recorder(db);
  for (const id of ['cli_0000000000000000000000', 'x', '<b>']) {
    usage.countClaimed('identity.credential_invalid', id);
  }
  await usage.flush();
  expect(await db.selectFrom('usage_counts').selectAll().execute()).toEqual([]);
});

describe('the metrics', () => {
  const linesOf = (text: string) =>
    text.split('\n').filter((line) => line.startsWith('latchkey_usage_total{'));

  // Each waits until its app has written the counts.
  const settings = ['on', 'off'] as const;
  itHoldsFor(
    settings,
    2,
    'together',
  )('count for each client only if asked', async (usageMetrics) => {
    const { app, db, transport } = await startPlace({ config: { usageMetrics } });
    const { ownerId, text } = await addClient(db, 'payments:read');
    const scope = 'payments:read';
    await transport('http').call(issueToken, { clientId: ownerId, clientSecret: text, scope });
    await expect.poll(async () => Object.values(await countsOf(db, ownerId))).toEqual([1]);
    const metrics = await (await fetch(`${app.opsUrl}/metrics`)).text();
    const expected = `latchkey_usage_total{id="${ownerId}",outcome="issued"} 1`;
    expect(linesOf(metrics)).toEqual(usageMetrics === 'on' ? [expected] : []);
  });

  it('count written requests of owners, in at most 10,000 series', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl('sqlite'));
    const observer = createObserver(createLog({ level: 'silent' }).log, () => 0);
    const usage = createCredentialUsage({ db, observe: observer.usage, now: () => noon });
    onTestFinished(() => usage.stop());
    const credentialIds = (['sec', 'key', 'jwk', 'fed'] as const).map((kind) =>
      newId(kind, randomBytes),
    );
    usage.count('issued', ['cus_1', ...credentialIds]);
    await db.schema.alterTable('usage_counts').renameTo('away').execute();
    await usage.flush();
    expect(linesOf(await observer.metrics.read())).toEqual([]);
    await db.schema.alterTable('away').renameTo('usage_counts').execute();
    usage.count('issued', ['cus_1']);
    await usage.flush();
    const first = 'latchkey_usage_total{id="cus_1",outcome="issued"} ';
    expect(linesOf(await observer.metrics.read())).toEqual([`${first}2`]);
    // A client of another authorization server keeps its id.
    observer.usage({ ...issued, subject_id: 'key_billing' });
    const imported = 'latchkey_usage_total{id="key_billing",outcome="issued"} 1';
    expect(linesOf(await observer.metrics.read())).toEqual([`${first}2`, imported]);
    for (let i = 0; i < 10_001; i++) observer.usage({ ...issued, subject_id: `cli_${i}` });
    observer.usage({ ...issued, subject_id: 'cus_1' });
    const lines = linesOf(await observer.metrics.read());
    expect(lines).toHaveLength(10_000);
    expect(lines[0]).toBe(`${first}3`);
  });
});

const issued = { outcome: 'issued', count: 1 };
