// A token never outlives what it was issued for, and never covers more than that does now.
import { beforeAll, describe, expect, it } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { insertAccounts } from '../../src/identity/customers/store.ts';
import type { Executor } from '../../src/storage/schema.ts';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { startTestApp } from '../support/harness.ts';
import {
  type Added,
  addClient,
  addCustomer,
  changeAsOtherProcess,
  revoke,
} from '../support/owner-rows.ts';
import { inactive, signToken } from '../support/signed-tokens.ts';
import { openTransports } from '../support/transports.ts';

const { verifyToken, revokeToken } = VerificationService.method;
const within1s = { timeout: 1_000, interval: 20 };

const disable =
  (table: 'clients' | 'customers', id: string, disable_time: number | null) => (trx: Executor) =>
    trx.updateTable(table).set({ disable_time }).where('id', '=', id).execute();
const setKey = (id: string, change: { scopes?: string; expire_time?: number }) => (trx: Executor) =>
  trx.updateTable('credentials').set(change).where('id', '=', id).execute();
const setClientScopes = (id: string, scopes: string) => (trx: Executor) =>
  trx.updateTable('clients').set({ scopes }).where('id', '=', id).execute();

/** What ends a customer's token before its time. */
const ends: [string, (customer: Added) => (trx: Executor) => Promise<unknown>][] = [
  ['its key is revoked', (customer) => (trx) => revoke(trx, customer.credentialId)],
  [
    'its key has expired',
    (customer) => setKey(customer.credentialId, { expire_time: Date.now() - 1 }),
  ],
  ['its customer is disabled', (customer) => disable('customers', customer.ownerId, Date.now())],
];

describeApp('a token', (suite) => {
  let authorization: string;
  beforeAll(async () => {
    const own = { type: 'service', scope: 'tokens:read tokens:write' } as const;
    authorization = `Bearer ${await signToken(suite.app, own)}`;
  });
  const verdict = async (token: string, fields = {}) => {
    const request = { token, ...fields };
    const answer = await suite.transport('grpc').call(verifyToken, request, { authorization });
    if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
    const { $typeName, $unknown, ...message } = answer.message;
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
  /** What comes of the token where a method asks for it. */
  const use = async (token: string) => {
    const own = { authorization: `Bearer ${token}` };
    const answer = await suite.transport('http').call(verifyToken, { token: 'x' }, own);
    return answer.ok ? 'ok' : answer.error.code;
  };

  describe('of a service client', () => {
    it('ends with its client, for every route', async () => {
      const client = await addClient(suite.app.inside.db, 'tokens:read');
      const token = await issue(client, 'tokens:read');
      expect([await use(token), (await verdict(token)).active]).toEqual(['ok', true]);

      await change(disable('clients', client.ownerId, Date.now()));

      await expect.poll(() => use(token), within1s).toBe('unauthenticated');
      expect(await verdict(token)).toEqual(inactive);
    });

    it('that was revoked stays so, though its client was disabled then', async () => {
      const client = await addClient(suite.app.inside.db, 'tokens:read');
      const [token, other] = [
        await issue(client, 'tokens:read'),
        await issue(client, 'tokens:read'),
      ];
      await change(disable('clients', client.ownerId, Date.now()));
      await expect.poll(() => use(token), within1s).toBe('unauthenticated');

      await suite.transport('http').call(revokeToken, { token }, { authorization });
      await change(disable('clients', client.ownerId, null));

      await expect.poll(() => use(other), within1s).toBe('ok');
      expect(await use(token)).toBe('unauthenticated');
    });

    it('covers only what its client still holds', async () => {
      const client = await addClient(suite.app.inside.db, 'tokens:read accounts:read a:write');
      const token = await issue(client, 'a:write tokens:read accounts:read');
      expect(await verdict(token, { scope: 'tokens:read' })).toMatchObject({ allowed: true });

      await change(setClientScopes(client.ownerId, 'accounts:read a:write b:read'));

      await expect.poll(() => use(token), within1s).toBe('forbidden');
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
      // What the client has got since is not the token's.
      expect(await verdict(token, { scope: 'b:read' })).toMatchObject({ allowed: false });
    });

    it('covers nothing where its client holds none of it any more', async () => {
      const client = await addClient(suite.app.inside.db, 'tokens:read');
      const token = await issue(client, 'tokens:read');
      await change(setClientScopes(client.ownerId, ''));

      await expect.poll(() => use(token), within1s).toBe('forbidden');
      expect(await verdict(token)).toMatchObject({ active: true, scope: '' });
    });
  });

  describe('of a customer', () => {
    it.each(ends)('ends where %s', async (_, end) => {
      const customer = await addCustomer(suite.app.inside.db, 'a:read', { accounts: ['acc_1'] });
      const token = await exchange(customer);
      expect(await verdict(token)).toMatchObject({ active: true, accounts: ['acc_1'] });

      await change(end(customer));

      await expect.poll(() => verdict(token), within1s).toEqual(inactive);
      expect(await use(token)).toBe('unauthenticated');
    });

    it('ends to the millisecond with its key, whose end was set later', async () => {
      const start = Math.ceil(Date.now() / 1000) * 1000;
      const customer = await addCustomer(suite.app.inside.db, 'a:read');
      try {
        suite.clock.frozen = start;
        const token = await exchange(customer);
        await change(setKey(customer.credentialId, { expire_time: start + 2_500 }));
        await expect
          .poll(async () => {
            suite.clock.frozen = start + 2_500;
            return (await verdict(token)).active;
          }, within1s)
          .toBe(false);
        suite.clock.frozen = start + 2_499;
        expect(await verdict(token)).toMatchObject({ active: true });
      } finally {
        suite.clock.frozen = undefined;
      }
    });

    it("covers only the key's scopes and the customer's accounts of now", async () => {
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
      await expect.poll(() => verdict(token), within1s).toMatchObject(narrowed);
      for (const [accountId, allowed] of [
        ['acc_1', false],
        ['acc_2', true],
        ['acc_3', false],
      ] as const) {
        expect(await verdict(token, { accountId }), accountId).toMatchObject({ allowed });
      }
    });

    it("does not live on another customer's key", async () => {
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

  it('of nobody is not active', async () => {
    for (const type of ['service', 'customer'] as const) {
      const token = await signToken(suite.app, { type, scope: 'a:read', sub: 'cli_none' });
      expect(await verdict(token), type).toEqual(inactive);
    }
  });

  it('ends within a second in another process, too', async () => {
    const client = await addClient(suite.app.inside.db, 'tokens:read');
    const token = await issue(client, 'tokens:read');
    await withOther(suite, async (useThere) => {
      expect(await useThere(token)).toBe('ok');

      await change(disable('clients', client.ownerId, Date.now()));

      await expect.poll(() => useThere(token), within1s).toBe('unauthenticated');
    });
  });
});

/** Another process on the same database. */
async function withOther(
  suite: Suite,
  work: (use: (token: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const other = await startTestApp({
    dataDir: suite.testApp.dataDir,
    config: { databaseUrl: suite.testApp.databaseUrl, publicUrl: suite.app.publicUrl },
  });
  const transports = openTransports(other.app);
  const there = transports.find((transport) => transport.name === 'grpc');
  try {
    await work(async (token) => {
      const own = { authorization: `Bearer ${token}` };
      const answer = await there?.call(verifyToken, { token: 'x' }, own);
      return answer?.ok === true ? 'ok' : (answer?.error.code ?? '');
    });
  } finally {
    for (const transport of transports) transport.close();
    await other.stop();
  }
}
