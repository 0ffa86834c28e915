import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { connectTo } from '../../../clients/cli/src/remote/transport.ts';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';

/** A response that is 1,000 times larger than its body. */
async function startServer(bytes: number): Promise<string> {
  const body = gzipSync(JSON.stringify({ nextPageToken: 'a'.repeat(bytes) }));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const server = createServer((_, response) => response.writeHead(200, headers).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function lengthFrom(server: string): Promise<number> {
  const { listDocuments } = DocumentService.method;
  const transport = connectTo({ server, env: {} }, { token: () => 'a' });
  const { message } = await transport.unary(listDocuments, undefined, undefined, undefined, {});
  return message.nextPageToken.length;
}

test('a response is read up to 64 MiB, also if it is compressed', async () => {
  expect(await lengthFrom(await startServer(1_000_000))).toBe(1_000_000);
  const call = lengthFrom(await startServer(64 * 1024 * 1024));
  await expect(call).rejects.toThrow('is larger than configured readMaxBytes 67108864');
});
