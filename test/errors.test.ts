// The form of an error: body, headers, metadata. And the values that are never in it.
import { beforeAll, describe, expect, it } from 'vitest';
import { describeAppOnSqlite, type Suite } from './support/app-suite.ts';
import { itHoldsFor } from './support/rule.ts';
import { signToken } from './support/signed-tokens.ts';

const secret = 'hunter2-hunter2-hunter2';

type Problem = Record<string, unknown> & { errors?: { field: string; detail: string }[] };

async function ask(suite: Suite, target: string, init: RequestInit = {}) {
  const response = await fetch(suite.app.publicUrl + target, init);
  const text = await response.text();
  return { response, text, problem: JSON.parse(text) as Problem };
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Bad bodies of `POST /tokens`, and the fields that the error names. */
const badBodies: [string, string, string[]][] = [
  ['an unknown field', JSON.stringify({ client_id: 'c', clientsecret: secret }), ['clientsecret']],
  [
    'both spellings of a field',
    JSON.stringify({ client_id: 'c', client_secret: secret, clientSecret: secret }),
    ['client_secret'],
  ],
  ['a field of another type', `{"client_id":"c","client_secret":["${secret}"]}`, ['client_secret']],
  ['an object for a text', `{"client_secret":{"value":"${secret}"}}`, ['client_secret']],
  ['a number for a text', '{"client_secret":20111979}', ['client_secret']],
  ['a list', `["${secret}"]`, []],
  ['a text', `"${secret}"`, []],
  ['null', 'null', []],
  ['a number', '20111979', []],
  ['half an object', `{"client_secret":"${secret}"`, []],
  ['no JSON', `client_secret=${secret}`, []],
  ['nothing', '', ['client_id', 'client_secret']],
  ['an empty object', '{}', ['client_id', 'client_secret']],
];

describeAppOnSqlite('an error', (suite) => {
  let bearer: string;
  beforeAll(async () => {
    const own = { type: 'service', scope: 'tokens:read tokens:write' } as const;
    bearer = `Bearer ${await signToken(suite.app, own)}`;
  });

  describe('over HTTP', () => {
    it('has exactly the members of RFC 9457, a code and the id of the request', async () => {
      const { response, problem } = await ask(suite, '/tokens/verify', json({}));

      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(problem).toEqual({
        type: `${suite.app.publicUrl}/errors#unauthenticated`,
        title: 'Authentication required',
        status: 401,
        detail: 'A bearer credential is required.',
        code: 'unauthenticated',
        request_id: response.headers.get('x-request-id'),
      });
    });

    it('names the invalid fields', async () => {
      const init = json({ account_id: 'a'.repeat(129) }, { authorization: bearer });
      const { response, problem } = await ask(suite, '/tokens/verify', init);

      expect(response.status).toBe(400);
      expect(Object.keys(problem).sort()).toEqual(
        ['code', 'detail', 'errors', 'request_id', 'status', 'title', 'type'].sort(),
      );
      expect(problem.errors).toEqual([
        { field: 'token', detail: expect.stringMatching(/\w/) },
        { field: 'account_id', detail: expect.stringMatching(/\w/) },
      ]);
    });

    it('lists fields only for invalid_argument, even if the list is empty', async () => {
      const noJson = await ask(suite, '/tokens/verify', json('{', { authorization: bearer }));
      expect(noJson.problem).toMatchObject({ code: 'invalid_argument', errors: [] });
      const elsewhere = await ask(suite, '/nowhere');
      expect(elsewhere.problem).not.toHaveProperty('errors');
    });

    itHoldsFor([
      ['/tokens', {}, 400, 'invalid_argument', 'invalid_request'],
      [
        '/tokens',
        { client_id: 'c', client_secret: 's', grant_type: 'password' },
        400,
        'identity.unsupported_grant_type',
        'unsupported_grant_type',
      ],
      [
        '/tokens',
        { client_id: 'c', client_secret: 's' },
        401,
        'identity.credential_invalid',
        'invalid_client',
      ],
      ['/tokens/api-key', { api_key: 'k' }, 401, 'identity.credential_invalid', 'invalid_client'],
    ])('has the members of RFC 6749', async (target, body, status, code, error) => {
      const { response, problem } = await ask(suite, target, json(body));

      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const scheme = target === '/tokens' ? 'Basic' : 'Bearer';
      expect(response.headers.get('www-authenticate')).toBe(
        status === 401 ? `${scheme} realm="latchkey"` : null,
      );
      expect(problem).toMatchObject({ code, status, error, error_description: problem.detail });
    });

    it('is invalid_scope for a scope that is not granted', async () => {
      const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = suite.testApp.env;
      const body = { client_id, client_secret, scope: 'clients:write' };

      const { response, problem } = await ask(suite, '/tokens', json(body));

      expect(response.status).toBe(400);
      expect(problem).toMatchObject({
        code: 'identity.scope_not_granted',
        error: 'invalid_scope',
      });
      expect(problem).not.toHaveProperty('errors');
    });

    it('has the members of RFC 6749 only on routes that issue a token', async () => {
      for (const target of ['/tokens/verify', '/tokens/revoke', '/nowhere', '/api/v1/links']) {
        const { response, problem } = await ask(suite, target, json({}));
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(problem, target).not.toHaveProperty('error');
        expect(problem, target).not.toHaveProperty('error_description');
      }
    });

    itHoldsFor(badBodies, 13)(
      'names the field of a bad body and not its value',
      async (_, body, fields) => {
        const { response, problem, text } = await ask(suite, '/tokens', json(body));

        expect(response.status).toBe(400);
        expect(problem.code).toBe('invalid_argument');
        expect(problem.errors?.map(({ field }) => field)).toEqual(fields);
        expect(text).not.toContain(secret);
        expect(text).not.toContain('20111979');
      },
    );

    it('names an unknown query parameter and not its value', async () => {
      const authorization = `Bearer ${suite.testApp.env.API_KEY}`;
      const target = `/api/v1/links?pagesize=${secret}`;
      const { response, problem, text } = await ask(suite, target, { headers: { authorization } });

      expect(response.status).toBe(400);
      expect(problem.errors?.map(({ field }) => field)).toEqual(['pagesize']);
      expect(text).not.toContain(secret);
    });

    itHoldsFor([
      ['page_size=many', 'page_size'],
      ['page_size=-1', 'page_size'],
      ['page_size=1&page_size=2', 'page_size'],
      ['page_size=1&pageSize=2', 'pageSize'],
      ['page_token=hunter2', 'page_token'],
    ])('names the parameter of a bad query', async (query, field) => {
      const authorization = `Bearer ${suite.testApp.env.API_KEY}`;
      const { response, problem, text } = await ask(suite, `/api/v1/links?${query}`, {
        headers: { authorization },
      });

      expect(response.status).toBe(400);
      expect(problem.errors?.map((error) => error.field)).toEqual([field]);
      expect(text).not.toContain('hunter2');
    });

    it('is 404 for an unknown path or asset, with any method', async () => {
      const headers = { 'x-request-id': 'mine' };
      const asset = await ask(suite, '/assets/none.js', { headers });
      expect([asset.response.status, asset.response.headers.get('x-request-id')]).toEqual([
        404,
        'mine',
      ]);
      expect(asset.problem).toMatchObject({ code: 'not_found', request_id: 'mine' });
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const { response, problem } = await ask(suite, '/nowhere/at/all', { method });
        expect(response.status, method).toBe(404);
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(problem).toMatchObject({ code: 'not_found', status: 404 });
        expect(problem.request_id).toBe(response.headers.get('x-request-id'));
      }
    });

    itHoldsFor([
      ['/tokens', 'GET', 'POST'],
      ['/tokens', 'PROPFIND', 'POST'],
      ['/.well-known/jwks.json', 'POST', 'GET, HEAD'],
      ['/api/v1/documents', 'DELETE', 'GET, HEAD, POST'],
      ['/api/v1/documents/doc_x', 'POST', 'DELETE, GET, HEAD, PATCH'],
    ])('is 405 for another method, and says what is allowed', async (target, method, allow) => {
      const { response, problem } = await ask(suite, target, { method });

      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allow);
      expect(problem).toMatchObject({ code: 'method_not_allowed', status: 405 });
    });

    it('is 413 for a body over its limit', async () => {
      const { response, problem } = await ask(suite, '/tokens', json(`"${'a'.repeat(262_144)}"`));

      expect(response.status).toBe(413);
      expect(problem).toMatchObject({ code: 'payload_too_large', error: 'invalid_request' });
    });

    itHoldsFor([
      ...['text/plain', 'application/xml', 'application/jsonx', 'multipart/form-data', 'x'],
      ...['application/json; charset=utf-8', 'Application/JSON'],
    ])('is 415 for a content type that is not JSON', async (type) => {
      const request = json({ token: 'x' }, { authorization: bearer, 'content-type': type });
      const { response, problem } = await ask(suite, '/tokens/verify', request);

      const isJson = /json(;|$)/i.test(type);
      expect(response.status).toBe(isJson ? 200 : 415);
      const unsupported = { code: 'unsupported_media_type', status: 415 };
      if (!isJson) expect(problem).toMatchObject(unsupported);
    });
  });

  describe('over Connect', () => {
    const call = async (method: string, init: RequestInit) => {
      const base = `${suite.app.publicUrl}/latchkey.identity.v1.IssuanceService`;
      const response = await fetch(`${base}/${method}`, init);
      return { response, text: await response.text() };
    };

    itHoldsFor([
      [
        'an unknown field',
        `{"clientId":"c","secret":"${secret}"}`,
        'secret: is not a field of this method',
      ],
      ['a list for a text', `{"clientSecret":["${secret}"]}`, 'client_secret: has the wrong type'],
      ['a number for a text', '{"clientSecret":20111979}', 'client_secret: has the wrong type'],
      ['half an object', `{"clientSecret":"${secret}"`, 'not valid JSON'],
      ['no JSON', `clientSecret=${secret}`, 'not valid JSON'],
    ])('does not repeat the value, and names the field', async (_, body, said) => {
      const { response, text } = await call('IssueToken', json(body));

      expect(response.status).toBe(400);
      const error = JSON.parse(text);
      expect(error).toMatchObject({ code: 'invalid_argument' });
      expect(error.message).toContain(said);
      expect(error.details.map(({ type }: { type: string }) => type)).toContain(
        'google.rpc.ErrorInfo',
      );
      expect(response.headers.get('x-request-id')).toBeTruthy();
      expect(text).not.toContain(secret);
      expect(text).not.toContain('20111979');
    });
  });
});
