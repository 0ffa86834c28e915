import { beforeAll, expect, it } from 'vitest';
import { AccountService } from '../../gen/latchkey/identity/v1/account_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { customerCredential, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { type Added, addCustomer, changeAsOtherProcess } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const { listAccounts, getAccount } = AccountService.method;
const { putAccounts } = CustomerService.method;

describeApp('an account', (suite) => {
  let one: Added;
  let two: Added;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    await changeAsOtherProcess(db, async (trx) => {
      await trx.deleteFrom('customer_accounts').execute();
      await trx.deleteFrom('accounts').execute();
    });
    one = await addCustomer(db, 'accounts:read', { accounts: ['acc_1', 'shared'] });
    two = await addCustomer(db, 'accounts:read', { accounts: ['acc_2', 'shared'] });
  });

  const put = async (customerId: string, accountIds: string[]) => {
    const manager = await managerCredential(suite.app, 'customers:write');
    return messageOf(
      await suite.transport('grpc').call(putAccounts, { customerId, accountIds }, manager),
    );
  };

  describeOneTransport(suite, (name) => {
    type Credential = { authorization: string };
    const listed = async (credential: Credential, customerId = '') => {
      const answer = await suite.transport(name).call(listAccounts, { customerId }, credential);
      return messageOf(answer)
        .accounts.map(({ id }) => id)
        .sort();
    };
    const codeFor = async (credential: Credential, accountId: string) => {
      const answer = await suite.transport(name).call(getAccount, { accountId }, credential);
      if (answer.ok) expect(answer.message.account).toMatchObject({ id: accountId });
      return answer.ok ? 'ok' : answer.error.code;
    };

    itHoldsFor(['service', 'staff'] as const)(
      'is visible to managers, whichever customer has it',
      async (type) => {
        const credential = await managerCredential(suite.app, 'accounts:read', { type });

        expect(await listed(credential)).toEqual(['acc_1', 'acc_2', 'shared']);
        expect(await listed(credential, one.ownerId)).toEqual(['acc_1', 'shared']);
        expect(await listed(credential, two.ownerId)).toEqual(['acc_2', 'shared']);
        expect(await listed(credential, 'cus_unknown')).toEqual([]);
        expect(await codeFor(credential, 'acc_2')).toBe('ok');
        expect(await codeFor(credential, 'shared')).toBe('ok');
        expect(await codeFor(credential, 'acc_unknown')).toBe('not_found');
      },
    );

    it('is visible only to the customers who have it', async () => {
      const credential = await customerCredential(suite.app, one, ['acc_1', 'shared']);

      expect(await listed(credential)).toEqual(['acc_1', 'shared']);
      expect(await listed(credential, one.ownerId)).toEqual(['acc_1', 'shared']);
      expect(await listed(credential, two.ownerId)).toEqual([]);
      expect(await codeFor(credential, 'acc_1')).toBe('ok');
      expect(await codeFor(credential, 'shared')).toBe('ok');
      for (const other of ['acc_2', 'acc_unknown']) {
        expect(await codeFor(credential, other), other).toBe('not_found');
      }
    });

    it('is not visible to a token that does not name it, even if the customer has it', async () => {
      const narrow = await customerCredential(suite.app, one, ['shared']);
      expect(await listed(narrow)).toEqual(['shared']);
      expect(await codeFor(narrow, 'acc_1')).toBe('not_found');

      const none = await customerCredential(suite.app, one, []);
      expect(await listed(none)).toEqual([]);
      expect(await codeFor(none, 'acc_1')).toBe('not_found');
    });

    it('is not visible to a token that names it after the customer has lost it', async () => {
      const credential = await customerCredential(suite.app, one, ['acc_1', 'shared', 'acc_2']);
      expect(await listed(credential)).toEqual(['acc_1', 'shared']);

      await put(one.ownerId, ['acc_1']);

      expect(await listed(credential)).toEqual(['acc_1']);
      expect(await codeFor(credential, 'shared')).toBe('not_found');
      await put(one.ownerId, ['acc_1', 'shared']);
      expect(await codeFor(credential, 'shared')).toBe('ok');
    });

    it('exists from the first customer who has it to the last', async () => {
      const credential = await managerCredential(suite.app, 'accounts:read');
      const { ownerId: a } = await addCustomer(suite.app.inside.db, '');
      const { ownerId: b } = await addCustomer(suite.app.inside.db, '');
      expect(await codeFor(credential, 'new')).toBe('not_found');

      await put(a, ['new']);
      const first = await suite.transport(name).call(getAccount, { accountId: 'new' }, credential);
      await put(b, ['new']);
      await put(a, []);
      const second = await suite.transport(name).call(getAccount, { accountId: 'new' }, credential);
      expect(messageOf(second)).toEqual(messageOf(first));
      await put(b, []);
      expect(await codeFor(credential, 'new')).toBe('not_found');
    });
  });

  it('survives concurrent assignments and removals by many customers', async () => {
    const { db } = suite.app.inside;
    const customers = await Promise.all(
      Array.from({ length: 8 }, async () => (await addCustomer(db, '')).ownerId),
    );
    const sets = [['x', 'y'], ['y', 'z'], [], ['z', 'x']];
    for (let round = 0; round < 5; round++) {
      await Promise.all(customers.map((id, i) => put(id, sets[(i + round) % 4] ?? [])));
    }
    const has = await db.selectFrom('customer_accounts').select('account_id').distinct().execute();
    const are = await db.selectFrom('accounts').select('id').execute();
    expect(are.map(({ id }) => id).sort()).toEqual(has.map((row) => row.account_id).sort());
    await Promise.all(customers.map((id) => put(id, [])));
    const left = db.selectFrom('accounts').select('id').where('id', 'in', ['x', 'y', 'z']);
    expect(await left.execute()).toEqual([]);
  });
});
