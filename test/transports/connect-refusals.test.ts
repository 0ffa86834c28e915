// Connect and gRPC-Web requests that reach no handler. Each gets an error of the catalogue, a
// request id, a log line and a count in the metrics.
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { beforeAll, describe, expect, test } from 'vitest';
import { SignInRequestSchema } from '../../gen/latchkey/identity/v1/session_pb.js';
import { answerTo, chunk, compressed, errorIn, frame, post } from '../support/connect-frames.ts';
import { startTestApp } from '../support/harness.ts';
import { requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp());
let port: number;
beforeAll(async () => {
  port = Number(new URL(app.app.publicUrl).port);
});

const signIn = '/latchkey.identity.v1.SessionService/SignIn';
const jwks = '/latchkey.identity.v1.VerificationService/GetJwks';
const upload = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
const grpcWeb = 'application/grpc-web+proto';
const proto = 'application/proto';
const host = { Host: 'latchkey.test' };
const authorization = () => ({ Authorization: `Bearer ${app.env.API_KEY}` });

let number = 0;

/** Sends a request with a new id; returns the answer and the log lines with that id. */
async function refusalOf(build: (id: Record<string, string>) => Uint8Array | string) {
  const requestId = `refusal-${++number}`;
  const answer = await answerTo(port, build({ 'X-Request-Id': requestId }));
  const lines = (await app.logText()).split('\n').filter((line) => line.includes(requestId));
  const log = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answer?.headers.get('x-request-id')).toBe(requestId);
  return { requestId, answer, error: answer && errorIn(answer), log };
}

