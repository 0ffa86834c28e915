// Answers that are sent before the request body has arrived.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { host, hostileClient, jwks, post } from './hostile.ts';

const hostile = hostileClient();

/** Posts chunked bodies from a separate process; prints each status, or the error's code. */
const client = `
import { Agent, request } from 'node:http';
const [port, path] = process.argv.slice(1);
const agent = new Agent();
const post = (size) => new Promise((resolve) => {
  const call = request({ port, path, method: 'POST', agent });
  call.on('response', (response) => {
    response.on('error', (error) => resolve(error.code));
    response.on('end', () => resolve(response.statusCode)).resume();
  });
  call.on('error', (error) => resolve(error.code));
  call.write(Buffer.alloc(size));
  setTimeout(() => call.end(Buffer.alloc(size)), 2);
});
const outcomes = [];
for (let round = 0; round < 10; round++) {
  const sizes = Array.from({ length: 30 }, (_, i) => 1 << (10 + (i % 10)));
  outcomes.push(...(await Promise.all(sizes.map(post))));
}
console.log(JSON.stringify(outcomes));
process.exit();
`;

async function postAll(path: string): Promise<(number | string)[]> {
  const flags = ['--input-type=module', '-e', client, String(hostile.port), path];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return JSON.parse(stdout);
}

itHoldsFor([
  ['an unknown path', '/nowhere', 404],
  ['a path that accepts other methods', '/.well-known/jwks.json', 405],
  ['a method that needs a credential', '/api/v1/links', 401],
  ['an upload without a credential', '/api/v1/documents', 401],
  ['a body of another type', '/tokens', 415],
])('clients that send chunks all read an early answer', async (_what, path, status) => {
  const outcomes = await postAll(path);
  const others = outcomes.filter((one) => one !== status);
  expect(others, `${others.length} of ${outcomes.length}`).toEqual([]);
});

describe('a refused body', () => {
  const chunked = { ...host, 'Transfer-Encoding': 'chunked' };
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

  test('that ends soon leaves the connection usable for the next request', async () => {
    const { connection } = hostile;
    await connection.write(requestHead('POST', '/nowhere', chunked) + chunk);
    expect(await connection.response()).toMatchObject({ status: 404 });
    await connection.write(`${chunk}0\r\n\r\n${jwks}`);
    expect(await connection.response()).toMatchObject({ status: 200 });
  });

  test('that does not end is cut off', async () => {
    const { connection } = hostile;
    await connection.write(requestHead('POST', '/nowhere', chunked));
    expect(await connection.response()).toMatchObject({ status: 404 });
    let written = 0;
    while (written < 64 * 1024 * 1024 && (await connection.write(chunk))) written += chunk.length;
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('with Expect: 100-continue', () => {
  const expecting = { ...host, Expect: '100-continue' };
  const json = { ...expecting, 'Content-Type': 'application/json' };
  const grpcWeb = { ...expecting, 'Content-Type': 'application/grpc-web+proto' };
  const createLink = '/latchkey.sharing.v1.LinkService/CreateLink';
  const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';

  /** The status lines that the server sends before the body. */
  async function headOnly(head: string): Promise<string> {
    const socket = connect({ port: hostile.port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    socket.write(head);
    const [bytes] = await once(socket, 'data');
    return String(bytes).split('\r\n', 1)[0] ?? '';
  }

  const refused: [string, string, Record<string, string>, number][] = [
    ['POST', '/nowhere', { ...json, 'Content-Length': '9' }, 404],
    ['PUT', '/tokens', { ...json, 'Content-Length': '9' }, 405],
    ['POST', '/api/v1/links', { ...json, 'Content-Length': '9' }, 401],
    ['POST', '/api/v1/documents', { ...expecting, 'Content-Length': '9' }, 401],
    ['POST', '/tokens', { ...json, 'Content-Length': '262145' }, 413],
    ['POST', '/tokens', { ...expecting, 'Content-Type': 'a/b', 'Content-Length': '9' }, 415],
    ['POST', '/tokens', { ...json, 'Content-Encoding': 'gzip', 'Content-Length': '9' }, 415],
    ['POST', createLink, { ...json, 'Content-Length': '9' }, 401],
    ['POST', createLink, { ...grpcWeb, 'Content-Length': '9' }, 200],
    ['POST', createLink, { ...expecting, 'Content-Type': 'a/b', 'Content-Length': '9' }, 415],
    ['POST', issueToken, { ...json, 'Content-Length': '262145' }, 429],
  ];
  itHoldsFor(refused, 11)('is refused before the body', async (method, path, headers, status) => {
    const line = await headOnly(requestHead(method, path, headers));
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  const accepted = [
    ['a token request', '/tokens', 'application/json'],
    ['an accepted caller', '/api/v1/links', 'application/json'],
    ['an accepted upload', '/api/v1/documents', 'multipart/form-data; boundary=x'],
    ['a Connect client', issueToken, 'application/json'],
    ['a gRPC-Web client', issueToken, 'application/grpc-web+proto'],
    ['an accepted Connect client', createLink, 'application/json'],
  ] as const;
  itHoldsFor(accepted, 6)('gets 100 Continue', async (_who, path, type) => {
    const headers = { ...expecting, 'Content-Type': type, 'Content-Length': '9' };
    const credential = { Authorization: `Bearer ${hostile.app.env.API_KEY}` };
    const isPublic = path.includes('oken');
    const head = requestHead('POST', path, { ...headers, ...(isPublic ? {} : credential) });
    expect(await headOnly(head)).toBe('HTTP/1.1 100 Continue');
  });
});

test('headers over the limit are answered, however many more the client sends', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const connection = await openRawHttp(hostile.port);
      onTestFinished(() => connection.reset());
      await connection.write(requestHead('GET', '/', { ...host, 'X-Long': 'x'.repeat(2_000_000) }));
      return (await connection.response())?.status;
    }),
  );
  expect(statuses).toEqual(Array(20).fill(431));
});

test('unfinished bodies use bounded memory, and complete requests still succeed', async () => {
  const head = requestHead('POST', '/tokens', {
    ...host,
    'Content-Type': 'application/json',
    'Content-Length': String(256 * 1024),
  });
  const piece = Buffer.concat([Buffer.from(head), Buffer.alloc(250_000, ' ')]);
  const heldMax = Math.floor((64 * 1024 * 1024) / 250_000);
  const statuses: (number | undefined)[] = [];
  for (let i = 0; i < heldMax + 40; i++) {
    const connection = await openRawHttp(hostile.port);
    onTestFinished(() => connection.reset());
    await connection.write(piece);
    connection.response().then((response) => statuses.push(response?.status));
  }
  await expect.poll(() => statuses.length, { timeout: 30_000 }).toBeGreaterThan(30);
  expect(new Set(statuses)).toEqual(new Set([503]));
  const whole = '{"client_id": "x", "client_secret": "y", "scope": "a:read"}';
  expect(await hostile.exchange(post('/tokens', whole))).toMatchObject({ status: 401 });
}, 60_000);
