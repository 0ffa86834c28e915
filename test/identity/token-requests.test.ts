// Misdirected and ambiguous requests to the methods that issue, verify and revoke tokens. Forged
// tokens: forged-tokens.test.ts. Wrong secrets and keys: issue-token and exchange-api-key.
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { unknownCredential } from '../support/invalid-credentials.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { type Added, addClient, addCustomer, addWorkspace } from '../support/owner-rows.ts';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { inactive, signToken } from '../support/signed-tokens.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken, revokeToken } = VerificationService.method;

const granted = 'accounts:read payments:read';

describeAppOnSqlite('the token methods', (suite) => {
  let client: Added;
  let customer: Added;
  let workspace: Added;
  let authorization: string;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    client = await addClient(db, granted);
    customer = await addCustomer(db, granted, { accounts: ['acc_1'] });
    workspace = await addWorkspace(db, 'tokens:read tokens:write');
    const own = { type: 'service', scope: 'tokens:read tokens:write' } as const;
    authorization = `Bearer ${await signToken(suite.app, own)}`;
  });

  const transport = () => suite.transport('http');
  const own = () => ({ authorization });
  const verdict = async (token: string, fields = {}) => {
    const { $typeName, $unknown, ...message } = messageOf(
      await transport().call(verifyToken, { token, ...fields }, own()),
    );
    return message;
  };

  it('accept a token as a credential until the millisecond of its expiry', async () => {
    const start = Math.ceil(Date.now() / 1000) * 1000;
    onTestFinished(suite.clock.reset);
    suite.clock.frozen = start;
    const own = { type: 'service', scope: 'tokens:read', lifetimeSeconds: 60 } as const;
    const token = await signToken(suite.app, own);
    const at = async (ms: number) => {
      suite.clock.frozen = start + ms;
      const bearer = { authorization: `Bearer ${token}` };
      return codeOf(await transport().call(verifyToken, { token: 'x' }, bearer));
    };
    // Forth and back: a cached token expires, too.
    for (const [ms, code] of [
      [0, 'ok'],
      [59_999, 'ok'],
      [60_000, 'unauthenticated'],
      [59_999, 'ok'],
      [60_001, 'unauthenticated'],
    ] as const) {
      expect(await at(ms), `after ${ms} ms`).toBe(code);
    }
  });

  it('treat a key or a secret as an unknown token, and do not revoke it', async () => {
    for (const text of [workspace.text, customer.text, client.text, unknownCredential('wk')]) {
      expect(await verdict(text)).toEqual(inactive);
      expect(await transport().call(revokeToken, { token: text }, own())).toMatchObject({
        ok: true,
      });
    }
    const { ownerId: clientId, text: clientSecret } = client;
    for (const answer of [
      await transport().call(exchangeApiKey, { apiKey: customer.text }),
      await transport().call(issueToken, { clientId, clientSecret, scope: 'accounts:read' }),
    ]) {
      expect(answer).toMatchObject({ ok: true });
    }
  });

  it('ignore the hint at the type of the token', async () => {
    for (const tokenTypeHint of ['access_token', 'refresh_token', 'no such thing']) {
      const token = await signToken(suite.app, { type: 'service', scope: 'accounts:read' });
      expect(await verdict(token, { tokenTypeHint })).toMatchObject({ active: true });
      const request = { token, tokenTypeHint };
      expect(await transport().call(revokeToken, request, own())).toMatchObject({ ok: true });
      expect(await verdict(token, { tokenTypeHint })).toEqual(inactive);
    }
  });

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
  const token = () => authorization.slice('Bearer '.length);

  it('reject a form with bytes that are not UTF-8', async () => {
    const connection = await openRawHttp(Number(new URL(suite.app.publicUrl).port));
    const body = Buffer.from(`grant_type=client_credentials&scope=\xff`, 'latin1');
    const head = requestHead('POST', '/tokens', {
      Host: 'latchkey.test',
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(body.length),
    });
    await connection.write(Buffer.concat([Buffer.from(head), body]));
    const response = await connection.response();
    connection.reset();
    const refused = { status: 400, error: 'invalid_request' };
    expect(JSON.parse(String(response?.body))).toMatchObject(refused);
  });

  it('reject a token in the query', async () => {
    const path = `/tokens/verify?access_token=${token()}`;
    const alone = await post(path, '{"token": "x"}');
    expect(alone).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(alone.headers.get('www-authenticate')).toBe('Bearer realm="latchkey"');
    const both = await post(path, '{"token": "x"}', own());
    expect(both).toMatchObject({ status: 400, code: 'invalid_argument' });
    expect(fieldsOf(both)).toEqual(['access_token']);
    for (const { text } of [alone, both]) expect(text).not.toContain(token());
  });

  it('reject a token in the body as a credential', async () => {
    const body = JSON.stringify({ token: 'x', access_token: token() });
    expect(await post('/tokens/verify', body)).toMatchObject({ status: 401 });
    const both = await post('/tokens/verify', body, own());
    expect(both).toMatchObject({ status: 400 });
    expect(fieldsOf(both)).toEqual(['access_token']);
    expect(both.text).not.toContain(token());
  });

  itHoldsFor([
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
  ])('reject a field that names the caller', async (path, name) => {
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
