// A message with the flag of compression, in a request whose headers name no compression. The
// status is INTERNAL (compression.md of gRPC; "Error end-stream" of the Connect protocol).
import { gzipSync } from 'node:zlib';
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { answerTo, compressed, errorIn, frame, post } from '../support/connect-frames.ts';
import { startTestApp } from '../support/harness.ts';
import { openCall, openSession } from '../support/raw-grpc.ts';
import type { RawResponse } from '../support/raw-http.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp());

const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';
const upload = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
const health = '/grpc.health.v1.Health/Check';
const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

const web = 'application/grpc-web+proto';
const webJson = 'application/grpc-web+json';
const webText = 'application/grpc-web-text+proto';
const stream = 'application/connect+proto';
const streamJson = 'application/connect+json';

const httpCases: readonly [path: string, type: string, headers?: Record<string, string>][] = [
  [issueToken, web],
  [issueToken, webJson],
  [issueToken, webText],
  [issueToken, web, { 'Grpc-Encoding': 'identity' }],
  [upload, web],
  [upload, stream],
  [upload, streamJson],
  [upload, stream, { 'Connect-Content-Encoding': 'identity' }],
  [download, web],
  [download, stream],
];

const grpcCases: readonly [path: string, headers?: Record<string, string>][] = [
  [issueToken],
  [issueToken, { 'grpc-encoding': 'identity' }],
  [upload],
  [download],
  [health],
  [reflection],
];

/** A compressed message, and one that is valid without decompression. */
const bodies = [frame(gzipSync(Buffer.from('{}')), compressed), frame(Buffer.alloc(0), compressed)];

/** The answer in application/grpc-web-text, without its base64. */
function decoded({ body, ...rest }: RawResponse): RawResponse {
  const parts = body.toString().match(/[^=]+=*/g) ?? [];
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
  return { ...rest, body: bytes, headers: new Headers({ 'content-type': web }) };
}

test('a compressed message without a named compression is an internal error', async () => {
  const port = Number(new URL(app.app.publicUrl).port);
  const authorization = `Bearer ${app.env.API_KEY}`;
  const failures: string[] = [];
  let walked = 0;
  for (const body of bodies) {
    for (const [path, type, headers = {}] of httpCases) {
      const sent = type === webText ? body.toString('base64') : body;
      const request = post(path, type, { Authorization: authorization, ...headers }).with(sent);
      const answer = await answerTo(port, request);
      const error = answer && errorIn(type === webText ? decoded(answer) : answer);
      if (error?.grpc !== Code.Internal || error.code !== 'invalid_argument') {
        failures.push(`${type} ${path}: ${JSON.stringify(error)}`);
      }
      walked++;
    }
    const session = await openSession(app.app.grpcAddress);
    for (const [path, headers = {}] of grpcCases) {
      const call = openCall(session, path, { authorization, ...headers });
      call.stream.end(body);
      const status = await call.status;
      if (status !== String(Code.Internal)) failures.push(`gRPC ${path}: ${status}`);
      walked++;
    }
    session.destroy();
  }
  expect(failures).toEqual([]);
  expect(walked).toBe(2 * (httpCases.length + grpcCases.length));
  expect(await app.logText()).not.toContain('"code":"internal"');
});
