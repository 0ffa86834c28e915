// Answers that are sent before the request body has arrived.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { host, hostileClient, jwks } from './hostile.ts';

const hostile = hostileClient();

type Outcome = number | string;

/** Posts a body in chunks, as a Node client does; the status, or the code of the error. */
function postChunks(path: string, chunks: number, agent: Agent): Promise<Outcome> {
  return new Promise((resolve) => {
    const call = request({ port: hostile.port, path, method: 'POST', agent });
    call.on('response', (response) => {
      response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      response.on('end', () => resolve(response.statusCode ?? 0)).resume();
    });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    const chunk = Buffer.alloc(16 * 1024);
    const write = async () => {
      for (let i = 0; i < chunks && !call.destroyed; i++) {
        call.write(chunk);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      call.end();
    };
    write().catch(() => {});
  });
}

test.each([
  ['an unknown path', '/nowhere', 404],
  ['a path that accepts other methods', '/.well-known/jwks.json', 405],
  ['a method that needs a credential', '/api/v1/links', 401],
  ['an upload without a credential', '/api/v1/documents', 401],
  ['a body of another type', '/tokens', 415],
])('clients that send chunks to %s all read the answer', async (_what, path, status) => {
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, (_, i) => postChunks(path, 1 + (i % 16), agent)),
  );
  const others = outcomes.filter((one) => one !== status);
  expect(others, `${others.length} of 300`).toEqual([]);
});

describe('a refused body', () => {
  const chunked = { ...host, 'Transfer-Encoding': 'chunked' };
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

  test('that ends soon leaves the connection to the next request', async () => {
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

  /** The status lines that the server sends before it is sent a body. */
  async function headOnly(head: string): Promise<string> {
    const socket = connect({ port: hostile.port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    socket.write(head);
    const [bytes] = await once(socket, 'data');
    return String(bytes).split('\r\n', 1)[0] ?? '';
  }

  test.each([
    ['POST', '/nowhere', { ...json, 'Content-Length': '9' }, 404],
    ['PUT', '/tokens', { ...json, 'Content-Length': '9' }, 405],
    ['POST', '/api/v1/links', { ...json, 'Content-Length': '9' }, 401],
    ['POST', '/api/v1/documents', { ...expecting, 'Content-Length': '9' }, 401],
    ['POST', '/tokens', { ...json, 'Content-Length': '262145' }, 413],
    ['POST', '/tokens', { ...expecting, 'Content-Type': 'a/b', 'Content-Length': '9' }, 415],
    ['POST', '/tokens', { ...json, 'Content-Encoding': 'gzip', 'Content-Length': '9' }, 415],
  ])('%s %s with %o is refused first: %i', async (method, path, headers, status) => {
    const line = await headOnly(requestHead(method, path, headers));
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test.each([
    ['a token request', '/tokens', 'application/json'],
    ['an accepted caller', '/api/v1/links', 'application/json'],
    ['an accepted upload', '/api/v1/documents', 'multipart/form-data; boundary=x'],
    ['a Connect client', '/latchkey.identity.v1.IssuanceService/IssueToken', 'application/json'],
  ])('%s is asked for the body', async (_who, path, type) => {
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
