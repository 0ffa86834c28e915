// A token is valid only while its client, key or session is, and never covers more than they do.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { insertAccounts } from '../../src/identity/customers/store.ts';
import type { Executor } from '../../src/storage/schema/schema.ts';
import { describeApp } from '../support/app-suite.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import {
  type Added,
  addClient,
  addCustomer,
  changeAsOtherProcess,
  revoke,
} from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { inactive, signToken } from '../support/signed-tokens.ts';

const { verifyToken, revokeToken } = VerificationService.method;
// Within a second, as a rule: a busy machine may take longer.
const soon = { timeout: 10_000, interval: 20 };

const disable =
  (table: 'clients' | 'customers', id: string, disable_time: number | null) => (trx: Executor) =>
    trx.updateTable(table).set({ disable_time }).where('id', '=', id).execute();
const setKey = (id: string, change: { scopes?: string; expire_time?: number }) => (trx: Executor) =>
  trx.updateTable('credentials').set(change).where('id', '=', id).execute();
const setClientScopes = (id: string, scopes: string) => (trx: Executor) =>
  trx.updateTable('clients').set({ scopes }).where('id', '=', id).execute();

/** Changes that invalidate a customer's token before its expiry. */
const ends: Record<string, (customer: Added) => (trx: Executor) => Promise<unknown>> = {
  'the revocation of its key': (customer) => (trx) => revoke(trx, customer.credentialId),
  'the expiry of its key': (customer) =>
    setKey(customer.credentialId, { expire_time: Date.now() - 1 }),
  'the disabling of its customer': (customer) => disable('customers', customer.ownerId, Date.now()),
};

