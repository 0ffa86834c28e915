import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeTransports } from '../support/matrix.ts';
import { addCustomer } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const {
  createCustomer,
  getCustomer,
  listCustomers,
  updateCustomer,
  disableCustomer,
  enableCustomer,
  putAccounts,
} = CustomerService.method;
const { exchangeApiKey } = IssuanceService.method;

const ids = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => `${i}`.padStart(length, 'a'));

describeApp('a customer', (suite) => {
  let manager: { authorization: string };
  beforeAll(async () => {
    manager = await managerCredential(suite.app, 'customers:read customers:write');
  });
  const countCustomers = async () =>
    (await suite.app.inside.db.selectFrom('customers').select('id').execute()).length;

  describeTransports(suite, (name) => {
    const call: ReturnType<typeof suite.transport>['call'] = (
      method,
      request,
      credential = manager,
    ) => suite.transport(name).call(method, request, credential);
    const read = async (customerId: string) =>
      messageOf(await call(getCustomer, { customerId })).customer;
    const created = async (called = 'Acme') => {
      const { customer } = messageOf(await call(createCustomer, { name: called }));
      if (customer === undefined) throw new Error('no customer was answered');
      return customer;
    };
    /** The accounts of a token for the key, or an error's code. */
    const exchanged = async (apiKey: string) => {
      const answer = await call(exchangeApiKey, { apiKey }, {});
      return answer.ok ? decodeJwt(answer.message.accessToken).accounts : answer.error.code;
    };

    it('is created with only a name', async () => {
      const customer = await created();

      expect(customer).toMatchObject({
        id: expect.stringMatching(/^cus_[0-9A-Za-z]{22}$/),
        name: 'Acme',
        accountIds: [],
      });
      expect(customer.disableTime).toBeUndefined();
      expect(await read(customer.id)).toEqual(customer);
    });

    it.each(['', 'x'.repeat(256), 'a\u0000b'])(
      'cannot be created with the name %j',
      async (bad) => {
        const before = await countCustomers();
        const refused = { error: { code: 'invalid_argument', fields: ['name'] } };
        expect(await call(createCustomer, { name: bad })).toMatchObject(refused);
        expect(await countCustomers()).toBe(before);

        const { id: customerId } = await created();
        const change = { customerId, name: bad, updateMask: { paths: ['name'] } };
        expect(await call(updateCustomer, change)).toMatchObject(refused);
        expect(await read(customerId)).toMatchObject({ name: 'Acme' });
      },
    );

    it('is not_found for every method if it does not exist', async () => {
      const request = { customerId: 'cus_unknown' };
      for (const method of [getCustomer, disableCustomer, enableCustomer, putAccounts]) {
        expect(codeOf(await call(method, request)), method.name).toBe('not_found');
      }
      expect(codeOf(await call(updateCustomer, { ...request, name: 'Mine' }))).toBe('not_found');
      const accountIds = ['acc_of_nobody'];
      expect(codeOf(await call(putAccounts, { ...request, accountIds }))).toBe('not_found');
      const { db } = suite.app.inside;
      const left = db.selectFrom('accounts').select('id').where('id', 'in', accountIds);
      expect(await left.execute()).toEqual([]);
    });

    it('is listed, newest first, page by page, with its accounts', async () => {
      const before = await countCustomers();
      const made: string[] = [];
      for (let i = 0; i < 3; i++) {
        suite.clock.frozen = Date.now() + 1000 * (before + i);
        const { id: customerId } = await created(`Number ${i}`);
        made.unshift(customerId);
        messageOf(await call(putAccounts, { customerId, accountIds: [`acc_${i}`] }));
      }
      suite.clock.frozen = undefined;
      const seen: [string, string[]][] = [];
      let pageToken = '';
      do {
        const page = messageOf(await call(listCustomers, { pageSize: 2, pageToken }));
        expect(page.customers.length).toBeLessThanOrEqual(2);
        for (const { id, accountIds } of page.customers) seen.push([id, accountIds]);
        pageToken = page.nextPageToken;
      } while (pageToken !== '');

      expect(seen).toHaveLength(before + 3);
      expect(seen.slice(0, 3)).toEqual(made.map((id, i) => [id, [`acc_${2 - i}`]]));
    });

    it('changes its name', async () => {
      const customer = await created();
      const customerId = customer.id;
      const renamed = messageOf(await call(updateCustomer, { customerId, name: 'Apex' })).customer;
      expect(renamed).toEqual({ ...customer, name: 'Apex' });
      expect(messageOf(await call(updateCustomer, { customerId })).customer).toEqual(renamed);
      expect(await read(customerId)).toEqual(renamed);
    });

    it('cannot use its keys while it is disabled', async () => {
      const key = await addCustomer(suite.app.inside.db, 'payments:read');
      const customerId = key.ownerId;
      const before = await read(customerId);
      expect(await exchanged(key.text)).toEqual([]);

      const disabled = messageOf(await call(disableCustomer, { customerId })).customer;

      expect(disabled?.disableTime).toBeDefined();
      expect(await exchanged(key.text)).toBe('identity.credential_invalid');
      expect(messageOf(await call(disableCustomer, { customerId })).customer).toEqual(disabled);
      for (let i = 0; i < 2; i++) {
        expect(messageOf(await call(enableCustomer, { customerId })).customer).toEqual(before);
        expect(await exchanged(key.text)).toEqual([]);
      }
    });

    it('has exactly the accounts that were put last, immediately', async () => {
      const key = await addCustomer(suite.app.inside.db, 'payments:read', { accounts: ['old'] });
      const customerId = key.ownerId;
      expect(await exchanged(key.text)).toEqual(['old']);

      for (const [put, result] of [
        [
          ['b', 'a', 'b'],
          ['a', 'b'],
        ],
        [
          ['a', 'b'],
          ['a', 'b'],
        ],
        [
          ['Z:9', 'b', 'x-1_y.z'],
          ['Z:9', 'b', 'x-1_y.z'],
        ],
        [[], []],
        [['old'], ['old']],
      ]) {
        const answer = messageOf(await call(putAccounts, { customerId, accountIds: put ?? [] }));
        expect(answer.customer?.accountIds).toEqual(result);
        expect(await read(customerId)).toEqual(answer.customer);
        expect(new Set((await exchanged(key.text)) as string[])).toEqual(new Set(result));
      }
    });

    itHoldsFor(
      [
        ['an empty id', ['acc_1', '']],
        ['an id with a space', ['acc 1']],
        ['an id with a comma', ['acc_1,acc_2']],
        ['an id with a NUL', ['acc\u0000']],
        ['an id of 129 characters', ids(1, 129)],
        ['1001 accounts', ids(1001, 1)],
        ['more than fits in a token', ids(47, 128)],
      ],
      7,
    )('keeps its accounts where it is to have bad ones', async (_, accountIds) => {
      const { ownerId: customerId } = await addCustomer(suite.app.inside.db, 'payments:read', {
        accounts: ['kept'],
      });
      expect(await call(putAccounts, { customerId, accountIds })).toMatchObject({
        error: { code: 'invalid_argument', fields: ['account_ids'] },
      });
      expect(await read(customerId)).toMatchObject({ accountIds: ['kept'] });
    });
  });

  describe('over HTTP', () => {
    const ask = (method: string, path: string, body: unknown) =>
      fetch(suite.app.publicUrl + path, {
        method,
        headers: { ...manager, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    it('is returned whole, with the Location of the resource', async () => {
      const made = await ask('POST', '/customers', { name: 'Acme' });
      expect(made.status).toBe(201);
      const customer = (await made.json()) as { id: string };
      expect(made.headers.get('location')).toBe(`/customers/${customer.id}`);
      const fields = { id: customer.id, name: 'Acme', create_time: expect.any(String) };
      expect(customer).toEqual({ ...fields, account_ids: [] });

      const path = `/customers/${customer.id}/accounts`;
      const put = await ask('PUT', path, { account_ids: ['acc_2', 'acc_1'] });
      expect(put.status).toBe(200);
      expect(await put.json()).toEqual({ ...fields, account_ids: ['acc_1', 'acc_2'] });
      const mistyped = await ask('PUT', path, { accounts: [] });
      expect(mistyped.status).toBe(400);
    });
  });
});