/** The value of a time series in the metrics; 0 if it does not exist yet. */
async function countOf(series: string): Promise<number> {
  const text = await (await fetch(`${app.app.opsUrl}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

describe('a request that cannot be decoded is invalid_argument:', () => {
  const truncated = Buffer.from('0a05ff', 'hex');
  const groups = Buffer.alloc(50_000, 0x0b);
  const message = toBinary(SignInRequestSchema, create(SignInRequestSchema, { email: 'x' }));
  const badZip = Buffer.from('not a zip');
  const shortZip = gzipSync(Buffer.alloc(1_000)).subarray(0, -12);
  const query = (rest: string) => `${jwks}?connect=v1&encoding=proto&${rest}`;

  const requests: Record<string, (id: Record<string, string>) => Uint8Array | string> = {
    'truncated binary': (id) => post(signIn, proto, id).with(truncated),
    'binary with unclosed groups': (id) => post(signIn, proto, id).with(groups),
    'JSON that is not UTF-8': (id) => post(signIn, 'application/json', id).with(truncated),
    'truncated gRPC-Web binary': (id) => post(signIn, grpcWeb, id).with(frame(truncated)),
    'gRPC-Web JSON': (id) =>
      post(signIn, 'application/grpc-web+json', id).with(frame('{"email": 1}')),
    'a message with invalid base64': (id) =>
      requestHead('GET', query('base64=1&message=%21%21'), { ...host, ...id }),
    'a query message with invalid gzip': (id) =>
      requestHead('GET', query('compression=gzip&base64=1&message=bm8'), { ...host, ...id }),
    'invalid gzip': (id) => post(signIn, proto, { 'Content-Encoding': 'gzip', ...id }).with(badZip),
    'truncated gzip': (id) =>
      post(signIn, proto, { 'Content-Encoding': 'gzip', ...id }).with(shortZip),
    'invalid brotli': (id) => post(signIn, proto, { 'Content-Encoding': 'br', ...id }).with(badZip),
    'a frame with invalid gzip': (id) =>
      post(signIn, grpcWeb, { 'Grpc-Encoding': 'gzip', ...id }).with(frame(badZip, compressed)),
    'a compressed frame without a named compression': (id) =>
      post(signIn, grpcWeb, id).with(frame(gzipSync(message), compressed)),
    'a truncated frame': (id) => post(signIn, grpcWeb, id).with(frame(message).subarray(0, 6)),
    'no frame': (id) => post(signIn, grpcWeb, id).with(''),
    'two frames': (id) =>
      post(signIn, grpcWeb, id).with(Buffer.concat([frame(message), frame(message)])),
    'a frame with unknown flags': (id) => post(signIn, grpcWeb, id).with(frame(message, 0x80)),
    'a download': (id) =>
      post(download, 'application/connect+proto', { ...authorization(), ...id }).with(
        frame(truncated),
      ),
    'an upload': (id) =>
      post(upload, 'application/connect+proto', { ...authorization(), ...id }).with(
        frame(truncated),
      ),
    'an upload over gRPC-Web': (id) =>
      post(upload, grpcWeb, { ...authorization(), ...id }).with(frame(truncated)),
    'a truncated upload': (id) =>
      Buffer.concat([
        Buffer.from(post(upload, grpcWeb, { ...authorization(), ...id }).chunked),
        chunk(frame('abc').subarray(0, 7)),
        Buffer.from('0\r\n\r\n'),
      ]),
  };
  itHoldsFor(Object.entries(requests), 20)('is an invalid argument', async (_what, build) => {
    const { requestId, error, log } = await refusalOf(build);
    expect(error).toMatchObject({ code: 'invalid_argument', requestId });
    expect(log).toMatchObject([{ code: 'invalid_argument', transport: 'connect', level: 30 }]);
  });

  test('and is counted', async () => {
    const labels = `method="${signIn.slice(1)}",transport="connect",code="invalid_argument"`;
    const series = `latchkey_call_duration_seconds_count{${labels}}`;
    const before = await countOf(series);
    await refusalOf((id) => post(signIn, proto, id).with(truncated));
    expect(await countOf(series)).toBe(before + 1);
  });
});

describe('a request that the method does not accept', () => {
  itHoldsFor([
    ['GET', signIn, 'POST'],
    ['PUT', signIn, 'POST'],
    ['OPTIONS', signIn, 'POST'],
    ['PUT', jwks, 'GET, HEAD, POST'],
    ['GET', download, 'POST'],
  ])(
    'by another method is refused, and the answer lists the methods',
    async (method, path, allow) => {
      const { requestId, answer, error, log } = await refusalOf((id) =>
        requestHead(method, path, { ...host, ...id }),
      );
      expect(answer).toMatchObject({ status: 405, complete: true });
      expect(answer?.headers.get('allow')).toBe(allow);
      expect(answer?.headers.get('cache-control')).toBe('no-store');
      expect(error).toMatchObject({ code: 'method_not_allowed', requestId });
      expect(log).toMatchObject([{ code: 'method_not_allowed', status: 405 }]);
    },
  );

  itHoldsFor([
    [signIn, 'text/plain'],
    [signIn, ''],
    [signIn, 'application/connect+proto'],
    [upload, proto],
    [signIn, 'application/grpc'],
    [signIn, 'application/grpc-web-text+thrift'],
  ])('of another type is refused', async (path, type) => {
    const { requestId, answer, error, log } = await refusalOf((id) =>
      post(path, type, id).with('AAAAAAA='),
    );
    expect(answer).toMatchObject({ status: 415, complete: true });
    expect(answer?.headers.get('accept-post')).toContain(grpcWeb);
    expect(error).toMatchObject({ code: 'unsupported_media_type', requestId });
    expect(log).toMatchObject([{ code: 'unsupported_media_type', status: 415 }]);
  });

  test('is counted', async () => {
    const series = 'latchkey_route_duration_seconds_count{route="unrouted",status="415"}';
    const before = await countOf(series);
    await refusalOf((id) => post(signIn, 'text/plain', id).with('x'));
    expect(await countOf(series)).toBe(before + 1);
  });

  itHoldsFor([
    ['Content-Encoding', proto],
    ['Grpc-Encoding', grpcWeb],
  ])('with an unsupported compression gets the supported ones', async (header, type) => {
    const { error, log } = await refusalOf((id) =>
      post(signIn, type, { [header]: 'lz', ...id }).with(''),
    );
    expect(error).toMatchObject({ code: 'unsupported_media_type', grpc: Code.Unimplemented });
    expect(log).toMatchObject([{ code: 'unsupported_media_type' }]);
  });
});
