import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { callJson } from '../support/json-calls.ts';
import { messageOf, useManager } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addCustomer } from '../support/owner-rows.ts';

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

describeApp('a customer', (suite) => {
  const manager = useManager(suite, 'customers:read customers:write');

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name, manager);
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

    it('changes its name', async () => {
      const customer = await created();
      const customerId = customer.id;
      const renamed = messageOf(await call(updateCustomer, { customerId, name: 'Apex' })).customer;
      const { etag, updateTime } = renamed ?? {};
      expect(renamed).toEqual({ ...customer, name: 'Apex', etag, updateTime });
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
        const enabled = messageOf(await call(enableCustomer, { customerId })).customer;
        const { etag, updateTime } = enabled ?? {};
        expect(enabled).toEqual({ ...before, etag, updateTime });
        expect(await exchanged(key.text)).toEqual([]);
      }
    });

    it('has exactly the accounts that were put last, immediately', async () => {
      const key = await addCustomer(suite.app.inside.db, 'payments:read', { accounts: ['old'] });
      const customerId = key.ownerId;
      expect(await exchanged(key.text)).toEqual(['old']);

      for (const accountIds of [
        ['b', 'a', 'b'],
        ['a', 'b'],
        ['Z:9', 'b', 'x-1_y.z'],
        [],
        ['old'],
      ]) {
        const result = [...new Set(accountIds)].sort();
        const { customer } = messageOf(await call(putAccounts, { customerId, accountIds }));
        expect(customer?.accountIds).toEqual(result);
        expect(await read(customerId)).toEqual(customer);
        const { customers } = messageOf(await call(listCustomers, { pageSize: 200 }));
        expect(customers.find(({ id }) => id === customerId)).toEqual(customer);
        expect(new Set((await exchanged(key.text)) as string[])).toEqual(new Set(result));
      }
    });

    it('keeps its accounts if the new ones do not fit in a token', async () => {
      const { ownerId: customerId } = await addCustomer(suite.app.inside.db, 'payments:read', {
        accounts: ['kept'],
      });
      const accountIds = Array.from({ length: 47 }, (_, i) => `${i}`.padStart(128, 'a'));
      expect(await call(putAccounts, { customerId, accountIds })).toMatchObject({
        error: { code: 'invalid_argument', fields: ['account_ids'] },
      });
      expect(await read(customerId)).toMatchObject({ accountIds: ['kept'] });
    });
  });

  describe('over HTTP', () => {
    const ask = (method: string, path: string, body: unknown) =>
      callJson<{ id: string }>(suite.app, method, path, body, { ...manager });

    it('is returned whole, with the Location of the resource', async () => {
      const made = await ask('POST', '/customers', { name: 'Acme' });
      expect(made.status).toBe(201);
      const customer = made.body;
      expect(made.headers.get('location')).toBe(`/customers/${customer.id}`);
      const times = { create_time: expect.any(String), update_time: expect.any(String) };
      const outside = { etag: expect.any(String), external_id: '' };
      const created = { creator: expect.any(String), creator_name: '' };
      const fields = { id: customer.id, name: 'Acme', audience_ids: [], ...times, ...created };
      expect(customer).toEqual({ ...fields, ...outside, account_ids: [] });

      const path = `/customers/${customer.id}/accounts`;
      const put = await ask('PUT', path, { account_ids: ['acc_2', 'acc_1'] });
      expect(put.status).toBe(200);
      expect(put.body).toEqual({
        ...{ ...fields, ...outside, account_ids: ['acc_1', 'acc_2'] },
      });
      const mistyped = await ask('PUT', path, { accounts: [] });
      expect(mistyped.status).toBe(400);
    });
  });
});
