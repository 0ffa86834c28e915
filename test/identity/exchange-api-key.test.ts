import type { MessageInitShape } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type ExchangeApiKeyRequestSchema,
  IssuanceService,
} from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { mistype, unknownCredential, wrongSecret } from '../support/invalid-credentials.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeTransports } from '../support/matrix.ts';
import { type Added, addCustomer, addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const { exchangeApiKey } = IssuanceService.method;

type Request = MessageInitShape<typeof ExchangeApiKeyRequestSchema>;

type Keys = {
  readonly good: Added;
  readonly disabled: Added;
  readonly revoked: Added;
  readonly expired: Added;
  readonly workspace: Added;
};

const granted = 'payments:read accounts:read';

const badKeys: [string, (keys: Keys) => string][] = [
  ['an unknown key', () => unknownCredential('ck')],
  ['a key with a wrong secret', ({ good }) => wrongSecret('ck', good)],
  ['a mistyped key', ({ good }) => mistype(good.text)],
  ['text that is not a key', () => 'hunter2'],
  ["a client's secret", () => unknownCredential('cs')],
  ["a workspace's key", ({ workspace }) => workspace.text],
  ["a disabled customer's key", ({ disabled }) => disabled.text],
  ['a revoked key', ({ revoked }) => revoked.text],
  ['an expired key', ({ expired }) => expired.text],
];

describeApp("exchanging a customer's API key", (suite) => {
  let keys: Keys;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    keys = {
      good: await addCustomer(db, granted, { accounts: ['acc_2', 'acc_1'] }),
      disabled: await addCustomer(db, granted, { disabled: true }),
      revoked: await addCustomer(db, granted, { revoked: true }),
      expired: await addCustomer(db, granted, { expireTime: Date.now() - 1 }),
      workspace: await addWorkspace(db, 'links:read'),
    };
  });

  describeTransports(suite, (name, isOwn) => {
    const exchange = (request: Request) => suite.transport(name).call(exchangeApiKey, request);
    const exchanged = async (request: Request) => messageOf(await exchange(request));

    it("issues a token of 60 seconds for exactly that customer's accounts", async () => {
      const answer = await exchanged({ apiKey: keys.good.text });

      expect(answer).toMatchObject({ tokenType: 'Bearer', expiresIn: 60, scope: granted });
      const { iat = 0, jti, ...claims } = decodeJwt(answer.accessToken);
      expect(jti).toMatch(/^[\w-]{22,}$/);
      expect(claims).toEqual({
        iss: suite.app.publicUrl,
        aud: suite.app.publicUrl,
        sub: keys.good.ownerId,
        client_id: keys.good.credentialId,
        exp: iat + 60,
        scope: granted,
        principal_type: 'customer',
        accounts: ['acc_1', 'acc_2'],
      });
    });

    itHoldsFor(badKeys, 9)('rejects a bad key as identity.credential_invalid', async (_, key) => {
      expect(await exchange({ apiKey: key(keys) })).toMatchObject({
        ok: false,
        error: { code: 'identity.credential_invalid', message: 'The API key is wrong.' },
      });
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    it('accepts a part of the scopes', async () => {
      const answer = await exchanged({ apiKey: keys.good.text, scope: 'accounts:read' });

      expect(answer.scope).toBe('accounts:read');
      expect(decodeJwt(answer.accessToken).scope).toBe('accounts:read');
    });

    itHoldsFor([
      'payments:write',
      'accounts:read payments:write',
      'accounts',
      ' ',
      'accounts:read  payments:read',
    ])('rejects the whole request for a scope that is not granted', async (scope) => {
      expect(await exchange({ apiKey: keys.good.text, scope })).toMatchObject({
        ok: false,
        error: { code: 'identity.scope_not_granted' },
      });
    });

    it('never issues a token that outlives the key', async () => {
      const start = Math.ceil(Date.now() / 1000) * 1000;
      const expireTime = start + 90_500;
      const key = await addCustomer(suite.app.inside.db, granted, { expireTime });
      onTestFinished(suite.clock.reset);
      for (const [sinceStart, lifetime] of [
        [0, 60],
        [30_000, 60],
        [30_999, 60],
        [31_000, 59],
        [89_000, 1],
        [89_999, 1],
      ] as const) {
        suite.clock.frozen = start + sinceStart;
        const { accessToken, expiresIn } = await exchanged({ apiKey: key.text });
        const { iat = 0, exp = 0 } = decodeJwt(accessToken);
        expect([expiresIn, exp - iat], `after ${sinceStart} ms`).toEqual([lifetime, lifetime]);
        expect(exp * 1000).toBeLessThanOrEqual(expireTime);
      }
      // Less than a second is left, then nothing.
      for (const sinceStart of [90_000, 90_499, 90_500, 200_000]) {
        suite.clock.frozen = start + sinceStart;
        expect(await exchange({ apiKey: key.text }), `after ${sinceStart} ms`).toMatchObject({
          error: { code: 'identity.credential_invalid' },
        });
      }
    });
  });

  describe('over HTTP', () => {
    const key = () => encodeURIComponent(keys.good.text);
    const basic = () => `Basic ${Buffer.from(`${keys.good.text}:`).toString('base64')}`;
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

    itHoldsFor([
      ['as api_key of the query', () => [`/api/v1/links?api_key=${key()}`, {}]],
      ['as access_token of the query', () => [`/api/v1/links?access_token=${key()}`, {}]],
      ['in HTTP Basic', () => ['/api/v1/links', { headers: { authorization: basic() } }]],
      ['as x-api-key', () => ['/api/v1/links', { headers: { 'x-api-key': keys.good.text } }]],
    ] satisfies [string, () => [string, RequestInit]][])(
      "rejects a customer's key that another route would read",
      async (_, request) => {
        const [path, init] = request();
        const response = await fetch(suite.app.publicUrl + path, init);
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="latchkey"');
        expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
      },
    );

    it('accepts the key only in the body of the exchange', async () => {
      for (const [path, init] of [
        [`/tokens/api-key?api_key=${key()}`, post],
        ['/tokens/api-key', { ...post, headers: { ...post.headers, authorization: basic() } }],
      ] as const) {
        const response = await fetch(suite.app.publicUrl + path, init);
        expect(response.status).toBe(400);
        const text = await response.text();
        expect(JSON.parse(text)).toMatchObject({ code: 'invalid_argument' });
        expect(text).not.toContain(keys.good.text);
      }
    });
  });
});
