// Paths, queries and bodies that no well-behaved client sends. Each gets one of the service's
// errors.
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { expectProblem, host, hostileClient, post } from './hostile.ts';

const hostile = hostileClient();

describe('a path', () => {
  const paths = [
    ['/tokens/', 404, 'not_found'],
    ['//tokens', 404, 'not_found'],
    ['/./tokens', 404, 'not_found'],
    ['/x/../tokens', 404, 'not_found'],
    ['/%2e%2e/tokens', 404, 'not_found'],
    ['/TOKENS', 404, 'not_found'],
    ['/tokens;x=y', 404, 'not_found'],
    ['/tokens%00', 404, 'not_found'],
    ['/%zz', 400, 'invalid_argument'],
    ['/api/v1/documents/%FF', 400, 'invalid_argument'],
    [`/${'a/'.repeat(2_000)}b`, 404, 'not_found'],
    [`/${'%2F'.repeat(2_000)}`, 404, 'not_found'],
    [`/s/${'x'.repeat(8_000)}/nowhere`, 404, 'not_found'],
    ['/assets/../../package.json', 404, 'not_found'],
    ['/assets/%2e%2e/%2e%2e/package.json', 404, 'not_found'],
    ['/assets/..%2f..%2f.vite/manifest.json', 404, 'not_found'],
    ['/assets/%00', 404, 'not_found'],
    ['/assets/%zz', 400, 'invalid_argument'],
    ['/assets/', 404, 'not_found'],
    ['/assets', 404, 'not_found'],
    ['/assets/nowhere.js', 404, 'not_found'],
    ['/latchkey.identity.v1.IssuanceService/Nowhere', 404, 'not_found'],
    ['/latchkey.identity.v1.IssuanceService/IssueToken/', 404, 'not_found'],
    ['/__proto__', 404, 'not_found'],
    ['/constructor', 404, 'not_found'],
    ['*', 404, 'not_found'],
    ['tokens', 400, 'invalid_argument'],
  ] as const;
  itHoldsFor(paths, 27)('is refused', async (path, status, code) => {
    expectProblem(await hostile.ask(requestHead('GET', path, host)), status, code);
  });

  test('with an encoded slash is a single segment', async () => {
    const path = '/api/v1/documents/a%2F..%2Fb';
    const authorization = `Bearer ${hostile.app.env.API_KEY}`;
    const response = await hostile.exchange(
      requestHead('GET', path, { ...host, Authorization: authorization }),
    );
    expectProblem(response, 404, 'not_found');
    expect(JSON.parse(response?.body.toString() ?? '').detail).toContain('document');
  });

  test('may include the origin, as in a request to a proxy', async () => {
    const absolute = 'http://latchkey.test/.well-known/jwks.json';
    expect(await hostile.exchange(requestHead('GET', absolute, host))).toMatchObject({
      status: 200,
    });
    const method = 'http://latchkey.test/latchkey.identity.v1.VerificationService/GetJwks';
    expect(await hostile.exchange(post(method, '{}'))).toMatchObject({ status: 200 });
    const none = 'http://latchkey.test';
    expectProblem(await hostile.exchange(requestHead('GET', none, host)), 404, 'not_found');
  });

  test('with an escaped fragment or query stays unchanged', async () => {
    expect(
      await hostile.exchange(requestHead('GET', '/.well-known/jwks.json?', host)),
    ).toMatchObject({
      status: 200,
    });
    const response = await hostile.exchange(requestHead('GET', '/.well-known/jwks.json?x', host));
    expectProblem(response, 400, 'invalid_argument');
  });
});

