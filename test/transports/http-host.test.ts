// The Host of a request (RFC 9110 §7.2, RFC 9112 §3.2), and its credential, on every kind of path.
import { expect, test } from 'vitest';
import { answerTo } from '../support/connect-frames.ts';
import { requestHead } from '../support/raw-http.ts';
import { openHttp2, startTlsApp } from '../support/tls-app.ts';
import { hostileClient } from './hostile.ts';

const hostile = hostileClient();

const invalidHosts = [
  'a b',
  'u@a',
  'u:p@a',
  'a/b',
  'a?b',
  'a#b',
  'a\\b',
  '[::1',
  '::1',
  '::1]',
  '[::1]x',
  '[::g]',
  '[fe80::1%25eth0]',
  '[v1]',
  '[',
  '[]',
  'a:b',
  'a:80:80',
  'a:-1',
  'a%zz',
  'a"b',
  'a<b>',
  'münchen',
];

const validHosts = [
  'latchkey.test',
  'Latchkey.TEST.',
  'localhost:8080',
  'under_score.test',
  '127.0.0.1',
  '127.0.0.1:80',
  '999.1.1.1',
  '[::1]',
  '[::1]:8443',
  '[::ffff:127.0.0.1]',
  '[v1.a:b]',
  'a%41b',
  "a!$&'()*+,;=~b",
  'a:',
  'a:99999',
  '',
];

const connectGet = '/latchkey.identity.v1.VerificationService/GetJwks?encoding=json&message=%7B%7D';
const paths = ['/.well-known/jwks.json', connectGet, '/openapi.json', '/errors', '/nowhere'];

async function statusOf(request: string): Promise<number | undefined> {
  return (await answerTo(hostile.port, Buffer.from(request)))?.status;
}

test('an invalid Host is refused on every path, and a valid one is accepted', async () => {
  const failures: string[] = [];
  let walked = 0;
  for (const path of paths) {
    const expected = (await statusOf(requestHead('GET', path, { Host: 'latchkey.test' }))) ?? 0;
    const cases = [
      ...invalidHosts.map((host) => ({ host, status: 400 })),
      ...validHosts.map((host) => ({ host, status: expected })),
    ];
    for (const { host, status } of cases) {
      const answer = await answerTo(
        hostile.port,
        Buffer.from(requestHead('GET', path, { Host: host })),
      );
      walked++;
      const detail = answer?.body.toString() ?? '';
      const isNamed = status !== 400 || detail.includes('The Host header is not valid.');
      if (answer?.status !== status || !isNamed) failures.push(`${host} ${path}`);
    }
  }
  expect(failures).toEqual([]);
  expect(walked).toBe(paths.length * (invalidHosts.length + validHosts.length));
});

test('the Host of a POST is checked before its body is read', async () => {
  const head = { Host: 'a b', 'Content-Type': 'application/json', 'Content-Length': '2' };
  const failures: string[] = [];
  const targets = ['/tokens', '/latchkey.identity.v1.SessionService/SignIn'];
  for (const target of targets) {
    const answer = await answerTo(hostile.port, requestHead('POST', target, head));
    if (answer?.status !== 400) failures.push(target);
  }
  expect(failures).toEqual([]);
  expect(targets).toHaveLength(2);
});

test('a second Authorization header is refused on every path', async () => {
  const failures: string[] = [];
  const targets = ['/tokens', '/latchkey.identity.v1.OAuthService/Introspect', ...paths];
  const sent = { Host: 'latchkey.test', Authorization: 'Basic YTpi', authorization: 'Bearer a' };
  for (const target of targets) {
    const answer = await answerTo(hostile.port, requestHead('GET', target, sent));
    const detail = answer?.body.toString() ?? '';
    const isNamed = detail.includes('The request contains more than one Authorization header.');
    if (answer?.status !== 400 || !isNamed) failures.push(`${answer?.status} ${target}`);
  }
  expect(failures).toEqual([]);
  expect(targets).toHaveLength(7);
});

test('HTTP/1.0 needs no Host, and HTTP/1.1 does', async () => {
  const head = requestHead('GET', '/.well-known/jwks.json', {});
  expect(await statusOf(head.replace('HTTP/1.1', 'HTTP/1.0'))).toBe(200);
  const answer = await answerTo(hostile.port, head);
  expect(answer?.status).toBe(400);
  expect(JSON.parse(answer?.body.toString() ?? '')).toMatchObject({
    code: 'invalid_argument',
    detail: 'The request contains no Host header.',
  });
});

test('an invalid :authority of HTTP/2 is refused', async () => {
  const app = await startTlsApp({});
  try {
    const client = openHttp2(app.app.publicUrl, app.files.authority.certificate);
    const failures: string[] = [];
    const invalid = ['u@a', '[::1', 'a:b', 'a%zz'];
    for (const authority of invalid) {
      const { status } = await client.send('/.well-known/jwks.json', {
        headers: { ':authority': authority },
      });
      if (status !== 400) failures.push(`${authority}: ${status}`);
    }
    expect(failures).toEqual([]);
    expect(invalid).toHaveLength(4);
    const { status } = await client.send('/.well-known/jwks.json', {
      headers: { ':authority': '[::1]:8443' },
    });
    expect(status).toBe(200);
    client.close();
  } finally {
    await app.remove();
  }
});
