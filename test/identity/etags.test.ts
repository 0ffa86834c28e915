// Entity tags: an update that is based on an earlier state of a resource is refused.
import { beforeAll, expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { describeApp, describeAppOnSqlite } from '../support/app-suite.ts';
import { everyScope } from '../support/company-sign-in.ts';
import { makeFolder } from '../support/folder-calls.ts';
import { Visitor } from '../support/gate-visitor.ts';
import { startTestApp } from '../support/harness.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeDialects, describeTransports } from '../support/matrix.ts';
import { addProvider } from '../support/provider-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  blobDirOf,
  callSharingApi,
  filesUnder,
  keyOf,
  makeLink,
  upload,
} from '../support/sharing-api.ts';
import { openTransports } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';
import { callsOf, kindNames, millis, resourceScopes } from '../support/versioned-resources.ts';

const { createClient, getClient, updateClient } = ClientService.method;
const { disableClient, enableClient, deleteClient, undeleteClient } = ClientService.method;
const { createCustomer, putAccounts } = CustomerService.method;

describeApp('the entity tag', (suite) => {
  let manager: { readonly authorization: string };
  beforeAll(async () => {
    manager = await managerCredential(suite.app, resourceScopes);
  });

  describeTransports(suite, (transport) => {
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

      await new Promise((resolve) => setTimeout(resolve, 5));
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

describeAppOnSqlite('the entity tag of a resource without an external id', (suite) => {
  it('changes with each change, and refuses a change of an earlier state', async () => {
    const { testApp } = suite;
    const { app } = testApp;
    const user = await addUser(app.inside.db, { kind: 'member' });
    const { id: documentId } = await upload(testApp, Buffer.from('Terms'));
    const { id: linkId } = await makeLink(testApp, documentId);
    const manager = await managerCredential(app, everyScope);
    const resources = [
      [`/users/${user.id}`, manager],
      [`/identity-providers/${await addProvider(app.inside.db)}`, manager],
      [`/api/v1/links/${linkId}`, keyOf(testApp)],
      [`/api/v1/documents/${documentId}`, keyOf(testApp)],
      [`/api/v1/folders/${(await makeFolder(testApp, 'First')).id}`, keyOf(testApp)],
    ] as const;
    for (const [path, credential] of resources) {
      const send = async (body?: object, headers: Record<string, string> = {}) => {
        const response = await fetch(app.publicUrl + path, {
          method: body === undefined ? 'GET' : 'PATCH',
          headers: { ...credential, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer = (await response.json()) as { name: string; etag: string; code: string };
        return { status: response.status, ...answer };
      };
      const first = await send();
      expect(first.etag, path).toMatch(/^"[\w-]{27}"$/);
      const second = await send({ name: 'Second', etag: first.etag });
      expect(second).toMatchObject({ status: 200, name: 'Second' });
      expect(second.etag).not.toBe(first.etag);
      expect(await send({ name: 'Second' })).toMatchObject({ etag: second.etag });
      const refused = { status: 412, code: 'precondition_failed' };
      expect(await send({ name: 'Third', etag: first.etag }), path).toMatchObject(refused);
      const stale = { 'if-match': first.etag };
      expect(await send({ name: 'Third' }, stale), path).toMatchObject(refused);
      expect(await send()).toMatchObject({ name: 'Second', etag: second.etag });
      const current = { 'if-match': second.etag };
      expect(await send({ name: 'Third' }, current)).toMatchObject({ name: 'Third' });
    }
  });

  it('of a document counts for its versions, its folder and its deletion', async () => {
    const { testApp } = suite;
    const folder = await makeFolder(testApp, 'Board');
    const { id } = await upload(testApp, Buffer.from('Terms'), 'terms.txt');
    type Tagged = { readonly etag: string; readonly version: number; readonly code: string };
    const send = async (method: string, path: string, ifMatch = '*', body?: object) => {
      const response = await fetch(`${testApp.app.publicUrl}/api/v1${path}`, {
        method,
        headers: { ...keyOf(testApp), 'if-match': ifMatch, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Tagged };
    };
    const sendVersion = async (ifMatch: string) => {
      const form = new FormData();
      form.append('file', new Blob(['Other terms']), 'terms.txt');
      const response = await fetch(`${testApp.app.publicUrl}/api/v1/documents/${id}/versions`, {
        method: 'POST',
        headers: { ...keyOf(testApp), 'if-match': ifMatch },
        body: form,
      });
      return { status: response.status, body: (await response.json()) as Tagged };
    };
    const read = async () => (await send('GET', `/documents/${id}`)).body;
    const first = await read();
    const second = await sendVersion(first.etag);
    expect(second).toMatchObject({ status: 201, body: { version: 2 } });
    const moved = await send('PATCH', `/documents/${id}`, second.body.etag, {
      folder_id: folder.id,
    });
    expect(new Set([first.etag, second.body.etag, moved.body.etag]).size).toBe(3);

    const refused = { status: 412, body: { code: 'precondition_failed' } };
    const blobs = await filesUnder(blobDirOf(testApp));
    expect(await sendVersion(second.body.etag)).toMatchObject(refused);
    expect(await filesUnder(blobDirOf(testApp))).toEqual(blobs);
    for (const stale of [first.etag, second.body.etag]) {
      const calls = [
        send('POST', `/documents/${id}/versions/1:restore`, stale, {}),
        send('DELETE', `/documents/${id}/versions/1`, stale),
        send('DELETE', `/documents/${id}`, stale),
      ];
      for (const answer of await Promise.all(calls)) expect(answer).toMatchObject(refused);
    }
    expect(await read()).toMatchObject({ etag: moved.body.etag, version: 2 });
    expect(await send('DELETE', `/folders/${folder.id}`, '"x"')).toMatchObject(refused);
    expect((await send('DELETE', `/documents/${id}`, moved.body.etag)).status).toBe(200);
    expect((await send('DELETE', `/folders/${folder.id}`)).status).toBe(200);
  });

  it('of a link ignores views, and counts in a batch and a revocation', async () => {
    const { testApp } = suite;
    const { id: documentId } = await upload(testApp, Buffer.from('Terms'));
    const link = await makeLink(testApp, documentId);
    const read = async () =>
      (
        await callSharingApi<{ etag: string; view_count: number }>(
          testApp,
          'GET',
          `/links/${link.id}`,
        )
      ).body;
    const { etag } = await read();
    const visitor = new Visitor(link);
    await visitor.asked();
    await visitor.get('/download');
    await expect.poll(async () => (await read()).view_count).toBe(1);
    expect((await read()).etag).toBe(etag);
    const change = (given: string, name: string) =>
      callSharingApi(testApp, 'POST', '/links:batchUpdate', {
        requests: [{ link_id: link.id, etag: given, update_mask: 'name', name }],
      });
    expect(await change(etag, 'Second')).toMatchObject({ status: 200 });
    expect(await change(etag, 'Third')).toMatchObject({
      ...{ status: 412, body: { detail: expect.stringContaining('requests[0]') } },
    });
    const revoke = (ifMatch: string) =>
      callSharingApi(testApp, 'DELETE', `/links/${link.id}`, undefined, {
        ...keyOf(testApp),
        'if-match': ifMatch,
      });
    expect(await revoke(etag)).toMatchObject({
      ...{ status: 412, body: { code: 'precondition_failed' } },
    });
    expect((await visitor.get()).status).toBe(200);
    const current = (await read()).etag;
    expect((await revoke(current)).status).toBe(200);
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
