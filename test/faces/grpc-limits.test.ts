// The limits of the gRPC listener: clients that send slowly, or nothing, or do not read.
import { create, createRegistry, toBinary } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  IssuanceService,
  IssueTokenRequestSchema,
} from '../../gen/latchkey/identity/v1/issuance_pb.js';
import {
  DownloadDocumentRequestSchema,
  UploadDocumentRequestSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import { type GrpcFace, type GrpcLimits, startGrpcFace } from '../../src/faces/grpc.ts';
import { type BodyBudget, createBodyBudget } from '../../src/rpc/body-budget.ts';
import type { Handler } from '../../src/rpc/endpoint.ts';
import type { Observation } from '../../src/rpc/visit.ts';
import { grpcError } from '../support/doors.ts';
import {
  frame,
  frameTypes,
  headerBlock,
  openCall,
  openConnection,
  openSession,
  preface,
  prefix,
  settings,
} from '../support/grpc-raw.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { endpointsOf } from '../support/proto.ts';

const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';
const verifyToken = '/latchkey.identity.v1.VerificationService/VerifyToken';
const upload = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
const watch = '/grpc.health.v1.Health/Watch';
const reflect = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

/** Short, so that a test need not wait; the silence is longer than the way to a call. */
const limits: Partial<GrpcLimits> = {
  bodyMs: 1500,
  uploadMs: 3000,
  unreadMs: 1000,
  restMs: 300,
  silentMs: 2000,
  idleMs: 2500,
  lingerMs: 300,
  lookMs: 100,
  pingEveryMs: 1000,
  pingAnswerMs: 1000,
  connectionsMax: 400,
  controlFramesMax: 50,
  lastingCallsMax: 3,
};

let app: TestApp;
let address: string;
let documentId: string;
beforeAll(async () => {
  app = await startTestApp({ grpcLimits: limits });
  address = app.app.grpcAddress;
  const form = new FormData();
  form.set('file', new Blob([Buffer.alloc(4 * 1024 * 1024, 'text ')]), 'a.txt');
  const response = await fetch(`${app.env.LATCHKEY_SHARING_BASE_URL}/documents`, {
    method: 'POST',
    headers: key(),
    body: form,
  });
  documentId = ((await response.json()) as { id: string }).id;
});
afterAll(() => app.remove());

const key = () => ({ authorization: `Bearer ${app.env.API_KEY}` });

async function session() {
  const opened = await openSession(address);
  onTestFinished(() => opened.destroy());
  return opened;
}

async function connection(...bytes: Buffer[]) {
  const opened = await openConnection(address, ...bytes);
  onTestFinished(() => void opened.socket.destroy());
  return opened;
}

/** The request of a token that is issued. */
function tokenRequest(): Buffer {
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = app.env;
  const fields = { clientId, clientSecret, scope: 'tokens:read' };
  const bytes = toBinary(IssueTokenRequestSchema, create(IssueTokenRequestSchema, fields));
  return Buffer.concat([prefix(bytes.length), bytes]);
}

/** A download whose client does not read it. */
async function openUnread() {
  const call = openCall(await session(), download, key());
  call.stream.pause();
  const fields = create(DownloadDocumentRequestSchema, { documentId });
  const request = toBinary(DownloadDocumentRequestSchema, fields);
  call.stream.end(Buffer.concat([prefix(request.length), request]));
  return call;
}

/** The error that a call has ended with, from its trailers. */
function errorOf(headers: Record<string, unknown>) {
  const metadata = new Metadata();
  const details = Buffer.from(String(headers['grpc-status-details-bin']), 'base64');
  metadata.set('grpc-status-details-bin', details);
  const code = Number(headers['grpc-status']);
  return grpcError({ code, message: '', details: '', metadata } as ServiceError);
}

describe('a call', () => {
  test('without a credential is refused before its body arrives', async () => {
    const call = openCall(await session(), verifyToken);
    expect(await call.status).toBe(String(status.UNAUTHENTICATED));
    const { stream } = openCall(await session(), download);
    await expect.poll(() => stream.closed).toBe(true);
    // NO_ERROR: the client need not send the rest of its body.
    expect(stream.rstCode).toBe(0);
  });

  test('of a body that announces more than 256 KiB is refused, and logged', async () => {
    const call = openCall(await session(), issueToken, { 'x-request-id': 'large-body' });
    call.stream.write(prefix(256 * 1024 + 1));
    expect(await call.status).toBe(String(status.RESOURCE_EXHAUSTED));
    expect(errorOf(call.headers())).toMatchObject({
      code: 'payload_too_large',
      requestId: 'large-body',
    });
    const line = (await app.logText()).split('\n').find((text) => text.includes('large-body'));
    expect(line).toContain('"code":"payload_too_large"');
  });

  test('of two messages is UNIMPLEMENTED', async () => {
    const call = openCall(await session(), issueToken);
    call.stream.end(Buffer.concat([tokenRequest(), tokenRequest()]));
    expect(await call.status).toBe(String(status.UNIMPLEMENTED));
  });

  test.each([issueToken, reflect])('of a body that trickles is ended in time: %s', async (path) => {
    const call = openCall(await session(), path);
    call.stream.write(prefix(1000));
    const timer = setInterval(() => call.stream.write('x'), 100);
    onTestFinished(() => clearInterval(timer));
    expect(await call.status).toBe(String(status.DEADLINE_EXCEEDED));
    await expect.poll(() => call.stream.closed).toBe(true);
  });

  test('that uploads without an end is ended in time', async () => {
    const call = openCall(await session(), upload, key());
    const message = toBinary(
      UploadDocumentRequestSchema,
      create(UploadDocumentRequestSchema, { file: Buffer.from('x') }),
    );
    const piece = Buffer.concat([prefix(message.length), message]);
    const timer = setInterval(() => call.stream.write(piece), 100);
    onTestFinished(() => clearInterval(timer));
    expect(await call.status).toBe(String(status.DEADLINE_EXCEEDED));
  });

  test('whose answer is not read is ended in time', async () => {
    const call = await openUnread();
    // CANCEL (RFC 9113 §7).
    expect(await call.status).toBe('closed 8');
    await expect.poll(() => app.logText()).toMatch(/DownloadDocument.*"code":"canceled"/);
  });
});

describe('a connection', () => {
  test('without a call is closed', async () => {
    const kinds = [
      await connection(),
      await connection(preface.subarray(0, 10)),
      await connection(preface, settings()),
    ];
    for (const { closed } of kinds) expect(await closed).toBe('closed');
  });

  test('whose last call was long ago is closed, and not before', async () => {
    const opened = await session();
    for (let round = 0; round < 3; round += 1) {
      const call = openCall(opened, issueToken);
      call.stream.end(tokenRequest());
      expect(await call.status).toBe('0');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect(opened.closed).toBe(false);
    await expect.poll(() => opened.closed, { timeout: 10_000 }).toBe(true);
  });

  test.each([
    ['a settings frame of 5 bytes', frame(frameTypes.settings, 0, 0, Buffer.alloc(5))],
    ['data on stream 0', frame(0, 0, 0, Buffer.alloc(10))],
    ['a frame of 16 MiB', Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])],
    ['a header block that is not HPACK', frame(frameTypes.headers, 5, 1, Buffer.alloc(20, 0xff))],
    ['bytes that are not a frame', Buffer.alloc(400, 0xff)],
  ])('that has sent %s is closed on both sides', async (_name, malformed) => {
    const opened = await connection(preface, settings(), malformed);
    opened.socket.end();
    expect(await opened.closed).toBe('closed');
  });

  test('whose client answers no ping is closed, with its call', async () => {
    const block = frame(frameTypes.headers, 4, 1, headerBlock(watch));
    const opened = await connection(preface, settings(), block, frame(0, 1, 1, prefix(0)));
    expect(await opened.closed).toBe('closed');
    expect(opened.frames().types).toContain(frameTypes.ping);
  });

  test.each([
    ['pings', frame(frameTypes.ping, 0, 0, Buffer.alloc(8))],
    ['settings', settings(0, 3, 0, 0, 0, 100)],
  ])('that floods us with %s is closed', async (_name, flood) => {
    const opened = await connection(preface, settings());
    const timer = setInterval(() => {
      for (let i = 0; i < 60; i += 1) opened.socket.write(flood);
    }, 10);
    onTestFinished(() => clearInterval(timer));
    expect(await opened.closed).toBe('closed');
    // ENHANCE_YOUR_CALM (RFC 9113 §7).
    expect(opened.frames().goaway).toBe(11);
  });

  test('that opens and resets streams without end is closed', async () => {
    const opened = await connection(preface, settings());
    const block = headerBlock(issueToken);
    let id = 1;
    const timer = setInterval(() => {
      const frames: Buffer[] = [];
      for (let i = 0; i < 100; i += 1, id += 2) {
        frames.push(frame(frameTypes.headers, 4, id, block));
        frames.push(frame(frameTypes.reset, 0, id, Buffer.from([0, 0, 0, 8])));
      }
      opened.socket.write(Buffer.concat(frames));
    }, 5);
    onTestFinished(() => clearInterval(timer));
    await expect.poll(() => opened.frames().goaway, { interval: 5 }).toBeDefined();
    expect(id).toBeLessThan(20_000);
    expect(await opened.closed).toBe('closed');
  });

  test('that continues a header block without end is closed', async () => {
    const opened = await connection(preface, settings());
    opened.socket.write(frame(frameTypes.headers, 0, 1, headerBlock(issueToken)));
    const field = Buffer.from([0, 1, 0x61, 100, ...Buffer.alloc(100, 0x61)]);
    let sent = 0;
    const timer = setInterval(() => {
      for (let i = 0; i < 10; i += 1, sent += 1) {
        opened.socket.write(frame(frameTypes.more, 0, 1, field));
      }
    }, 5);
    onTestFinished(() => clearInterval(timer));
    expect(await opened.closed).toBe('closed');
    expect(sent).toBeLessThan(2000);
  });
});