describeApp('a token', (suite) => {
  let authorization: string;
  beforeAll(async () => {
    const own = { type: 'service', scope: 'tokens:read tokens:write' } as const;
    authorization = `Bearer ${await signToken(suite.app, own)}`;
  });
  const verdict = async (token: string, fields = {}) => {
    const request = { token, ...fields };
    const { $typeName, $unknown, ...message } = messageOf(
      await suite.transport('grpc').call(verifyToken, request, { authorization }),
    );
    return message;
  };
  const change = (work: (trx: Executor) => Promise<unknown>) =>
    changeAsOtherProcess(suite.app.inside.db, work);
  const issue = async (client: Added, scope: string) => {
    const request = { clientId: client.ownerId, clientSecret: client.text, scope };
    const answer = await suite.transport('grpc').call(IssuanceService.method.issueToken, request);
    return answer.ok ? answer.message.accessToken : '';
  };
  const exchange = async (customer: Added) => {
    const request = { apiKey: customer.text };
    const answer = await suite
      .transport('grpc')
      .call(IssuanceService.method.exchangeApiKey, request);
    return answer.ok ? answer.message.accessToken : '';
  };
  /** The code of a call with the token. */
  const use = async (token: string) => {
    const own = { authorization: `Bearer ${token}` };
    return codeOf(await suite.transport('http').call(verifyToken, { token: 'x' }, own));
  };

  describe('of a service client', () => {
    it('is invalid for every route after its client is disabled', async () => {
      const client = await addClient(suite.app.inside.db, 'tokens:read');
      const token = await issue(client, 'tokens:read');
      expect([await use(token), (await verdict(token)).active]).toEqual(['ok', true]);

      await change(disable('clients', client.ownerId, Date.now()));

      await expect.poll(() => use(token), soon).toBe('unauthenticated');
      expect(await verdict(token)).toEqual(inactive);
    });

    it('stays revoked if its client was disabled at the time', async () => {
      const client = await addClient(suite.app.inside.db, 'tokens:read');
      const [token, other] = [
        await issue(client, 'tokens:read'),
        await issue(client, 'tokens:read'),
      ];
      await change(disable('clients', client.ownerId, Date.now()));
      await expect.poll(() => use(token), soon).toBe('unauthenticated');

      await suite.transport('http').call(revokeToken, { token }, { authorization });
      await change(disable('clients', client.ownerId, null));

      await expect.poll(() => use(other), soon).toBe('ok');
      expect(await use(token)).toBe('unauthenticated');
    });

    it('covers only the scopes that its client still holds', async () => {
      const client = await addClient(suite.app.inside.db, 'tokens:read accounts:read a:write');
      const token = await issue(client, 'a:write tokens:read accounts:read');
      expect(await verdict(token, { scope: 'tokens:read' })).toMatchObject({ allowed: true });

      await change(setClientScopes(client.ownerId, 'accounts:read a:write b:read'));

      await expect.poll(() => use(token), soon).toBe('forbidden');
      expect(await verdict(token)).toMatchObject({
        active: true,
        allowed: true,
        scope: 'a:write accounts:read',
      });
      expect(await verdict(token, { scope: 'tokens:read' })).toMatchObject({
        active: true,
        allowed: false,
        code: 'forbidden',
      });
      // Scopes granted later do not extend the token.
      expect(await verdict(token, { scope: 'b:read' })).toMatchObject({ allowed: false });

      await change(setClientScopes(client.ownerId, ''));
      await expect.poll(() => verdict(token), soon).toMatchObject({ active: true, scope: '' });
      expect(await use(token)).toBe('forbidden');
    });
  });

  describe('of a customer', () => {
    itHoldsFor(Object.entries(ends), 3)('is invalid after its end', async (_, end) => {
      const customer = await addCustomer(suite.app.inside.db, 'a:read', { accounts: ['acc_1'] });
      const token = await exchange(customer);
      expect(await verdict(token)).toMatchObject({ active: true, accounts: ['acc_1'] });

      await change(end(customer));

      await expect.poll(() => verdict(token), soon).toEqual(inactive);
      expect(await use(token)).toBe('unauthenticated');
    });

    it("expires to the millisecond with its key, if the key's expiry was set later", async () => {
      const start = Math.ceil(Date.now() / 1000) * 1000;
      const customer = await addCustomer(suite.app.inside.db, 'a:read');
      onTestFinished(suite.clock.reset);
      suite.clock.frozen = start;
      const token = await exchange(customer);
      await change(setKey(customer.credentialId, { expire_time: start + 2_500 }));
      await expect
        .poll(async () => {
          suite.clock.frozen = start + 2_500;
          return (await verdict(token)).active;
        }, soon)
        .toBe(false);
      suite.clock.frozen = start + 2_499;
      expect(await verdict(token)).toMatchObject({ active: true });
    });

    it('covers only the current scopes of the key and accounts of the customer', async () => {
      const accounts = ['acc_1', 'acc_2'];
      const customer = await addCustomer(suite.app.inside.db, 'a:read b:read', { accounts });
      const token = await exchange(customer);
      expect(await verdict(token, { accountId: 'acc_1' })).toMatchObject({ allowed: true });

      await change(async (trx) => {
        await setKey(customer.credentialId, { scopes: 'b:read c:read' })(trx);
        await trx.deleteFrom('customer_accounts').where('account_id', '=', 'acc_1').execute();
        await insertAccounts(trx, customer.ownerId, ['acc_3'], Date.now());
      });

      const narrowed = { active: true, scope: 'b:read', accounts: ['acc_2'] };
      await expect.poll(() => verdict(token), soon).toMatchObject(narrowed);
      for (const [accountId, allowed] of [
        ['acc_1', false],
        ['acc_2', true],
        ['acc_3', false],
      ] as const) {
        expect(await verdict(token, { accountId }), accountId).toMatchObject({ allowed });
      }
    });

    it("is invalid with another customer's key", async () => {
      const [one, other] = [
        await addCustomer(suite.app.inside.db, 'a:read'),
        await addCustomer(suite.app.inside.db, 'a:read'),
      ];
      const own = { type: 'customer', scope: 'a:read', sub: one.ownerId } as const;
      const good = await signToken(suite.app, { ...own, keyId: one.credentialId });
      const mixed = await signToken(suite.app, { ...own, keyId: other.credentialId });

      expect(await verdict(good)).toMatchObject({ active: true, sub: one.ownerId });
      expect(await verdict(mixed)).toEqual(inactive);
    });
  });

  it('without a known subject is not active', async () => {
    for (const type of ['service', 'customer'] as const) {
      const token = await signToken(suite.app, { type, scope: 'a:read', sub: 'cli_none' });
      expect(await verdict(token), type).toEqual(inactive);
    }
  });
});
