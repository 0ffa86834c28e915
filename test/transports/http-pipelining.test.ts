// Pipelining: requests that a client sends before it has read the earlier answers.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createResponseBudget } from '../../src/api/response-budget.ts';
import { createHttpServer, defaultHttpLimits } from '../../src/transports/http/server.ts';
import { createUnread } from '../../src/transports/http/unread.ts';
import { requestHead } from '../support/raw-http.ts';
import { expectProblem, host, hostileClient, jwks } from './hostile.ts';

const hostile = hostileClient();

test('a few requests at once are all answered, in order', async () => {
  const { connection } = hostile;
  const ids = Array.from({ length: 16 }, (_, i) => `few-${i}`);
  const heads = ids.map((id) => requestHead('GET', '/nowhere', { ...host, 'X-Request-Id': id }));
  await connection.write(heads.join(''));

  for (const id of ids) {
    const response = await connection.response();
    expectProblem(response, 404, 'not_found');
    expect(response?.headers.get('x-request-id')).toBe(id);
  }
  await connection.write(jwks);
  expect(await connection.response()).toMatchObject({ status: 200 });
});

test('thousands of requests at once close their connection', async () => {
  const { connection } = hostile;
  await connection.write(requestHead('GET', '/console', host).repeat(3_000));

  let answers = 0;
  while (answers < 32 && (await connection.response()) !== undefined) answers++;
  expect(answers).toBeLessThan(32);
});

test('a request starts only after the earlier ones on its connection are answered', async () => {
  const socket = connect({ port: hostile.port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).resume();
  const signIn = JSON.stringify({ email: 'x@example.org', password: 'y' });
  const heads = Array.from({ length: 16 }, (_, i) =>
    requestHead('POST', '/sessions', {
      ...host,
      'Content-Type': 'application/json',
      'Content-Length': String(signIn.length),
      'X-Request-Id': `ordered-${i}`,
    }),
  );
  socket.once('data', () => socket.destroy());
  socket.write(heads.map((head) => head + signIn).join(''));
  const begun = async () => {
    const text = await hostile.app.logText();
    return heads.filter((_, i) => text.includes(`"ordered-${i}"`)).length;
  };
  await expect.poll(begun).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await begun()).toBeLessThan(8);
});

test('bytes that were read before their connection was closed are not parsed', async () => {
  let thrown: unknown;
  const server = createHttpServer({
    limits: defaultHttpLimits,
    pendingResponses: new Map(),
    unread: createUnread(createResponseBudget({ bytesMax: 1024 * 1024 }), () => ''),
    warn: () => {},
    accept: () => {},
    refuse: (error) => {
      thrown = error;
    },
    refuseExpectation: () => {},
  });
  let parsed = 0;
  server.on('request', () => parsed++);
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {}).resume();
  socket.write(jwks.repeat(500));

  await once(socket, 'close');
  expect(parsed).toBeLessThan(32);
  expect(thrown).toBeUndefined();
});
