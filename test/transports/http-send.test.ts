// Bodies in chunks, sent to clients that read slowly or go away.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createResponseBudget } from '../../src/api/response-budget.ts';
import { sendChunks } from '../../src/transports/http/send.ts';
import { createUnread } from '../../src/transports/http/unread.ts';

const mebibyte = 1024 * 1024;
// More than all buffers between server and client hold.
const count = 60;

async function serve(fails = false) {
  const seen = { yielded: 0, released: 0, ended: 0, sent: 0 };
  async function* chunks() {
    try {
      for (; seen.yielded < count; seen.yielded++) {
        if (fails && seen.yielded === 2) throw new Error('the disk fails');
        yield Buffer.alloc(mebibyte, seen.yielded);
      }
    } finally {
      seen.ended++;
    }
  }
  const server = createServer(async (_, response) => {
    const head = { status: 200, headers: { 'content-length': String(count * mebibyte) } };
    const unread = createUnread(createResponseBudget({ bytesMax: 1024 * mebibyte }), () => '');
    const sent = { response, requestId: '1' };
    await sendChunks(sent, head, chunks(), { releaseChunk: () => seen.released++, unread });
    seen.sent++;
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { seen, response: response.pause() };
}

test('each chunk is released when it is written, and arrives unchanged', async () => {
  const { seen, response } = await serve();
  // The next chunk is read while one is being written.
  await expect.poll(() => seen.yielded - seen.released).toBe(1);
  expect(seen.yielded).toBeLessThan(count);

  let at = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    for (let i = 0; i < part.length; i += 4096) {
      expect(part[i]).toBe(Math.floor((at + i) / mebibyte));
    }
    at += part.length;
  }

  expect(at).toBe(count * mebibyte);
  await expect.poll(() => seen).toEqual({ yielded: 60, released: 60, ended: 1, sent: 1 });
});

test('the body ends when the client goes away, and its last chunk is not released', async () => {
  const { seen, response } = await serve();
  await expect.poll(() => seen.yielded - seen.released).toBe(1);

  response.destroy();

  await expect.poll(() => seen).toMatchObject({ ended: 1, sent: 1 });
  expect(seen.released).toBeLessThan(seen.yielded);
});

test('the connection is closed before the end of the body if the body fails', async () => {
  const { seen, response } = await serve(true);
  const read = async () => {
    for await (const _ of response);
  };
  await expect(read()).rejects.toThrow('aborted');
  await expect.poll(() => seen).toMatchObject({ ended: 1, sent: 1 });
});
