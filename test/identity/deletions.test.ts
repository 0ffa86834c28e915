// A deleted client or customer stops working at once, and can be restored for seven days.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { expect, it, test } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { describeApp, startPlace } from '../support/app-suite.ts';
import { allRows } from '../support/audit-rows.ts';
import { endWait, purge } from '../support/ended-waits.ts';
import { callJson } from '../support/json-calls.ts';
import { codeOf, managerCredential, messageOf, useManager } from '../support/manager-calls.ts';
import { addClient, addCustomer } from '../support/owner-rows.ts';

const clients = ClientService.method;
const customers = CustomerService.method;
const weekMs = 7 * 86_400_000;
const wrong = 'identity.credential_invalid';

describeApp('a deletion', (suite) => {
  const areas = ['clients', 'customers', 'tokens'];
  const scopes = areas.flatMap((area) => [`${area}:read`, `${area}:write`]);
  const manager = useManager(suite, scopes.join(' '));
  const db = () => suite.app.inside.db;
  const call = suite.callsThrough('grpc', manager);

  async function issue(clientId: string, clientSecret: string) {
    const request = { clientId, clientSecret, scope: 'payments:read' };
    return call(IssuanceService.method.issueToken, request, {});
  }

  const isActive = async (token: string) =>
    messageOf(await call(VerificationService.method.verifyToken, { token })).active;

  it('of a client rejects its secret and token at once, and can be undone', async () => {
    const { ownerId: clientId, text } = await addClient(db(), 'payments:read');
    const { accessToken } = messageOf(await issue(clientId, text));
    expect(await isActive(accessToken)).toBe(true);

    const before = Date.now();
    const deleted = messageOf(await call(clients.deleteClient, { clientId }));
    const { deleteTime } = deleted.client ?? {};
    const waitMs = deleteTime === undefined ? 0 : timestampMs(deleteTime) - before;
    expect(waitMs).toBeGreaterThanOrEqual(weekMs);
    expect(waitMs).toBeLessThan(weekMs + 60_000);
    expect(deleted.client?.disableTime).toBeUndefined();
    expect(deleted.keptBackups).toBe(0);
    expect(codeOf(await issue(clientId, text))).toBe(wrong);
    expect(await isActive(accessToken)).toBe(false);

    const again = messageOf(await call(clients.deleteClient, { clientId }));
    expect(again.client?.deleteTime).toEqual(deleteTime);
    const { client } = messageOf(await call(clients.undeleteClient, { clientId }));
    expect(client?.deleteTime).toBeUndefined();
    expect(codeOf(await issue(clientId, text))).toBe('ok');
    expect(await isActive(accessToken)).toBe(true);
    expect(codeOf(await call(clients.undeleteClient, { clientId }))).toBe('ok');
  });

  it('leaves a disabled client disabled after it is undone', async () => {
    const { ownerId: clientId, text } = await addClient(db(), 'payments:read');
    const { client: disabled } = messageOf(await call(clients.disableClient, { clientId }));
    const deleted = messageOf(await call(clients.deleteClient, { clientId })).client;
    expect(deleted?.disableTime).toEqual(disabled?.disableTime);
    const restored = messageOf(await call(clients.undeleteClient, { clientId })).client;

    expect(restored?.disableTime).toEqual(disabled?.disableTime);
    expect(codeOf(await issue(clientId, text))).toBe(wrong);
  });

  it('refuses changes that would let the client work, but not the end of its secrets', async () => {
    const { ownerId: clientId, credentialId: secretId } = await addClient(db(), 'payments:read');
    messageOf(await call(clients.deleteClient, { clientId }));
    for (const method of [
      clients.enableClient,
      clients.disableClient,
      clients.createClientSecret,
      clients.rotateClientSecret,
    ] as const) {
      expect([method.name, codeOf(await call(method, { clientId }))]).toEqual([
        method.name,
        'conflict',
      ]);
    }
    expect(codeOf(await call(clients.updateClient, { clientId, name: 'New' }))).toBe('conflict');
    expect(codeOf(await call(clients.revokeClientSecret, { clientId, secretId }))).toBe('ok');
  });

  it('hides a client and a customer from their lists, unless deleted ones are wanted', async () => {
    const { ownerId: clientId } = await addClient(db(), '');
    const { ownerId: customerId } = await addCustomer(db(), 'payments:read');
    messageOf(await call(clients.deleteClient, { clientId }));
    messageOf(await call(customers.deleteCustomer, { customerId }));
    const listed = async (showDeleted: boolean) => [
      messageOf(await call(clients.listClients, { query: clientId, showDeleted })).clients.length,
      messageOf(await call(customers.listCustomers, { query: customerId, showDeleted })).customers
        .length,
    ];

    expect(await listed(false)).toEqual([0, 0]);
    expect(await listed(true)).toEqual([1, 1]);
    expect(messageOf(await call(clients.getClient, { clientId })).client?.deleteTime).toBeDefined();
  });

  it('cannot be undone once the waiting time has ended, and then removes every row', async () => {
    const { ownerId: clientId } = await addClient(db(), 'payments:read');
    const accounts = Array.from({ length: 300 }, (_, i) => `acc_gone_${i}`);
    const customer = await addCustomer(db(), 'payments:read', { accounts: [...accounts] });
    const other = await addCustomer(db(), 'payments:read', { accounts: ['acc_gone_1'] });
    const customerId = customer.ownerId;
    messageOf(await call(clients.deleteClient, { clientId }));
    messageOf(await call(customers.deleteCustomer, { customerId }));
    await endWait(suite.app, 'clients', clientId);
    expect(codeOf(await call(clients.undeleteClient, { clientId }))).toBe('conflict');

    await purge(suite.app, 'customers', customerId);

    for (const method of [clients.getClient, clients.deleteClient, clients.undeleteClient]) {
      expect(codeOf(await call(method, { clientId }))).toBe('not_found');
    }
    const rows = await allRows(db(), ['audit_events', 'changes']);
    const left = rows.filter((row) => row.includes(clientId) || row.includes(customerId));
    expect(left).toEqual([]);
    const shared = rows.filter((row) => row.includes('acc_gone_'));
    expect(shared.filter((row) => !row.includes('acc_gone_1"'))).toEqual([]);
    expect(shared.some((row) => row.includes(other.ownerId))).toBe(true);
    const events = await db()
      .selectFrom('audit_events')
      .select(['action', 'actor_type'])
      .where('target', 'in', [clientId, customerId])
      .where('action', 'like', '%.Purge%')
      .orderBy('action')
      .execute();
    expect(events).toEqual([
      { action: 'ClientService.PurgeClient', actor_type: 'system' },
      { action: 'CustomerService.PurgeCustomer', actor_type: 'system' },
    ]);
  });

  it('of a customer rejects its key, and stays out of reach of other callers', async () => {
    const { ownerId: customerId, text: apiKey } = await addCustomer(db(), 'payments:read');
    const exchange = async () =>
      codeOf(await call(IssuanceService.method.exchangeApiKey, { apiKey }, {}));
    const reader = await managerCredential(suite.app, 'customers:read');
    const stale = await managerCredential(suite.app, 'customers:write', {
      type: 'staff',
      authTime: Date.now() / 1000 - 3600,
    });

    const { deleteCustomer, undeleteCustomer } = customers;
    expect(codeOf(await call(deleteCustomer, { customerId }, reader))).toBe('forbidden');
    expect(codeOf(await call(deleteCustomer, { customerId }, stale))).toBe('step_up_required');
    expect(await exchange()).toBe('ok');
    expect(codeOf(await call(deleteCustomer, { customerId }))).toBe('ok');
    expect(await exchange()).toBe(wrong);
    const request = { customerId, scopes: ['payments:read'] };
    expect(codeOf(await call(customers.createApiKey, request))).toBe('conflict');
    expect(codeOf(await call(undeleteCustomer, { customerId }))).toBe('ok');
    expect(await exchange()).toBe('ok');
  });
});

test('the answer counts the backups that another scheduler keeps in the target', async () => {
  const backupTarget = { kind: 'folder', path: '/var/backups/latchkey' } as const;
  const { app, db } = await startPlace({ config: { backupTarget, backupKeep: 14 } });
  const { ownerId } = await addClient(db, 'payments:read');
  const own = await managerCredential(app, 'clients:read clients:write');

  const { body } = await callJson(app, 'DELETE', `/clients/${ownerId}`, undefined, own);

  expect(body).toMatchObject({ kept_backups: 14 });
});
