import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sharedBrowser } from './browser.ts';
import { openRawHttp, requestHead } from './raw-http.ts';
import { findFailures, itHoldsFor, product } from './rule.ts';

describe('PostgreSQL', () => {
  test('ends the server with the process that started it, even after SIGKILL', async () => {
    const script = `
      const { startPostgres } = await import('./postgres.ts');
      console.log((await startPostgres()).url);`;
    const owner = spawn('node', ['--import', 'tsx', '--input-type=module', '--eval', script], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void owner.kill('SIGKILL'));
    const [output] = await once(owner.stdout, 'data');
    const url = String(output).trim();
    expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);

    owner.kill('SIGKILL');

    const failure = () => query(url, 'SELECT 1').catch((error: { code: string }) => error.code);
    await expect.poll(failure, { timeout: 10_000 }).toBe('ECONNREFUSED');
  }, 30_000);
});

describe('the browser', () => {
  test('opens a page of this machine and no page of another host', async () => {
    const port = await listen(
      createHttpServer((_, response) => {
        response.setHeader('Content-Type', 'text/html').end('<h1>Shown <i>whole</i></h1>');
      }),
    );
    const browser = await sharedBrowser();
    const page = await browser.newPage();
    onTestFinished(() => page.close());

    await page.goto(`http://127.0.0.1:${port}/`);

    expect(await page.locator('h1').textContent()).toBe('Shown whole');
    await expect(page.goto('http://192.0.2.1/')).rejects.toThrow('ERR_NAME_NOT_RESOLVED');
  }, 30_000);
});

describe('raw HTTP', () => {
  test('reads answers of every framing one after the other', async () => {
    const port = await serveBytes(
      'HTTP/1.1 100 Continue\r\n\r\n' +
        'HTTP/1.1 201 Created\r\nX-Part: a\r\nX-Part: b\r\nContent-Length: 5\r\n\r\nfirst' +
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n' +
        'HTTP/1.1 204 No Content\r\n\r\n' +
        'HTTP/1.1 400 Bad Request\r\n\r\nlast',
    );
    const connection = await open(port);

    const created = await connection.response();
    expect(created).toMatchObject({ status: 201, complete: true });
    expect(created?.headers.get('x-part')).toBe('a, b');
    expect(created?.body.toString()).toBe('first');
    expect((await connection.response())?.body.toString()).toBe('second');
    expect(await connection.response()).toMatchObject({ status: 204, complete: true });
    const last = await connection.response();
    expect(last).toMatchObject({ status: 400, complete: true });
    expect(last?.body.toString()).toBe('last');
    expect(await connection.response()).toBeUndefined();
  });

  itHoldsFor([
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
  ])('distinguishes a truncated answer from a complete one', async (bytes) => {
    const connection = await open(await serveBytes(bytes));

    const response = await connection.response();

    expect(response).toMatchObject({ status: 200, complete: false });
    expect(response?.body.toString()).toBe('half');
  });

  test('still reads the answer of a server that hangs up during the request', async () => {
    const port = await listen(
      createHttpServer((_, response) => {
        response.writeHead(413, { Connection: 'close' }).end('too large');
      }),
    );
    const connection = await open(port);
    const length = 64 * 1024 * 1024;

    const head = requestHead('POST', '/', { Host: 'x', 'Content-Length': String(length) });
    expect(await connection.write(head)).toBe(true);
    const response = await connection.response();

    expect(response?.status).toBe(413);
    expect(response?.body.toString()).toBe('too large');
    await expect.poll(() => connection.write(Buffer.alloc(1024))).toBe(false);
  });

  test('reports a reset as an error to the server and as no answer to the client', async () => {
    const server = createServer();
    const port = await listen(server);
    const accepted = once(server, 'connection');
    const connection = await open(port);
    const [socket] = await accepted;
    const failed = once(socket, 'error');

    connection.reset();

    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(await connection.response()).toBeUndefined();
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  // If the server ends during the connection, the socket emits an error that needs a listener.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function open(port: number): ReturnType<typeof openRawHttp> {
  const connection = await openRawHttp(port);
  onTestFinished(() => connection.reset());
  return connection;
}

/** A server that sends the same answer to every connection and hangs up. */
function serveBytes(bytes: string): Promise<number> {
  return listen(createServer((socket) => void socket.on('error', () => {}).end(bytes)));
}

async function listen(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the cases of a rule', () => {
  test('are all checked, and each that fails is named', async () => {
    const cases = product(['GetUser', 'ListUsers'], [[1, 'http'] as const, [2, 'grpc'] as const]);
    const checked: unknown[] = [];
    const failures = await findFailures(cases, async (...parts) => {
      checked.push(parts);
      if (parts[1] === 2) throw new Error('refused');
    });
    expect(checked).toEqual(cases);
    expect(failures).toEqual(['GetUser, 2, grpc: refused', 'ListUsers, 2, grpc: refused']);
  });
});