describe('the listener', () => {
  test('answers others while slow connections of each kind are open, and cuts those', async () => {
    const each = 20;
    const ends: Promise<string>[] = [];
    for (let i = 0; i < each; i += 1) {
      ends.push((await connection()).closed, (await connection(preface, settings())).closed);
      const unfinished = openCall(await session(), issueToken);
      unfinished.stream.write(prefix(1000));
      ends.push(unfinished.status, (await openUnread()).status);
    }
    const call = openCall(await session(), issueToken);
    call.stream.end(tokenRequest());
    expect(await call.status).toBe('0');
    ends.forEach((e, i) => e.then((x) => console.log(i, x)));
    expect(await Promise.all(ends)).toHaveLength(4 * each);
  });

  test('refuses connections and calls beyond its numbers', async () => {
    const few = await startTestApp({ grpcLimits: { ...limits, connectionsMax: 2 } });
    onTestFinished(() => few.remove());
    const open = async () => {
      const opened = await openConnection(few.app.grpcAddress, preface, settings());
      onTestFinished(() => void opened.socket.destroy());
      return opened;
    };
    const [first, second, third] = [await open(), await open(), await open()];
    expect(await third.closed).toBe('closed');
    expect([first.isClosed(), second.isClosed()]).toEqual([false, false]);
    first.socket.destroy();
    await expect
      .poll(async () => {
        const again = await open();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return again.frames().types.length;
      })
      .toBeGreaterThan(0);
  });

  test('refuses watchers of health beyond their number, and calls of methods never', async () => {
    const opened = await session();
    const watchers = Array.from({ length: 4 }, () => openCall(opened, watch));
    for (const { stream } of watchers) stream.end(prefix(0));
    expect(await watchers[3]?.status).toBe(String(status.UNAVAILABLE));
    const call = openCall(opened, issueToken);
    call.stream.end(tokenRequest());
    expect(await call.status).toBe('0');
    for (const { stream } of watchers) stream.close();
  });
});

