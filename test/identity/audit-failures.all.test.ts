// Failed calls in the audit log.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { AuditService } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { newId } from '../../src/base/crypto/ids.ts';
import type { AuditEventRow } from '../../src/storage/schema/schema.ts';
import { describeApp, type Suite, startPlace } from '../support/app-suite.ts';
import { auditEventsOf, withFailingAuditLog } from '../support/audit-rows.ts';
import { openUntilFinished } from '../support/databases.ts';
import { mistype, unknownCredential, wrongSecret } from '../support/invalid-credentials.ts';
import type { TransportName } from '../support/matrix.ts';
import { type Added, addClient, addCustomer, addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { signToken } from '../support/signed-tokens.ts';
import { type TransportAnswer, transportNames } from '../support/transports.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { revokeToken } = VerificationService.method;
const { listLinks, createLink } = LinkService.method;
const { listAuditEvents } = AuditService.method;

type World = { suite: Suite; client: Added; customer: Added; workspace: Added };
type Attempt = (
  world: World,
  transport: TransportName,
  requestId: string,
) => Promise<TransportAnswer<unknown>> | TransportAnswer<unknown>;

const issue =
  (clientId: string | ((world: World) => string), secret: (world: World) => string): Attempt =>
  (world, transport, requestId) => {
    const id = typeof clientId === 'string' ? clientId : clientId(world);
    const request = { clientId: id, clientSecret: secret(world), scope: 'accounts:read' };
    return world.suite.transport(transport).call(issueToken, request, { requestId });
  };

const exchange =
  (key: (world: World) => string): Attempt =>
  (world, transport, requestId) =>
    world.suite.transport(transport).call(exchangeApiKey, { apiKey: key(world) }, { requestId });

const list =
  (credential: (world: World) => string | undefined): Attempt =>
  (world, transport, requestId) => {
    const sent = credential(world);
    const authorization = sent === undefined ? {} : { authorization: `Bearer ${sent}` };
    return world.suite.transport(transport).call(listLinks, {}, { requestId, ...authorization });
  };

const wrong = 'identity.credential_invalid';
const unknownClient = newId('cli', randomBytes);
const unknown = { cs: unknownCredential('cs'), ck: unknownCredential('ck') };
const lookupId = (credential: string) => `key_${credential.slice(6, 28)}`;

/** The attempt, and the code and target of its event. */
const attempts: [string, Attempt, string, (world: World) => string][] = [
  [
    "a client's wrong secret",
    issue(
      ({ client }) => client.ownerId,
      ({ client }) => wrongSecret('cs', client),
    ),
    `IssuanceService.IssueToken ${wrong}`,
    ({ client }) => client.ownerId,
  ],
  [
    'an unknown client',
    issue(unknownClient, () => unknown.cs),
    `IssuanceService.IssueToken ${wrong}`,
    () => unknownClient,
  ],
  [
    'a secret where the client id belongs',
    issue(
      ({ client }) => client.text,
      () => 'x',
    ),
    `IssuanceService.IssueToken ${wrong}`,
    () => '',
  ],
  [
    'a password where the client id belongs',
    issue('cli_correct horse battery', () => 'x'),
    `IssuanceService.IssueToken ${wrong}`,
    () => '',
  ],
  [
    'an unknown API key',
    exchange(() => unknown.ck),
    `IssuanceService.ExchangeApiKey ${wrong}`,
    () => lookupId(unknown.ck),
  ],
  [
    'the wrong secret of an API key',
    exchange(({ customer }) => wrongSecret('ck', customer)),
    `IssuanceService.ExchangeApiKey ${wrong}`,
    ({ customer }) => customer.credentialId,
  ],
  [
    'a mistyped API key',
    exchange(({ customer }) => mistype(customer.text)),
    `IssuanceService.ExchangeApiKey ${wrong}`,
    () => '',
  ],
  ['no credential', list(() => undefined), 'LinkService.ListLinks unauthenticated', () => ''],
  ['garbage', list(() => 'garbage'), 'LinkService.ListLinks unauthenticated', () => ''],
  [
    "the wrong secret of a workspace's key",
    list(({ workspace }) => wrongSecret('wk', workspace)),
    'LinkService.ListLinks unauthenticated',
    ({ workspace }) => workspace.credentialId,
  ],
  [
    "a customer's key where a workspace's belongs",
    list(({ customer }) => customer.text),
    'LinkService.ListLinks unauthenticated',
    ({ customer }) => customer.credentialId,
  ],
  [
    'a key where a token belongs',
    ({ suite, workspace }, transport, requestId) => {
      const authorization = `Bearer ${workspace.text}`;
      return suite
        .transport(transport)
        .call(revokeToken, { token: 'x' }, { authorization, requestId });
    },
    'VerificationService.RevokeToken unauthenticated',
    ({ workspace }) => workspace.credentialId,
  ],
];

describeApp('the audit log of failures', (suite) => {
  let world: World;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    world = {
      suite,
      client: await addClient(db, 'accounts:read'),
      customer: await addCustomer(db, 'accounts:read'),
      workspace: await addWorkspace(db, 'links:read'),
    };
  });
  let calls = 0;
  const nextId = () => `failed-${++calls}`;
  const eventOf = async (requestId: string): Promise<Partial<AuditEventRow> | undefined> => {
    const { db } = suite.app.inside;
    await expect.poll(() => auditEventsOf(db, requestId)).toHaveLength(1);
    return (await auditEventsOf(db, requestId))[0];
  };

  // All transports in one test: each waits for the next batch.
  it('has an event for each failure, and counts equal ones', async () => {
    const { db } = suite.app.inside;
    const expected = new Map<string, number>();
    const ids: string[] = [];
    for (const transport of transportNames) {
      for (const [name, attempt, told, target] of attempts) {
        const requestId = nextId();
        const code = told.split(' ')[1];
        const answer = await attempt(world, transport, requestId);
        expect(answer, `${name} through ${transport}`).toMatchObject({
          ok: false,
          error: { code },
        });
        ids.push(requestId);
        const key = `${told} ${target(world)}`;
        expected.set(key, (expected.get(key) ?? 0) + 1);
      }
    }

    const find = () =>
      db.selectFrom('audit_events').selectAll().where('request_id', 'in', ids).execute();
    const count = async () => (await find()).reduce((sum, row) => sum + row.count, 0);
    await expect.poll(count).toBe(ids.length);
    const found = new Map<string, number>();
    for (const row of await find()) {
      expect(row).toMatchObject({
        id: expect.stringMatching(/^evt_[0-9A-Za-z]{22}$/),
        actor_type: 'anonymous',
        actor_id: '',
        address: '127.0.0.1',
      });
      const key = `${row.action} ${row.code} ${row.target}`;
      found.set(key, (found.get(key) ?? 0) + row.count);
    }
    expect(found).toEqual(expected);
  });

  itHoldsFor(transportNames, 3)(
    'names the caller whose change was forbidden',
    async (transport) => {
      const requestId = nextId();
      const token = await signToken(suite.app, { type: 'service', scope: `${transport}:read` });
      const credential = { authorization: `Bearer ${token}`, requestId };

      const read = await suite.transport(transport).call(listLinks, {}, credential);
      const change = await suite
        .transport(transport)
        .call(createLink, { documentId: 'doc_1' }, credential);

      expect([read, change]).toMatchObject([
        { ok: false, error: { code: 'forbidden' } },
        { ok: false, error: { code: 'forbidden' } },
      ]);
      // Only the change is recorded, not the read.
      expect(await eventOf(requestId)).toMatchObject({
        actor_type: 'service',
        actor_id: expect.stringMatching(/./),
        action: 'LinkService.CreateLink',
        code: 'forbidden',
      });
    },
  );

  it('has no event for other errors', async () => {
    const { client } = world;
    const token = await signToken(suite.app, { type: 'service', scope: 'audit:read' });
    const credential = { authorization: `Bearer ${token}`, requestId: nextId() };
    const request = { clientId: client.ownerId, clientSecret: client.text };
    for (const name of transportNames) {
      const transport = suite.transport(name);
      await transport.call(issueToken, { ...request, scope: 'other:read' }, credential);
      await transport.call(issueToken, { ...request, scope: 'accounts:read' }, credential);
      await transport.call(listAuditEvents, { pageSize: -1 }, credential);
    }
    // Events are written in order: those before this one are there, too.
    const last = nextId();
    await list(() => undefined)(world, 'http', last);
    await eventOf(last);

    expect(await auditEventsOf(suite.app.inside.db, credential.requestId)).toEqual([]);
  });

  it('is written later if the database fails, without an effect on the caller', async () => {
    const { db } = suite.app.inside;
    const requestId = nextId();
    await withFailingAuditLog(db, suite.dialect, async () => {
      for (const transport of transportNames) {
        const answer = await list(() => undefined)(world, transport, requestId);
        expect(answer).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
      }
      await expect
        .poll(() => suite.testApp.logText())
        .toMatch(/"failures":[123],.*cannot write audit events of failures; trying again/);
      expect(await auditEventsOf(db, requestId)).toEqual([]);
    });
    // On a slow machine the failures are more than one batch.
    const found = async () => {
      const events = await auditEventsOf(db, requestId);
      return {
        codes: new Set(events.map(({ code }) => code)),
        count: events.reduce((sum, { count }) => sum + count, 0),
      };
    };
    await expect.poll(found).toEqual({ codes: new Set(['unauthenticated']), count: 3 });
  });

  afterAll(async () => {
    // No attempted secret is in the audit log.
    const rows = JSON.stringify(
      await suite.app.inside.db.selectFrom('audit_events').selectAll().execute(),
    );
    const { client, customer, workspace } = world;
    for (const { text } of [client, customer, workspace]) {
      expect(rows).not.toContain(text.slice(29));
    }
    expect(rows).not.toContain('horse');
  });
});

describeApp('a process that stops', ({ dialect }) => {
  it('writes its pending failures', async () => {
    // Neither the next batch nor the time limit of the stop is ever due.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { testApp, transport } = await startPlace({ dialect });
    await transport('http').call(listLinks, {}, { requestId: 'the last one' });
    await transport('http').call(listLinks, {}, { requestId: 'last' });
    await testApp.stop();
    const db = await openUntilFinished(testApp.databaseUrl);
    const rows = await db.selectFrom('audit_events').selectAll().execute();
    expect(rows).toMatchObject([{ action: 'LinkService.ListLinks', count: 2 }]);
  });
});
