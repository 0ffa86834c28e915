// The entity tags and update times of resources with an external id.
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { ClientService } from '../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../gen/latchkey/identity/v1/customer_pb.js';
import { describeApp } from './support/app-suite.ts';
import { startTestApp } from './support/harness.ts';
import { codeOf, managerCredential, messageOf } from './support/manager-calls.ts';
import { describeDialects, describeTransports } from './support/matrix.ts';
import { itHoldsFor } from './support/rule.ts';
import { openTransports } from './support/transports.ts';
import { callsOf, kindNames, millis, resourceScopes } from './support/versioned-resources.ts';

const { createClient, getClient, updateClient } = ClientService.method;
const { disableClient, enableClient, deleteClient, undeleteClient } = ClientService.method;
const { createCustomer, putAccounts } = CustomerService.method;

describeApp('the entity tag', (suite) => {
  let manager: { readonly authorization: string };
  beforeAll(async () => {
    manager = await managerCredential(suite.app, resourceScopes);
  });

  describeTransports(suite, (transport, isOwn) => {
    const transportOf = () => suite.transport(transport);

    itHoldsFor(kindNames, 5)('changes with each change, and with nothing else', async (name) => {
      const { create, get, list, update, resourceOf } = callsOf(transportOf(), manager, name);
      const first = resourceOf(await create());
      expect(first.etag).toMatch(/^"[\w-]{27}"$/);
      expect(first.updateTime).toEqual(first.createTime);
      expect(await get(first.id)).toMatchObject({ etag: first.etag });
      const listed = (await list({})).find(({ id }) => id === first.id);
      expect(listed).toMatchObject({ etag: first.etag, updateTime: first.updateTime });

      const same = resourceOf(await update(first.id, { name: 'First', etag: first.etag }));
      expect(same).toMatchObject({ etag: first.etag, updateTime: first.updateTime });
      expect(resourceOf(await update(first.id, {})).etag).toBe(first.etag);

      await setTimeout(5);
      const second = resourceOf(await update(first.id, { name: 'Second', etag: first.etag }));
      expect(second.etag).not.toBe(first.etag);
      expect(millis(second.updateTime)).toBeGreaterThan(millis(first.updateTime));
      expect(await get(first.id)).toMatchObject({
        ...{ etag: second.etag, createTime: first.createTime, updateTime: second.updateTime },
      });
      // The same values again are another state.
      const third = resourceOf(await update(first.id, { name: 'First' }));
      expect(third.etag).not.toBe(first.etag);
    });

    it('refuses a deletion and a change of the state for an earlier state', async () => {
      const { create, update, resourceOf } = callsOf(transportOf(), manager, 'client');
      const { id: clientId, etag: ifMatch } = resourceOf(await create());
      await update(clientId, { name: 'Second' });
      const methods = [disableClient, enableClient, deleteClient, undeleteClient];
      for (const method of methods) {
        const answer = await transportOf().call(method, { clientId }, { ...manager, ifMatch });
        expect(codeOf(answer), method.name).toBe('precondition_failed');
      }
      const gone = await transportOf().call(
        deleteClient,
        { clientId },
        { ...manager, ifMatch: '*' },
      );
      expect(codeOf(gone)).toBe('ok');
    });

    itHoldsFor(kindNames, 5)('refuses a change of an earlier state', async (name) => {
      const { create, get, update, resourceOf } = callsOf(transportOf(), manager, name);
      const { id, etag } = resourceOf(await create());
      const current = resourceOf(await update(id, { name: 'Second' }));
      const stale = { ok: false, error: { code: 'precondition_failed', grpc: 9 } };
      expect(await update(id, { name: 'Third', etag })).toMatchObject(stale);
      expect(await update(id, { etag })).toMatchObject(stale);
      expect(await update(id, { name: 'Third', etag: 'x' })).toMatchObject(stale);
      const withHeader = (ifMatch: string) =>
        update(id, { name: 'Third' }, { ...manager, ifMatch });
      for (const ifMatch of [etag, `${etag}, "x"`, `W/${current.etag}`, 'x']) {
        expect(await withHeader(ifMatch), ifMatch).toMatchObject(stale);
      }
      expect(await get(id)).toMatchObject({ name: 'Second', etag: current.etag });
      expect(codeOf(await withHeader(`${etag}, ${current.etag}`))).toBe('ok');
      expect(codeOf(await withHeader('*'))).toBe('ok');
      // Both are checked if both are set.
      const { etag: latest } = await get(id);
      const both = await update(id, { name: 'Fourth', etag }, { ...manager, ifMatch: latest });
      expect(both).toMatchObject(stale);
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    it('covers the accounts of a customer', async () => {
      const call = transportOf();
      const { customer } = messageOf(await call.call(createCustomer, { name: 'A' }, manager));
      const request = { customerId: customer?.id ?? '', accountIds: ['a-1'] };
      const put = (etag: string, accountIds = request.accountIds) =>
        call.call(putAccounts, { ...request, accountIds, etag }, manager);
      const changed = messageOf(await put(customer?.etag ?? '')).customer;
      expect(changed?.etag).not.toBe(customer?.etag);
      expect(messageOf(await put(changed?.etag ?? '')).customer?.etag).toBe(changed?.etag);
      expect(codeOf(await put(customer?.etag ?? '', ['a-2']))).toBe('precondition_failed');
    });

    it('changes when a client is disabled', async () => {
      const { create, get, resourceOf } = callsOf(transportOf(), manager, 'client');
      const { id, etag } = resourceOf(await create());
      const { disableClient } = ClientService.method;
      await transportOf().call(disableClient, { clientId: id }, manager);
      const disabled = await get(id);
      expect(disabled.etag).not.toBe(etag);
      await transportOf().call(disableClient, { clientId: id }, manager);
      expect(await get(id)).toMatchObject({ etag: disabled.etag });
    });
  });
});

describeDialects('two changes of one state at the same time', (dialect) => {
  it('do not both succeed, so that no scope is lost', { timeout: 60_000 }, async () => {
    const testApp = await startTestApp({ dialect });
    const transports = openTransports(testApp.app);
    try {
      const manager = await managerCredential(testApp.app, resourceScopes);
      const [http, grpc] = transports;
      if (http === undefined || grpc === undefined) throw new Error('a transport is missing');
      const created = messageOf(await http.call(createClient, { name: 'Raced' }, manager)).client;
      let scopes: readonly string[] = [];
      let etag = created?.etag ?? '';
      const clientId = created?.id ?? '';
      for (let round = 0; round < 20; round++) {
        const add = (scope: string) => ({ clientId, etag, scopes: [...scopes, scope] });
        const answers = await Promise.all([
          http.call(updateClient, add(`http_${round}:read`), manager),
          grpc.call(updateClient, add(`grpc_${round}:read`), manager),
        ]);
        expect(answers.map(codeOf).sort()).toEqual(['ok', 'precondition_failed']);
        const { client } = messageOf(await http.call(getClient, { clientId }, manager));
        expect(client?.scopes).toHaveLength(round + 1);
        scopes = client?.scopes ?? [];
        etag = client?.etag ?? '';
      }
    } finally {
      for (const transport of transports) transport.close();
      await testApp.remove();
    }
  });
});
