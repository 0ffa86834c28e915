import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { decodeJwt } from 'jose';
import { afterEach, expect, it } from 'vitest';
import { AccountService } from '../../gen/latchkey/identity/v1/account_pb.js';
import { CredentialState } from '../../gen/latchkey/identity/v1/credential_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addCustomer } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const { createApiKey, listApiKeys, rotateApiKey, revokeApiKey, putAccounts } =
  CustomerService.method;
const { exchangeApiKey } = IssuanceService.method;
const { LIVE, EXPIRED, REVOKED } = CredentialState;

const day = 86_400_000;
const scopes = ['payments:read', 'accounts:read'];

describeApp("a customer's API key", (suite) => {
  afterEach(suite.clock.reset);

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name, () => managerCredential(suite.app, 'customers:write'));
    const newCustomer = async () =>
      (await addCustomer(suite.app.inside.db, 'payments:read', { revoked: true })).ownerId;
    const created = async (customerId: string, fields = {}) => {
      const { key, apiKey } = messageOf(
        await call(createApiKey, { customerId, name: 'Till', scopes, ...fields }),
      );
      return { keyId: key?.id ?? '', key, apiKey };
    };
    const list = async (customerId: string) =>
      messageOf(await call(listApiKeys, { customerId, pageSize: 200 })).keys;
    const live = async (customerId: string) =>
      (await list(customerId)).filter(({ state }) => state === LIVE);
    const takes = async (apiKey: string) => {
      const code = codeOf(await suite.transport(name).call(exchangeApiKey, { apiKey }));
      if (code !== 'ok') expect(code).toBe('identity.credential_invalid');
      return code === 'ok';
    };

    it('is created with its scopes, and is shown once', async () => {
      const customerId = await newCustomer();
      const { key, apiKey } = await created(customerId, { scopes: [...scopes, ...scopes] });

      expect(apiKey).toMatch(/^lk_ck_/);
      expect(key).toMatchObject({
        id: `key_${apiKey.slice(6, 28)}`,
        customerId,
        name: 'Till',
        scopes,
        state: LIVE,
      });
      expect(await live(customerId)).toEqual([key]);
      const { accessToken, scope } = messageOf(
        await suite.transport(name).call(exchangeApiKey, { apiKey }),
      );
      expect(scope).toBe('payments:read accounts:read');
      expect(decodeJwt(accessToken)).toMatchObject({ sub: customerId, client_id: key?.id });
    });

    const refused: [string, object, string][] = [
      ['more scopes than fit in a token', { scopes: longScopes(57, 70) }, 'scopes'],
      ['an end in the past', { expireTime: timestampFromMs(1) }, 'expire_time'],
      ...['clients:write', 'customers:read', 'users:write', 'tokens:read', 'documents:read'].map(
        (scope): [string, object, string] => [
          `the scope ${scope}, which manages`,
          { scopes: ['payments:read', scope] },
          'scopes',
        ],
      ),
    ];
    itHoldsFor(refused, 7)('cannot be created with a bad field', async (_, fields, field) => {
      const customerId = await newCustomer();
      const request = { customerId, name: 'Till', scopes, ...fields };
      expect(await call(createApiKey, request)).toMatchObject({
        error: { code: 'invalid_argument', fields: [field] },
      });
      expect(await list(customerId)).toHaveLength(1);
    });

    it('is exchanged for a token with all the accounts and scopes that it can have', async () => {
      const customerId = await newCustomer();
      const longest = [...longScopes(55, 70), 'accounts:read', `${'b'.repeat(41)}:read`];
      expect(longest.join(' ').length).toBeGreaterThan(3_900);
      const accountIds = Array.from({ length: 45 }, (_, i) => `${i}`.padStart(128, 'a'));
      messageOf(await call(putAccounts, { customerId, accountIds }));
      const { apiKey } = await created(customerId, { scopes: longest });
      const { accessToken } = messageOf(
        await suite.transport(name).call(exchangeApiKey, { apiKey }),
      );

      const authorization = `Bearer ${accessToken}`;
      const { listAccounts } = AccountService.method;
      const answer = await suite.transport(name).call(listAccounts, {}, { authorization });
      expect(messageOf(answer).accounts).toHaveLength(45);
    });

    it('is one of at most fifty live keys', async () => {
      const customerId = await newCustomer();
      const made = await Promise.all(Array.from({ length: 50 }, () => created(customerId)));
      const request = { customerId, scopes };
      expect(codeOf(await call(createApiKey, request))).toBe('conflict');
      const [first, second] = made;
      const keyId = first?.keyId ?? '';
      expect(codeOf(await call(rotateApiKey, { customerId, keyId }))).toBe('conflict');
      expect(await takes(first?.apiKey ?? '')).toBe(true);

      const fresh = messageOf(await call(rotateApiKey, { customerId, keyId, overlapSeconds: 0 }));
      expect(await takes(first?.apiKey ?? '')).toBe(false);
      expect(await takes(fresh.apiKey)).toBe(true);
      expect(await live(customerId)).toHaveLength(50);
      messageOf(await call(revokeApiKey, { customerId, keyId: second?.keyId ?? '' }));
      expect(codeOf(await call(createApiKey, request))).toBe('ok');
    });

    it('is revoked immediately and permanently', async () => {
      const customerId = await newCustomer();
      const { keyId, apiKey } = await created(customerId);
      const other = await created(customerId);
      expect(await takes(apiKey)).toBe(true);

      for (let i = 0; i < 2; i++) {
        expect(codeOf(await call(revokeApiKey, { customerId, keyId }))).toBe('ok');
        expect(await takes(apiKey)).toBe(false);
      }
      expect(await takes(other.apiKey)).toBe(true);
      expect((await list(customerId)).find(({ id }) => id === keyId)).toMatchObject({
        state: REVOKED,
      });
      expect(codeOf(await call(rotateApiKey, { customerId, keyId }))).toBe('conflict');
    });

    it('keeps its name, scopes and expiry when it is rotated', async () => {
      const customerId = await newCustomer();
      const start = Date.now();
      suite.clock.frozen = start;
      const expireTime = timestampFromMs(start + 30 * day);
      const { keyId, apiKey } = await created(customerId, { expireTime });
      const other = await created(customerId);

      const fresh = messageOf(await call(rotateApiKey, { customerId, keyId }));

      expect(fresh.key).toMatchObject({ name: 'Till', scopes, expireTime, state: LIVE });
      // A token lives at least one second, and never longer than its key.
      suite.clock.frozen = start + day - 2_000;
      for (const text of [apiKey, fresh.apiKey, other.apiKey]) expect(await takes(text)).toBe(true);
      suite.clock.frozen = start + day;
      expect(await takes(apiKey)).toBe(false);
      expect(await takes(fresh.apiKey)).toBe(true);
      expect(await takes(other.apiKey)).toBe(true);
      expect((await list(customerId)).find(({ id }) => id === keyId)).toMatchObject({
        state: EXPIRED,
      });
      expect(codeOf(await call(rotateApiKey, { customerId, keyId }))).toBe('conflict');
      suite.clock.frozen = timestampMs(expireTime);
      expect(await takes(fresh.apiKey)).toBe(false);
    });
  });
});

function longScopes(count: number, length: number): string[] {
  return Array.from({ length: count }, (_, i) => `${`a${i}`.padEnd(length - 6, 'a')}:write`);
}
