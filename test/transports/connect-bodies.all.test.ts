// Request bodies over Connect and gRPC-Web: the required credential, size, nesting and time limit.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Code } from '@connectrpc/connect';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import {
  answerTo,
  chunk,
  compressed,
  errorIn,
  frame,
  frameHead,
  post,
  within,
} from '../support/connect-frames.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/harness.ts';
import { openCall, openSession } from '../support/raw-grpc.ts';
import { openRawHttp, type RawHttp } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { TransportError } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp());
let port: number;
beforeAll(async () => {
  port = Number(new URL(app.app.publicUrl).port);
});

/** Tests of a separate app. */
function withApp(options: TestAppOptions): { env(): TestApp['env'] } {
  let other: TestApp;
  beforeAll(async () => {
    other = await startTestApp(options);
    port = Number(new URL(other.app.publicUrl).port);
  });
  afterAll(() => {
    port = Number(new URL(app.app.publicUrl).port);
    return other.remove();
  });
  return { env: () => other.env };
}

let connections: RawHttp[] = [];
beforeEach(() => {
  connections = [];
});
afterEach(() => {
  for (const connection of connections) connection.reset();
});

async function open(): Promise<RawHttp> {
  const connection = await openRawHttp(port);
  connections.push(connection);
  return connection;
}

const signIn = '/latchkey.identity.v1.SessionService/SignIn';
const getJwks = '/latchkey.identity.v1.VerificationService/GetJwks';
const createLink = '/latchkey.sharing.v1.LinkService/CreateLink';
const upload = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const json = 'application/json';
const grpcWeb = 'application/grpc-web+proto';
const bytesMax = 256 * 1024;
const authorization = () => ({ Authorization: `Bearer ${app.env.API_KEY}` });

describe('a caller without a valid credential', () => {
  itHoldsFor([
    ['a Connect call', createLink, json],
    ['a gRPC-Web call', createLink, grpcWeb],
    ['a Connect upload', upload, 'application/connect+proto'],
    ['a gRPC-Web upload', upload, grpcWeb],
  ])('is refused before the body arrives', async (_what, path, type) => {
    const answer = await answerTo(port, post(path, type).announcing(200_000));
    expect(answer && errorIn(answer)).toMatchObject({ code: 'unauthenticated' });
  });
});

describe('a body over 256 KiB is refused', () => {
  const large = JSON.stringify({ email: 'x'.repeat(bytesMax) });

  const requests: Record<string, () => Uint8Array | string> = {
    'by its announced length': () => post(signIn, json).announcing(bytesMax + 1),
    'in a chunked body': () => post(signIn, json).chunked + chunk(large),
    'in a frame': () => post(signIn, 'application/grpc-web+json').with(frame(large)),
    'by the announced length of a frame': () =>
      Buffer.concat([Buffer.from(post(signIn, grpcWeb).chunked), chunk(frameHead(bytesMax + 1))]),
    'by its size after gzip decompression': () =>
      post(signIn, json, { 'Content-Encoding': 'gzip' }).with(gzipSync(large)),
    'by its size after brotli decompression': () =>
      post(signIn, json, { 'Content-Encoding': 'br' }).with(brotliCompressSync(large)),
    'by the size of its decompressed frame': () =>
      post(signIn, 'application/grpc-web+json', { 'Grpc-Encoding': 'gzip' }).with(
        frame(gzipSync(large), compressed),
      ),
  };
  itHoldsFor(Object.entries(requests), 7)('is refused by its length', async (_how, request) => {
    const answer = await answerTo(port, request());
    expect(answer && errorIn(answer)).toMatchObject({ code: 'payload_too_large' });
  });
});

test('a body of 256 KiB is read', async () => {
  const whole = JSON.stringify({ email: 'x'.repeat(bytesMax - 12) });
  expect(whole).toHaveLength(bytesMax);
  const answer = await answerTo(port, post(signIn, json).with(whole));
  expect(answer && errorIn(answer)).toMatchObject({ fields: expect.arrayContaining(['email']) });
});

describe('unfinished bodies of anonymous callers', () => {
  const body = JSON.stringify({ email: 'x'.repeat(250_000) });
  let other: TestApp;
  let refused: (TransportError | undefined)[];
  beforeEach(async () => {
    other = await startTestApp();
    port = Number(new URL(other.app.publicUrl).port);
    refused = [];
    for (let i = 0; i < 320; i++) {
      const connection = await open();
      await connection.write(post(signIn, json).announcing(body.length) + body.slice(0, -1));
      connection.response().then((answer) => refused.push(answer && errorIn(answer)));
    }
    await expect.poll(() => refused.length, { timeout: 20_000 }).toBeGreaterThan(20);
  });
  afterEach(() => {
    port = Number(new URL(app.app.publicUrl).port);
    return other.remove();
  });

  test('share one memory budget', async () => {
    await expect.poll(() => refused.length, { timeout: 20_000 }).toBeGreaterThan(150);
    expect(refused.length).toBeLessThan(220);
    for (const error of refused) expect(error).toMatchObject({ code: 'unavailable' });
    for (const connection of connections) connection.reset();
    await expect
      .poll(async () => {
        const answer = await answerTo(port, post(signIn, json).with(body));
        return answer && errorIn(answer)?.code;
      })
      .toBe('invalid_argument');
  });

  test('leave no memory for a compressed message in a URL', async () => {
    const get = (query: string) =>
      answerTo(
        port,
        `GET ${getJwks}?encoding=json&${query} HTTP/1.1\r\nHost: latchkey.test\r\n\r\n`,
      );
    const message = gzipSync('{}').toString('base64url');

    const answer = await get(`compression=gzip&base64=1&message=${message}`);

    expect(answer && errorIn(answer)).toMatchObject({ code: 'unavailable' });
    expect(await get('message=%7B%7D')).toMatchObject({ status: 200 });
  });

  test('leave memory for callers with a credential, on every transport', async () => {
    const credential = { Authorization: `Bearer ${other.env.API_KEY}` };
    const piece = [Buffer.from([0x22, 0xd0, 0x86, 0x03]), Buffer.alloc(50_000, 'x')];
    const large = frame(Buffer.concat(piece));
    const web = { ...credential, 'Content-Encoding': 'gzip' };
    const zipped = gzipSync(JSON.stringify({ documentId: 'x' }));
    const answers = [
      await answerTo(port, post(upload, 'application/connect+proto', credential).with(large)),
      await answerTo(port, post(createLink, json, web).with(zipped)),
    ];
    const codes = answers.map((answer) => answer && errorIn(answer)?.code);
    expect(codes).toEqual([undefined, 'not_found']);
    expect(answers[0]).toBeDefined();

    const session = await openSession(other.app.grpcAddress);
    onTestFinished(() => session.destroy());
    const call = openCall(session, upload, { authorization: credential.Authorization });
    call.stream.end(large);
    expect(await call.status).toBe('0');
  });
});