describe('the memory of bodies', () => {
  let budget: BodyBudget;
  let face: GrpcFace;
  const observed: Observation[] = [];
  let handle: (context: HandlerContext) => unknown = () => ({});
  beforeAll(async () => {
    budget = createBodyBudget({ bytesMax: 256 * 1024 });
    const handler = ((_request: never, context: HandlerContext) => handle(context)) as Handler;
    const service = IssuanceService.typeName;
    const endpoints = endpointsOf(
      createRegistry(IssuanceService),
      service,
      () => handler,
      (observation) => observed.push(observation),
    );
    const any = { host: '127.0.0.1', port: 0 };
    face = await startGrpcFace({ endpoints, bodies: budget, address: any, limits });
  });
  afterAll(() => face.close());

  async function openLocal() {
    const opened = await openSession(`127.0.0.1:${face.port}`);
    onTestFinished(() => opened.destroy());
    return opened;
  }

  test('is counted until they end, and refuses the next large one, but no small one', async () => {
    const opened = await openLocal();
    const large = () => {
      const call = openCall(opened, issueToken);
      call.stream.write(Buffer.concat([prefix(200_000), Buffer.alloc(150_000)]));
      return call;
    };
    const first = large();
    await expect.poll(() => budget.bytesHeld()).toBeGreaterThan(150_000);
    const second = large();
    expect(await second.status).toBe(String(status.UNAVAILABLE));
    const small = openCall(opened, issueToken);
    small.stream.end(tokenRequest());
    expect(await small.status).toBe('0');
    first.stream.close(8);
    await expect.poll(() => budget.bytesHeld()).toBe(0);
  });

  test('counts a compressed message as large as it may become', async () => {
    const opened = await openLocal();
    const call = openCall(opened, issueToken, { 'grpc-encoding': 'gzip' });
    call.stream.write(prefix(100, 1));
    expect(await call.status).toBe(String(status.UNAVAILABLE));
  });

  test('is free of a call whose deadline has passed, and its handler is told', async () => {
    const reasons: unknown[] = [];
    handle = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reasons.push(signal.reason);
      signal.throwIfAborted();
    };
    observed.length = 0;
    const client = new Client(`127.0.0.1:${face.port}`, credentials.createInsecure());
    onTestFinished(() => client.close());
    const keep = (bytes: Buffer) => bytes;
    const bytes = tokenRequest().subarray(5);
    const error = await new Promise<ServiceError | null>((resolve) => {
      const options = { deadline: Date.now() + 300 };
      client.makeUnaryRequest(issueToken, keep, keep, bytes, new Metadata(), options, resolve);
    });
    expect(error?.code).toBe(status.DEADLINE_EXCEEDED);
    await expect.poll(() => reasons).toMatchObject([{ code: 'canceled' }]);
    await expect.poll(() => observed.map(({ failure }) => failure?.code)).toEqual(['canceled']);
  });

  test('signals a deadline that had passed before the handler asked', async () => {
    const seen: boolean[] = [];
    handle = async (context) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      seen.push(context.signal.aborted);
      return {};
    };
    const call = openCall(await openLocal(), issueToken, { 'grpc-timeout': '200m' });
    call.stream.end(tokenRequest());
    expect(await call.status).toBe(String(status.DEADLINE_EXCEEDED));
    await expect.poll(() => seen).toEqual([true]);
  });
});
