import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { expect, onTestFinished, test } from 'vitest';
import { connectTo } from '../../../clients/cli/src/remote/transport.ts';
import { createClient } from '../../../clients/client/src/index.ts';
import {
  DocumentService,
  DownloadDocumentResponseSchema,
} from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { itHoldsFor } from '../../support/rule.ts';

const max = 64 * 1024 * 1024;
const tooLarge = {
  code: 'unexpected_answer',
  message: 'A message of the answer is larger than 64 MiB.',
};

async function startServer(answer: (response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A response that is 1,000 times larger than its body. */
function compressed(bytes: number, status = 200) {
  const body = gzipSync(JSON.stringify({ nextPageToken: 'a'.repeat(bytes) }));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  return (response: ServerResponse) => response.writeHead(status, headers).end(body);
}

async function lengthFrom(server: string): Promise<number> {
  const { listDocuments } = DocumentService.method;
  const transport = connectTo({ server, env: {} }, { token: () => 'a' });
  const { message } = await transport.unary(listDocuments, undefined, undefined, undefined, {});
  return message.nextPageToken.length;
}

test('the command line reads a response up to 64 MiB, also if it is compressed', async () => {
  expect(await lengthFrom(await startServer(compressed(1_000_000)))).toBe(1_000_000);
  await expect(lengthFrom(await startServer(compressed(max)))).rejects.toThrow(tooLarge.message);
});

const open = (baseUrl: string, format: 'binary' | 'json' = 'json') =>
  createClient({ baseUrl, credentials: { token: () => 'a' }, format });

test('createClient reads a response up to 64 MiB, also if it is compressed', async () => {
  const { documents } = open(await startServer(compressed(1_000_000)));
  expect((await documents.listDocuments({})).nextPageToken).toHaveLength(1_000_000);
});

itHoldsFor([200, 500], 2)('createClient refuses a larger response', async (status) => {
  const { documents, upload } = open(await startServer(compressed(max, status)));
  await expect(documents.listDocuments({})).rejects.toMatchObject(tooLarge);
  await expect(upload(new Blob(['a']))).rejects.toMatchObject(tooLarge);
});

/** The start of a message of a stream: its flags and its length. */
function envelope(bytes: number, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes, 1);
  return head;
}

async function downloadFrom(baseUrl: string): Promise<number> {
  let bytes = 0;
  const { documents } = open(baseUrl, 'binary');
  for await (const { part } of documents.downloadDocument({ documentId: 'doc_1' })) {
    if (part.case === 'chunk') bytes += part.value.length;
  }
  return bytes;
}

const stream = { 'content-type': 'application/connect+proto' };

test('createClient reads a longer stream of messages up to 64 MiB', async () => {
  const value = Buffer.alloc(1024 * 1024);
  const part = { case: 'chunk', value } as const;
  const message = toBinary(
    DownloadDocumentResponseSchema,
    create(DownloadDocumentResponseSchema, { part }),
  );
  const server = await startServer(async (response) => {
    response.writeHead(200, stream);
    for (let i = 0; i < 65; i++) {
      const head = envelope(message.length);
      // The head arrives in two parts.
      response.write(head.subarray(0, 1 + (i % 4)));
      await new Promise((resolve) => setImmediate(resolve));
      response.write(Buffer.concat([head.subarray(1 + (i % 4)), message]));
      if (response.writableNeedDrain) await once(response, 'drain');
    }
    response.end(Buffer.concat([envelope(2, 2), Buffer.from('{}')]));
  });
  expect(await downloadFrom(server)).toBe(65 * value.length);
});

test('createClient refuses a larger message of a stream before it has arrived', async () => {
  const server = await startServer((response) => {
    response.writeHead(200, stream).write(envelope(max + 1));
  });
  await expect(downloadFrom(server)).rejects.toMatchObject(tooLarge);
});
