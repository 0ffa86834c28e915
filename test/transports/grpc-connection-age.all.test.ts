// gRPC connections of a certain age are replaced without an error, so that clients spread over the
// nodes behind a load balancer.
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { DownloadDocumentRequestSchema } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { openCall, openSession, prefix } from '../support/raw-grpc.ts';
import { keyOf, upload } from '../support/sharing-api.ts';

const jwks = '/latchkey.identity.v1.VerificationService/GetJwks';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';

async function started(limits: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp(limits);
  onTestFinished(() => app.remove());
  return app;
}

/** A proxy that counts connections. */
async function countingProxy(target: string) {
  const [host = '', port] = target.split(':');
  let connections = 0;
  const proxy = createServer((near) => {
    connections++;
    const far = connect({ host, port: Number(port) });
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = proxy.address();
  const proxyPort = typeof address === 'object' ? address?.port : undefined;
  return { address: `127.0.0.1:${proxyPort}`, connections: () => connections };
}

const keep = (bytes: Buffer) => bytes;

function callJwks(client: Client): Promise<ServiceError | null> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(jwks, keep, keep, Buffer.alloc(0), (error) => resolve(error));
  });
}

test('a steady stream of calls sees no error while its connection is replaced', async () => {
  // A client repeats a refused call once. On a busy machine, a call can arrive so late that a new
  // connection has also reached a shorter age.
  const { app } = await started({
    grpcLimits: { ageMs: 1_500, graceMs: 10_000, checkIntervalMs: 10 },
  });
  const proxy = await countingProxy(app.grpcAddress);
  const client = new Client(proxy.address, credentials.createInsecure());
  onTestFinished(() => client.close());
  const errors: ServiceError[] = [];
  let calls = 0;
  async function repeat(): Promise<void> {
    while (proxy.connections() < 4) {
      const error = await callJwks(client);
      calls++;
      if (error !== null) errors.push(error);
    }
  }

  await Promise.all(Array.from({ length: 10 }, repeat));

  expect(errors.map(({ message }) => message)).toEqual([]);
  expect(calls).toBeGreaterThan(proxy.connections());
}, 60_000);

test('a call that outlasts the grace period is ended with UNAVAILABLE', async () => {
  const limits = { ageMs: 200, graceMs: 300, checkIntervalMs: 10, lingerMs: 30_000 };
  const app = await started({ grpcLimits: limits });
  const { id: documentId } = await upload(app, Buffer.alloc(8 * 1024 * 1024, 'text '));
  const session = await openSession(app.app.grpcAddress);
  onTestFinished(() => session.destroy());
  const call = openCall(session, download, keyOf(app));
  const fields = create(DownloadDocumentRequestSchema, { documentId });
  const request = toBinary(DownloadDocumentRequestSchema, fields);
  call.stream.end(Buffer.concat([prefix(request.length), request]));
  let bytes = 0;
  for await (const chunk of call.stream) {
    bytes += (chunk as Buffer).length;
    await sleep(20);
  }

  expect(await call.status).toBe('14');
  expect(decodeURIComponent(String(call.headers()['grpc-message']))).toBe(
    'The connection has reached its maximum age.',
  );
  expect(bytes).toBeLessThan(8 * 1024 * 1024);
}, 60_000);
