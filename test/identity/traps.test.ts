// What a caller may try at the transports of the token-issuing area beside forging a token
// (forged-tokens.test.ts) or guessing a credential (issue-token, exchange-api-key).
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { describeApp, describeTransports } from '../support/app-suite.ts';
import { unknownCredential } from '../support/invalid-credentials.ts';
import { type Added, addClient, addCustomer, addWorkspace } from '../support/owner-rows.ts';
import { inactive, signToken } from '../support/signed-tokens.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken, revokeToken } = VerificationService.method;

const granted = 'accounts:read payments:read';

const badScopes: [string, string][] = [
  ['separated by a tab', 'accounts:read\tpayments:read'],
  ['separated by a line break', 'accounts:read\npayments:read'],
  ['separated by two spaces', 'accounts:read  payments:read'],
  ['separated by a no-break space', 'accounts:read\u00a0payments:read'],
  ['preceded by a space', ' accounts:read'],
  ['followed by a space', 'accounts:read '],
  ['not ASCII', 'аccounts:read'],
  ['with a character that nobody sees', 'accounts\u200b:read'],
  ['in full-width letters', 'ａccounts:read'],
  ['in capitals', 'ACCOUNTS:READ'],
];

describeApp('the token-issuing area', (suite) => {
  let client: Added;
  let customer: Added;
  let disabled: Added;
  let workspace: Added;
  let authorization: string;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    client = await addClient(db, granted);
    customer = await addCustomer(db, granted, { accounts: ['acc_1'] });
    disabled = await addCustomer(db, granted, { accounts: ['acc_1'], disabled: true });
    workspace = await addWorkspace(db, 'tokens:read tokens:write');
    const own = { type: 'service', scope: 'tokens:read tokens:write' } as const;
    authorization = `Bearer ${await signToken(suite.app, own)}`;
  });

  describeTransports((name) => {
    const transport = () => suite.transport(name);
    const issue = (scope: string) =>
      transport().call(issueToken, { clientId: client.ownerId, clientSecret: client.text, scope });
    const exchange = (apiKey: string, scope = '') =>
      transport().call(exchangeApiKey, { apiKey, scope });
    const verdict = async (token: string, fields = {}) => {
      const answer = await transport().call(verifyToken, { token, ...fields }, { authorization });
      if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
      const { $typeName, $unknown, ...message } = answer.message;
      return message;
    };

    it.each(badScopes)('takes no scope that is %s', async (_, scope) => {
      const refused = { ok: false, error: { code: 'identity.scope_not_granted' } };
      expect(await issue(scope)).toMatchObject(refused);
      expect(await exchange(customer.text, scope)).toMatchObject(refused);
      const token = await signToken(suite.app, { type: 'service', scope: 'accounts:read' });
      expect(
        await transport().call(verifyToken, { token, scope }, { authorization }),
      ).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields: ['scope'] },
      });
    });

    it.each([
      ['10,000 scopes', Array.from({ length: 10_000 }, (_, i) => `area${i}:read`).join(' ')],
      ['one scope 10,000 times', Array(10_000).fill('accounts:read').join(' ')],
      ['10,000 spaces', ' '.repeat(10_000)],
    ])('takes no %s', async (_, scope) => {
      const refused = { ok: false, error: { code: 'invalid_argument', fields: ['scope'] } };
      expect(await issue(scope)).toMatchObject(refused);
      expect(await exchange(customer.text, scope)).toMatchObject(refused);
      expect(
        await transport().call(verifyToken, { token: 'x', scope }, { authorization }),
      ).toMatchObject(refused);
    });

    it('makes tokens of one second that differ', async () => {
      suite.clock.frozen = Date.now();
      try {
        const answers = await Promise.all([
          ...Array.from({ length: 5 }, () => issue('accounts:read')),
          ...Array.from({ length: 5 }, () => exchange(customer.text)),
        ]);
        const tokens = answers.map((answer) => (answer.ok ? answer.message.accessToken : ''));
        const claims = tokens.map((token) => decodeJwt(token));
        expect(new Set(claims.map(({ iat }) => iat)).size).toBe(1);
        expect(new Set(claims.map(({ jti }) => jti)).size).toBe(10);
        expect(new Set(tokens).size).toBe(10);
      } finally {
        suite.clock.frozen = undefined;
      }
    });

    it('lets a token in until the second of its expiry, and not from then on', async () => {
      const start = Math.ceil(Date.now() / 1000) * 1000;
      try {
        suite.clock.frozen = start;
        const own = { type: 'service', scope: 'tokens:read', lifetimeSeconds: 60 } as const;
        const token = await signToken(suite.app, own);
        const at = async (ms: number) => {
          suite.clock.frozen = start + ms;
          const bearer = { authorization: `Bearer ${token}` };
          const answer = await transport().call(verifyToken, { token: 'x' }, bearer);
          return answer.ok ? 'ok' : answer.error.code;
        };
        // There and back: what is kept of a good token knows its end, too.
        for (const [ms, code] of [
          [0, 'ok'],
          [59_999, 'ok'],
          [60_000, 'unauthenticated'],
          [59_999, 'ok'],
          [60_001, 'unauthenticated'],
        ] as const) {
          expect(await at(ms), `after ${ms} ms`).toBe(code);
        }
      } finally {
        suite.clock.frozen = undefined;
      }
    });

    it("answers a key or a secret for a token as it does any other text that's none", async () => {
      for (const text of [workspace.text, customer.text, client.text, unknownCredential('wk')]) {
        expect(await verdict(text)).toEqual(inactive);
        expect(
          await transport().call(revokeToken, { token: text }, { authorization }),
        ).toMatchObject({
          ok: true,
        });
      }
      // Nobody took them for revoked.
      expect(await exchange(customer.text)).toMatchObject({ ok: true });
      expect(await issue('accounts:read')).toMatchObject({ ok: true });
    });

    it('takes no key or secret for the bearer of a token', async () => {
      for (const text of [workspace.text, customer.text, client.text]) {
        const bearer = { authorization: `Bearer ${text}` };
        for (const method of [verifyToken, revokeToken]) {
          expect(await transport().call(method, { token: 'x' }, bearer)).toMatchObject({
            ok: false,
            error: { code: 'unauthenticated' },
          });
        }
      }
    });

    it('gives a disabled customer nothing for a live key', async () => {
      const refused = { ok: false, error: { code: 'identity.credential_invalid' } };
      expect(await exchange(disabled.text)).toMatchObject(refused);
      const { ownerId, credentialId } = disabled;
      const own = { type: 'customer', scope: 'accounts:read', accounts: ['acc_1'] } as const;
      const subject = { sub: ownerId, keyId: credentialId };
      expect(await verdict(await signToken(suite.app, { ...own, ...subject }))).toEqual(inactive);
    });

    it("keeps a customer's token to the customer's own accounts", async () => {
      const other = await addCustomer(suite.app.inside.db, granted, { accounts: ['acc_2'] });
      const [mine, theirs] = [await exchange(customer.text), await exchange(other.text)];
      if (!mine.ok || !theirs.ok) throw new Error('refused');
      for (const [answer, accountId, allowed] of [
        [mine, 'acc_1', true],
        [mine, 'acc_2', false],
        [theirs, 'acc_2', true],
        [theirs, 'acc_1', false],
      ] as const) {
        const { accessToken } = answer.message;
        const code = allowed ? '' : 'forbidden';
        expect(await verdict(accessToken, { accountId })).toMatchObject({ allowed, code });
      }
    });

    it('takes any hint of what kind of token it is', async () => {
      for (const tokenTypeHint of ['access_token', 'refresh_token', 'no such thing']) {
        const own = { type: 'service', scope: 'accounts:read' } as const;
        const token = await signToken(suite.app, own);
        expect(await verdict(token, { tokenTypeHint })).toMatchObject({ active: true });
        const request = { token, tokenTypeHint };
        expect(await transport().call(revokeToken, request, { authorization })).toMatchObject({
          ok: true,
        });
        expect(await verdict(token, { tokenTypeHint })).toEqual(inactive);
      }
    });
  });

  describe('over HTTP', () => {
    const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
      const response = await fetch(suite.app.publicUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, ...JSON.parse(text) };
    };
    const fieldsOf = (answer: { errors?: { field: string }[] }) =>
      (answer.errors ?? []).map(({ field }) => field);
    const own = () => ({ authorization });
    const token = () => authorization.slice('Bearer '.length);

    it('takes no token in the query', async () => {
      const path = `/tokens/verify?access_token=${token()}`;
      const alone = await post(path, '{"token": "x"}');
      expect(alone).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(alone.headers.get('www-authenticate')).toBe('Bearer realm="latchkey"');
      const both = await post(path, '{"token": "x"}', own());
      expect(both).toMatchObject({ status: 400, code: 'invalid_argument' });
      expect(fieldsOf(both)).toEqual(['access_token']);
      for (const { text } of [alone, both]) expect(text).not.toContain(token());
    });

    it('takes no token in the body', async () => {
      const body = JSON.stringify({ token: 'x', access_token: token() });
      expect(await post('/tokens/verify', body)).toMatchObject({ status: 401 });
      const both = await post('/tokens/verify', body, own());
      expect(both).toMatchObject({ status: 400 });
      expect(fieldsOf(both)).toEqual(['access_token']);
      expect(both.text).not.toContain(token());
    });

    it.each([
      ['/tokens', 'client_id', { client_id: 'a', client_secret: 'b', scope: 'a:read' }],
      ['/tokens', 'scope', { client_id: 'a', client_secret: 'b', scope: 'a:read' }],
      ['/tokens/api-key', 'api_key', { api_key: 'a' }],
      ['/tokens/verify', 'token', { token: 'a' }],
      ['/tokens/revoke', 'token', { token: 'a' }],
    ])('at %s takes no %s that is given twice', async (path, name, fields) => {
      const twice = `${JSON.stringify(fields).slice(0, -1)},"${name}":"again"}`;
      expect(await post(path, twice, own())).toMatchObject({
        status: 400,
        code: 'invalid_argument',
      });
      // The same name, written in another way.
      const escaped = twice.replace(/"(\w)(\w+)":"again"/, (_, first: string, rest: string) => {
        return `"\\u00${first.charCodeAt(0).toString(16)}${rest}" : "again"`;
      });
      expect(await post(path, escaped, own())).toMatchObject({ status: 400 });
    });

    it.each([
      ['/tokens', 'client_id', 'clientId', { client_secret: 'b' }],
      ['/tokens/api-key', 'api_key', 'apiKey', {}],
      ['/tokens/verify', 'account_id', 'accountId', { token: 'x' }],
    ])('at %s takes no %s in both of its spellings', async (path, name, camel, fields) => {
      const body = JSON.stringify({ ...fields, [name]: 'a', [camel]: 'a' });
      const answer = await post(path, body, own());
      expect(answer).toMatchObject({ status: 400, code: 'invalid_argument' });
      expect(fieldsOf(answer)).toEqual([name]);
    });

    it('takes what looks like a name within a text', async () => {
      const body = JSON.stringify({ token: '"token": "x", "token": \\"', scope: '' });
      expect(await post('/tokens/verify', body, own())).toMatchObject({ status: 200 });
    });

    it.each([
      ['/tokens', 'sub'],
      ['/tokens', 'principal_type'],
      ['/tokens', 'accounts'],
      ['/tokens', 'expires_in'],
      ['/tokens/api-key', 'sub'],
      ['/tokens/api-key', 'client_id'],
      ['/tokens/api-key', 'customer_id'],
      ['/tokens/api-key', 'accounts'],
      ['/tokens/verify', 'sub'],
      ['/tokens/verify', 'client_id'],
      ['/tokens/verify', 'principal_type'],
      ['/tokens/revoke', 'client_id'],
    ])('at %s lets nobody say who they are by %s', async (path, name) => {
      const good: Record<string, object> = {
        '/tokens': {
          client_id: client.ownerId,
          client_secret: client.text,
          scope: 'accounts:read',
        },
        '/tokens/api-key': { api_key: customer.text },
        '/tokens/verify': { token: 'x' },
        '/tokens/revoke': { token: 'x' },
      };
      const fields = good[path] ?? {};
      expect(await post(path, JSON.stringify(fields), own())).toMatchObject({ status: 200 });

      const answer = await post(path, JSON.stringify({ ...fields, [name]: 'cli_other' }), own());

      expect(answer).toMatchObject({ status: 400, code: 'invalid_argument' });
      expect(fieldsOf(answer)).toEqual([name]);
      expect(answer).not.toHaveProperty('access_token');
    });
  });
});