describe('a body that arrives slowly', () => {
  const own = withApp({ bodyTimeoutMs: 1_500 });

  itHoldsFor([
    ['of a Connect call', json, ''],
    ['of a gRPC-Web call', grpcWeb, frameHead(900)],
  ])('of a call is aborted at its time limit', async (_what, type, start) => {
    const connection = await open();
    await connection.write(post(signIn, type).announcing(1_000));
    await connection.write(start);
    const timer = setInterval(() => void connection.write('\0'), 100);
    const answer = await within(20_000, connection.response()).finally(() => clearInterval(timer));
    expect(answer && errorIn(answer)).toMatchObject({
      code: 'canceled',
      grpc: Code.DeadlineExceeded,
    });
    const closing = connection.response().then(() => 'closed');
    expect(await within(20_000, closing)).toBe('closed');
  });

  test('has a longer limit in an upload', async () => {
    const connection = await open();
    const credential = { Authorization: `Bearer ${own.env().API_KEY}` };
    const { chunked } = post(upload, 'application/connect+proto', credential);
    await connection.write(chunked);
    const piece = frame(Buffer.from('\x22\x01x'));
    for (let i = 0; i < 8; i++) {
      await connection.write(chunk(piece));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await connection.write('0\r\n\r\n');
    const answer = await within(20_000, connection.response());
    expect(answer && errorIn(answer)).toBeUndefined();
    expect(answer).toMatchObject({ status: 200 });
  });
});

describe('deeply nested JSON', () => {
  const deep = `{"email": ${'['.repeat(200_000)}`;
  const gzipped = { 'Content-Encoding': 'gzip' };
  const postUpload = () => post(upload, 'application/connect+json', authorization());

  itHoldsFor([
    ['a Connect call', () => post(signIn, json).with(deep)],
    ['a gRPC-Web call', () => post(signIn, 'application/grpc-web+json').with(frame(deep))],
    ['a compressed call', () => post(signIn, json, gzipped).with(gzipSync(deep))],
    ['an upload', () => postUpload().with(frame('['.repeat(2_000_000)))],
  ])('is refused before it is parsed', async (_what, request) => {
    const answer = await answerTo(port, request());
    expect(answer && errorIn(answer)).toMatchObject({
      code: 'invalid_argument',
      message: 'The JSON is nested too deeply.',
    });
  });
});

describe('the connection of a refused body', () => {
  withApp({ bodyTimeoutMs: 1_500 });

  const jwks = 'GET /.well-known/jwks.json HTTP/1.1\r\nHost: latchkey.test\r\n\r\n';
  const padding = 'x'.repeat(100_000);

  itHoldsFor([
    ['another content type', post(signIn, 'text/plain').with(padding)],
    ['another HTTP method', String(post(signIn, json).with(padding)).replace('POST', 'PUT')],
    ['no credential', post(createLink, json).with(padding)],
    ['no credential for an upload', post(upload, 'application/connect+proto').with(padding)],
    ['an unknown compression', post(signIn, json, { 'Content-Encoding': 'lz' }).with(padding)],
    [
      'an end within a frame',
      post(signIn, grpcWeb).with(Buffer.concat([frame(''), frame(padding)])),
    ],
  ])('serves the next request after a refused one', async (_why, refused) => {
    const connection = await open();
    await connection.write(refused);
    const answer = await within(20_000, connection.response());
    expect(answer).toBeDefined();
    expect(answer && (answer.status >= 400 || errorIn(answer) !== undefined)).toBe(true);
    await connection.write(jwks);
    expect(await within(20_000, connection.response())).toMatchObject({ status: 200 });
  });

  const refused: [string, ReturnType<typeof post>][] = [
    ['another content type', post(signIn, 'text/plain')],
    ['too many bytes', post(signIn, json)],
    ['an invalid message', post(signIn, grpcWeb)],
    ['no credential', post(createLink, json)],
    ['no credential for an upload', post(upload, 'application/connect+proto')],
  ];
  // Each waits until the server closes its connection.
  itHoldsFor(
    refused,
    5,
    'together',
  )('is closed if the body does not end after a refusal', async (_why, request) => {
    const connection = await open();
    await connection.write(request.chunked);
    for (let i = 0; i < 10; i++) await connection.write(chunk('\x7f'.repeat(60_000)));
    const answer = await within(20_000, connection.response());
    expect(answer?.headers.get('connection')).toBe('close');
    expect(answer && (answer.status >= 400 || errorIn(answer) !== undefined)).toBe(true);
    const closing = connection.response().then(() => 'closed');
    expect(await within(20_000, closing)).toBe('closed');
  });
});