describe('a query', () => {
  const parts = ['x&', 'x=&', 'document_id&', 'a.'];
  itHoldsFor(parts, 4)('of thousands of parameters is refused', async (part) => {
    const query = part.repeat(Math.floor(14_000 / part.length));
    const response = await hostile.ask(
      requestHead('GET', `/api/v1/links?${query}`, {
        ...host,
        Authorization: `Bearer ${hostile.app.env.API_KEY}`,
      }),
    );
    expectProblem(response, 400, 'invalid_argument');
  });

  test('of 10,000 parameters is refused for its length', async () => {
    const path = `/api/v1/links?${'x&'.repeat(10_000)}`;
    expectProblem(await hostile.exchange(requestHead('GET', path, host)), 431, 'invalid_argument');
  });
});

describe('a body', () => {
  const deep = 100_000;

  const bodies = [
    ['lists', '['.repeat(deep) + ']'.repeat(deep)],
    ['unclosed lists', '['.repeat(deep)],
    ['lists in a field', `{"scope": ${'['.repeat(deep)}${']'.repeat(deep)}}`],
    ['objects', `{"scope": ${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`],
  ] as const;
  itHoldsFor(bodies, 4)('that is deeply nested is refused', async (_what, body) => {
    const response = await hostile.ask(post('/tokens', body));
    expect(response).toMatchObject({ status: 400 });
    const path = '/latchkey.identity.v1.IssuanceService/IssueToken';
    const connect = await hostile.ask(post(path, body));
    expect(connect).toMatchObject({ status: 400 });
    expect(JSON.parse(connect?.body.toString() ?? '')).toMatchObject({ code: 'invalid_argument' });
  });

  test('with __proto__ or constructor members is refused by their name', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const response = await hostile.exchange(post('/tokens', `{"${name}": {"scope": "a:read"}}`));
      expect(response?.status).toBe(400);
      expect(JSON.parse(response?.body.toString() ?? '')).toMatchObject({
        errors: [{ field: name }],
      });
    }
  });

  test('in another encoding or type is refused', async () => {
    const zipped = { 'Content-Encoding': 'gzip' };
    const refused = await hostile.exchange(post('/tokens', '{}', zipped));
    expect(refused?.status).toBe(415);
    expect(refused?.headers.get('accept-encoding')).toBe('identity');
    for (const type of ['text/plain', 'application/xml', 'application/jsonx', 'x', '']) {
      const other = await openRawHttp(hostile.port);
      onTestFinished(() => other.reset());
      await other.write(post('/tokens', '{}', { 'Content-Type': type }));
      expect((await other.response())?.status, type).toBe(415);
    }
  });

  test('may declare UTF-8', async () => {
    const body = '{"client_id": "x", "client_secret": "y", "scope": "a:read"}';
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      expect(
        (await hostile.exchange(post('/tokens', body, { 'Content-Type': type })))?.status,
      ).toBe(401);
    }
  });

  test('that is not UTF-8 is refused', async () => {
    const body = Buffer.from('{"client_id": "\xff\xfe", "client_secret": "y"}', 'latin1');
    const head = requestHead('POST', '/tokens', {
      ...host,
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    });
    await hostile.connection.write(head);
    expect((await hostile.exchange(body))?.status).toBe(400);
  });

  test('over the limit is refused before it has arrived', async () => {
    const head = requestHead('POST', '/tokens', {
      ...host,
      'Content-Type': 'application/json',
      'Content-Length': String(300 * 1024),
    });
    const response = await hostile.exchange(head);
    expect(response).toMatchObject({ status: 413 });
    expect(JSON.parse(response?.body.toString() ?? '')).toMatchObject({
      code: 'payload_too_large',
      error: 'invalid_request',
    });
  });

  test('in chunks over the limit is refused', async () => {
    const head = requestHead('POST', '/tokens', {
      ...host,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(await hostile.exchange(head + chunk.repeat(6))).toMatchObject({ status: 413 });
  });

  test('that is truncated is dropped', async () => {
    const text = post('/tokens', '{"client_id": "x"}');
    await hostile.connection.write(text.slice(0, -5));
    hostile.connection.reset();
    expect(await hostile.connection.response()).toBeUndefined();
  });
});
