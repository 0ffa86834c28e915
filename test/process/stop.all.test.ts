import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, type ClientWritableStream, credentials, Metadata } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import {
  type UploadDocumentRequest,
  UploadDocumentRequestSchema,
  type UploadDocumentResponse,
  UploadDocumentResponseSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import { openSqliteFile } from '../../src/storage/drivers/sqlite-library.ts';
import { frame, http2Preface, types } from '../support/http2-frames.ts';
import { type RunningProgram, sampleName, startProgram } from '../support/program.ts';
import { multipartBody, openRawHttp, type RawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';

async function started(): Promise<RunningProgram> {
  const program = await startProgram();
  onTestFinished(() => program.remove());
  return program;
}

async function connected(port: number): Promise<RawHttp> {
  const connection = await openRawHttp(port);
  onTestFinished(() => connection.reset());
  return connection;
}

const boundary = 'frontier';
const uploadBody = multipartBody(
  [{ name: 'file', filename: 'a.txt', body: Buffer.alloc(100_000, 'text ') }],
  boundary,
);

/** Begins an upload and sends all but its last bytes. */
async function beginUpload({ env, httpPort }: RunningProgram): Promise<RawHttp> {
  const connection = await connected(httpPort);
  const head = requestHead('POST', '/api/v1/documents', {
    Host: 'latchkey.test',
    Authorization: `Bearer ${env.API_KEY}`,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': String(uploadBody.length),
  });
  await connection.write(head);
  await connection.write(uploadBody.subarray(0, -100));
  return connection;
}

/** Begins an upload over gRPC; its answer arrives after the stream ends. */
function beginGrpcUpload({ env }: RunningProgram) {
  const client = new Client(env.LATCHKEY_GRPC_ADDRESS, credentials.createInsecure());
  onTestFinished(() => client.close());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${env.API_KEY}`);
  let stream: ClientWritableStream<UploadDocumentRequest> | undefined;
  const answer = new Promise<UploadDocumentResponse | undefined>((resolve, reject) => {
    stream = client.makeClientStreamRequest(
      '/latchkey.sharing.v1.DocumentService/UploadDocument',
      (message: UploadDocumentRequest) =>
        Buffer.from(toBinary(UploadDocumentRequestSchema, message)),
      (bytes: Buffer) => fromBinary(UploadDocumentResponseSchema, bytes),
      metadata,
      {},
      (error, response) => (error === null ? resolve(response) : reject(error)),
    );
  });
  const send = (text: string) =>
    stream?.write(create(UploadDocumentRequestSchema, { file: Buffer.from(text) }));
  return { answer, send, end: () => stream?.end(), cancel: () => stream?.cancel() };
}

/** Whether a server listens. */
async function listens(port: number): Promise<boolean> {
  const connection = await openRawHttp(port).catch(() => undefined);
  connection?.reset();
  return connection !== undefined;
}

/** The number of uploads that the server has begun to read. */
async function uploadsOf({ dataDir }: RunningProgram): Promise<number> {
  const database = openSqliteFile(path.join(dataDir, 'latchkey.db'), { readonly: true });
  try {
    return database.prepare('select * from pending_blobs').all().length;
  } finally {
    database.close();
  }
}

async function readiness({ env }: RunningProgram): Promise<unknown> {
  const response = await fetch(`${env.LATCHKEY_OPS_URL}/readyz`).catch(() => undefined);
  if (response === undefined) return undefined;
  const { status } = (await response.json()) as { status: string };
  return { code: response.status, status };
}

const itHolds = itHoldsFor(['SIGTERM', 'SIGINT'] as const);

itHolds('an idle program exits with 0 at once', async (signal) => {
  const program = await started();

  program.child.kill(signal);

  expect(await program.ended).toBe(0);
  expect(program.stderr()).not.toContain('Latchkey ends');
  expect(program.stdout()).toContain('the service has stopped');
});

itHolds('running calls finish over HTTP and gRPC, and new ones are refused', async (signal) => {
  const program = await started();
  const upload = await beginUpload(program);
  const idle = await connected(program.httpPort);
  const keptAlive = requestHead('GET', '/.well-known/jwks.json', { Host: 'latchkey.test' });
  await idle.write(keptAlive);
  expect(await idle.response()).toMatchObject({ status: 200 });
  const grpc = beginGrpcUpload(program);
  grpc.send('first ');
  const { answer } = grpc;
  await expect.poll(() => uploadsOf(program)).toBe(2);

  program.child.kill(signal);

  // An idle connection is closed without another answer.
  expect(await idle.response()).toBeUndefined();
  await expect.poll(() => listens(program.httpPort)).toBe(false);
  await expect.poll(() => readiness(program)).toMatchObject({ code: 503, status: 'draining' });
  expect(program.child.exitCode).toBeNull();

  grpc.send('second');
  grpc.end();
  expect((await answer)?.document).toMatchObject({ sizeBytes: 12 });
  await upload.write(uploadBody.subarray(-100));
  const created = await upload.response();
  expect(created).toMatchObject({ status: 201, complete: true });
  expect(created?.headers.get('connection')).toBe('close');
  expect(await upload.response()).toBeUndefined();
  expect(await program.ended).toBe(0);
});

test('a client that never finishes does not prevent the stop', async () => {
  const program = await started();
  const upload = await beginUpload(program);
  const grpc = beginGrpcUpload(program);
  grpc.send('first ');
  const failed = grpc.answer.catch((error: { code: number }) => error.code);
  await expect.poll(() => uploadsOf(program)).toBe(2);

  program.child.kill('SIGTERM');
  const end = await Promise.race([
    program.ended,
    new Promise((resolve) => setTimeout(() => resolve('still there'), 25_000).unref()),
  ]);

  expect(end).toBe(0);
  expect(await upload.response()).toBeUndefined();
  // CANCELLED: the server ended the call first; UNAVAILABLE: it closed the connection first.
  expect([1, 14]).toContain(await failed);
}, 60_000);

type Received = { readonly bytes: Buffer; readonly error: Error | undefined };

/** Sends the bytes on a new connection and reads until the connection ends. */
async function sendOn(port: number, bytes: Uint8Array | string): Promise<() => Promise<Received>> {
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  const received: Buffer[] = [];
  let error: Error | undefined;
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', (thrown) => {
    error = thrown;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  socket.write(bytes);
  return () => closed.then(() => ({ bytes: Buffer.concat(received), error }));
}

test('connections that wait to be accepted when the stop begins are served', async () => {
  const program = await started();
  const grpcPort = Number(program.env.LATCHKEY_GRPC_ADDRESS.split(':')[1]);
  // The kernel completes connections to a suspended process.
  program.child.kill('SIGSTOP');
  const request = requestHead('GET', '/.well-known/jwks.json', { Host: 'latchkey.test' });
  const settings = Buffer.concat([http2Preface, frame(types.settings, 0, 0)]);
  const overHttp = await Promise.all(
    Array.from({ length: 50 }, () => sendOn(program.httpPort, request)),
  );
  const overGrpc = await Promise.all(Array.from({ length: 50 }, () => sendOn(grpcPort, settings)));

  program.child.kill('SIGTERM');
  program.child.kill('SIGCONT');

  const answers = await Promise.all(overHttp.map((read) => read()));
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(answers.filter(({ bytes }) => !bytes.includes('HTTP/1.1 200 OK'))).toEqual([]);
  const sessions = await Promise.all(overGrpc.map((read) => read()));
  expect(sessions.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(sessions.filter(({ bytes }) => bytes.length === 0)).toEqual([]);
  expect(await program.ended).toBe(0);
}, 60_000);

test('a health watcher does not delay the stop', async () => {
  const program = await started();
  const client = new Client(program.env.LATCHKEY_GRPC_ADDRESS, credentials.createInsecure());
  onTestFinished(() => client.close());
  const seen: string[] = [];
  const keep = (bytes: Buffer) => bytes;
  const call = client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    keep,
    keep,
    Buffer.alloc(0),
  );
  call.on('data', (bytes: Buffer) => seen.push(bytes.toString('hex')));
  call.on('error', () => seen.push('ended'));
  await expect.poll(() => seen).toEqual(['0801']);

  program.child.kill('SIGTERM');

  expect(await program.ended).toBe(0);
  // NOT_SERVING arrives before the stream ends.
  await expect.poll(() => seen).toEqual(['0801', '0802', 'ended']);
});

test('a kill during an upload leaves no document', async () => {
  const program = await started();
  await beginUpload(program);
  await expect.poll(() => uploadsOf(program)).toBe(1);
  program.child.kill('SIGKILL');
  await program.ended;

  const next = await startProgram({}, program.dataDir);
  onTestFinished(() => next.remove());

  const response = await fetch(`${next.env.LATCHKEY_SHARING_BASE_URL}/documents`, {
    headers: { authorization: `Bearer ${next.env.API_KEY}` },
  });
  expect(await response.json()).toMatchObject({ documents: [{ name: sampleName }] });
});

test('a second signal ends the program at once', async () => {
  const program = await started();
  await beginUpload(program);
  await expect.poll(() => uploadsOf(program)).toBe(1);
  // Immediately it counts as the same Ctrl-C, because npm forwards the terminal's signal. Linux
  // would deliver two signals of one kind as one.
  program.child.kill('SIGTERM');
  program.child.kill('SIGINT');
  await expect.poll(() => readiness(program)).toMatchObject({ code: 503 });

  const timer = setInterval(() => program.child.kill('SIGTERM'), 50);
  onTestFinished(() => clearInterval(timer));
  expect(await program.ended).toBe('SIGTERM');
});
