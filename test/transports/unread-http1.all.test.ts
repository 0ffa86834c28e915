// Clients over HTTP/1.1 that do not read, without and with pipelining.
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { requestHead } from '../support/raw-http.ts';
import { bearer, sha256, upload } from '../support/sharing-api.ts';
import { useStarted } from '../support/use-started.ts';

const bytesMax = 2 * 1024 * 1024;
// More than the buffers of the kernel hold, with several requests on a connection.
const content = Buffer.alloc(6_000_000, 'a');
const pipelined = 4;
const connections = 12;

const test = useStarted(() =>
  startTestApp({
    config: { trustedProxies: ['127.0.0.1'] },
    responseBudget: { bytesMax, stalledMs: 60_000 },
  }),
);
let path: string;

beforeAll(async () => {
  const { id } = await upload(test, content, 'a.txt');
  path = `/api/v1/documents/${id}/file`;
});

const held = () => test.app.inside.responses.held();

function openUnread(): Socket {
  const { hostname: host, port } = new URL(test.app.publicUrl);
  const socket = connect({ host, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).pause();
  const headers = { Host: host, Authorization: `Bearer ${test.env.API_KEY}` };
  socket.write(requestHead('GET', path, headers).repeat(pipelined));
  return socket;
}

const get = (headers: Record<string, string> = {}) =>
  fetch(test.app.publicUrl + path, { headers: { ...bearer(test.env.API_KEY), ...headers } });

it('hold a bounded part of the budget, and other networks are served', async () => {
  const sockets = Array.from({ length: connections }, openUnread);
  const status = async () => {
    const response = await get();
    await response.body?.cancel();
    return [response.status, response.headers.get('retry-after')];
  };
  await expect.poll(status, { timeout: 20_000 }).toEqual([503, '1']);
  expect(held().bytes).toBeLessThanOrEqual(bytesMax);

  const answer = await get({ 'x-forwarded-for': '192.0.2.1' });
  expect(answer.status).toBe(200);
  expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(content));

  for (const socket of sockets) socket.destroy();
  await expect.poll(held).toEqual({ bytes: 0, responses: 0 });
  expect(await status()).toEqual([200, null]);
});
