// Requests that no well-behaved client sends. Each gets one of the service's answers, and the
// server continues.
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { expectProblem, host, hostileClient, jwks, post } from './hostile.ts';

const hostile = hostileClient();

const signIn = '/latchkey.identity.v1.SessionService/SignIn';
/** A chunked body that contains an empty object. */
const empty = '2\r\n{}\r\n0\r\n\r\n';

describe('a malformed request', () => {
  const malformed = [
    'NONSENSE\r\n\r\n',
    'FETCH /tokens HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /tokens HTTP/9.9\r\nHost: x\r\n\r\n',
    'GET /tokens HTTP/1.1\r\nHost: x\r\nBad header\r\n\r\n',
    'GET /tokens HTTP/1.1\r\nHost: x\r\nBad\u0000: x\r\n\r\n',
    'GET /tokens HTTP/1.1\r\nHost: x\r\nA: b\n C: d\r\n\r\n',
    'POST /tokens HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    'POST /tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0',
    'POST /tokens HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ];
  itHoldsFor(malformed, 12)('is refused, and the connection closed', async (bytes) => {
    const connection = await openRawHttp(hostile.port);
    onTestFinished(() => connection.reset());
    await connection.write(Buffer.from(bytes, 'latin1'));
    const response = await connection.response();
    expectProblem(response, 400, 'invalid_argument');
    expect(response?.headers.get('connection')).toBe('close');
    expect(await connection.response()).toBeUndefined();
  });

  test('is refused at the operations port, too', async () => {
    const { opsUrl } = hostile.app.app;
    const connection = await openRawHttp(Number(new URL(opsUrl ?? '').port));
    onTestFinished(() => connection.reset());
    await connection.write('NONSENSE\r\n\r\n');
    expectProblem(await connection.response(), 400, 'invalid_argument');
  });

  itHoldsFor(['/.well-known/jwks.json', '/latchkey.identity.v1.VerificationService/GetJwks'], 2)(
    'with two Host lines is refused',
    async (path) => {
      const head = `GET ${path} HTTP/1.1\r\nHost: a.test\r\nhost: b.test\r\n\r\n`;
      expectProblem(await hostile.ask(head), 400, 'invalid_argument');
    },
  );

  test('with a broken chunk is refused', async () => {
    const head = requestHead('POST', '/tokens', {
      ...host,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    expect(await hostile.exchange(`${head}zz\r\n{}\r\n0\r\n\r\n`)).toMatchObject({ status: 400 });
  });

  test('with Transfer-Encoding in HTTP/1.0 closes the connection after the answer', async () => {
    const open = { ...host, Connection: 'keep-alive' };
    const chunked = { ...open, 'Transfer-Encoding': 'chunked' };
    const cases = [
      ['GET', '/.well-known/jwks.json', chunked, '0\r\n\r\n', 'close'],
      ['POST', '/tokens', { ...chunked, 'Content-Type': 'application/json' }, empty, 'close'],
      ['POST', signIn, { ...chunked, 'Content-Type': 'application/json' }, empty, 'close'],
      ['GET', '/.well-known/jwks.json', open, '', 'keep-alive'],
    ] as const;
    const failures: string[] = [];
    let walked = 0;
    for (const [method, path, headers, body, expected] of cases) {
      const connection = await openRawHttp(hostile.port);
      onTestFinished(() => connection.reset());
      const head = requestHead(method, path, headers).replace('HTTP/1.1', 'HTTP/1.0');
      await connection.write(head + body);
      const answer = await connection.response();
      if (answer?.headers.get('connection') !== expected) failures.push(`${method} ${path}`);
      if (expected === 'close' && (await connection.response()) !== undefined) failures.push(path);
      walked++;
    }
    expect(failures).toEqual([]);
    expect(walked).toBe(4);
  });

  test('that smuggles a second one in its body gets one answer', async () => {
    const inner = requestHead('GET', '/.well-known/jwks.json', host);
    const outer = `${requestHead('POST', '/tokens', {
      ...host,
      'Content-Length': String(inner.length),
      'Transfer-Encoding': 'chunked',
    })}0\r\n\r\n${inner}`;
    expectProblem(await hostile.exchange(outer), 400, 'invalid_argument');
    expect(await hostile.connection.response()).toBeUndefined();
  });
});

describe('request headers', () => {
  test('over the size limit are refused', async () => {
    const response = await hostile.exchange(
      requestHead('GET', '/.well-known/jwks.json', { ...host, 'X-Long': 'x'.repeat(20_000) }),
    );
    expectProblem(response, 431, 'invalid_argument');
    expect(await hostile.connection.response()).toBeUndefined();
  });

  test('in great number, or after a long request line, are refused', async () => {
    const many = Array.from({ length: 3_000 }, (_, i) => [`X-${i}`, 'x']);
    const head = requestHead('GET', '/', { ...host, ...Object.fromEntries(many) });
    expectProblem(await hostile.exchange(head), 431, 'invalid_argument');

    const other = await openRawHttp(hostile.port);
    onTestFinished(() => other.reset());
    await other.write(requestHead('GET', `/${'x'.repeat(20_000)}`, host));
    expectProblem(await other.response(), 431, 'invalid_argument');
  });

  test('that arrive slowly are accepted, and delay no other request', async () => {
    for (const part of ['GET /.well-known/', 'jwks.json HTTP/1.1\r\n', 'Host: x\r\n']) {
      await hostile.connection.write(part);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await fetch(`${hostile.app.app.publicUrl}/.well-known/jwks.json`)).status).toBe(200);
    expect(await hostile.exchange('\r\n')).toMatchObject({ status: 200 });
  });
});

describe('a connection', () => {
  test('stays open after an error if the whole body was read', async () => {
    expect(await hostile.exchange(post('/tokens', '{'))).toMatchObject({ status: 400 });
    expect(await hostile.exchange(jwks)).toMatchObject({ status: 200 });
  });

  test('with another expectation is refused', async () => {
    const response = await hostile.exchange(post('/tokens', '{}', { Expect: 'wonders' }));
    expectProblem(response, 417, 'invalid_argument');
  });

  test('with an unsupported upgrade is treated as an ordinary one', async () => {
    const upgrade = { ...host, Connection: 'Upgrade', Upgrade: 'websocket' };
    const response = await hostile.exchange(requestHead('GET', '/.well-known/jwks.json', upgrade));
    expect(response).toMatchObject({ status: 200 });
  });

  test('cannot become a tunnel', async () => {
    await hostile.connection.write(
      'CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n',
    );
    const response = await hostile.connection.response();
    expect(response === undefined || response.status >= 400).toBe(true);
  });
});

describe('the HTTP method', () => {
  test('HEAD returns the headers of GET and no body', async () => {
    const get = await hostile.exchange(jwks);
    await hostile.connection.write(requestHead('HEAD', '/.well-known/jwks.json', host) + jwks);
    // The test client reads a body if there is a Content-Length: here the next answer follows.
    const raw = await fetch(`${hostile.app.app.publicUrl}/.well-known/jwks.json`, {
      method: 'HEAD',
    });
    expect(raw.status).toBe(200);
    expect(raw.headers.get('content-length')).toBe(get?.headers.get('content-length'));
    expect(raw.headers.get('etag')).toBe(get?.headers.get('etag'));
    expect(raw.headers.get('content-type')).toBe('application/jwk-set+json');
    expect(await raw.text()).toBe('');
  });

  test('HEAD without a required credential is refused without a body', async () => {
    const response = await fetch(`${hostile.app.app.publicUrl}/api/v1/documents`, {
      method: 'HEAD',
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="latchkey"');
    expect(await response.text()).toBe('');
  });

  itHoldsFor(['OPTIONS', 'TRACE', 'PUT', 'PROPFIND', 'QUERY', 'PURGE', 'GET'], 7)(
    'that the path does not have is answered with the allowed methods',
    async (method) => {
      const response = await hostile.ask(requestHead(method, '/tokens', host));
      expectProblem(response, 405, 'method_not_allowed');
      expect(response?.headers.get('allow')).toBe('POST');
    },
  );

  test('in lower case is invalid', async () => {
    expectProblem(
      await hostile.exchange(requestHead('get', '/tokens', host)),
      400,
      'invalid_argument',
    );
  });
});

test('hundreds of silent connections delay no request', async () => {
  const silent = await Promise.all(Array.from({ length: 300 }, () => openRawHttp(hostile.port)));
  onTestFinished(() => {
    for (const one of silent) one.reset();
  });
  expect(await hostile.exchange(jwks)).toMatchObject({ status: 200 });
});
