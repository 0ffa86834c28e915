// Calls that grpc-js cannot read get the same codes and details as on other transports.
import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js';
import { StatusSchema } from '../../gen/google/rpc/status_pb.js';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { openCall, openSession, prefix } from '../support/raw-grpc.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.remove());

const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';
const garbage = Buffer.concat([prefix(8, 1), Buffer.alloc(8, 0xff)]);

test.each([
  ['a message that cannot be decompressed', { 'grpc-encoding': 'gzip' }, status.INVALID_ARGUMENT],
  ['an unsupported compression', { 'grpc-encoding': 'snappy' }, status.UNIMPLEMENTED],
  ['an invalid timeout', { 'grpc-timeout': 'x' }, status.INVALID_ARGUMENT],
])('%s is invalid_argument', async (_, headers, code) => {
  const session = await openSession(app.app.grpcAddress);
  onTestFinished(() => session.destroy());
  const call = openCall(session, issueToken, { ...headers, 'x-request-id': 'unreadable-1' });
  call.stream.end(garbage);
  expect(await call.status).toBe(String(code));

  const metadata = Metadata.fromHttp2Headers(call.headers() as Record<string, string>);
  const [bytes] = metadata.get('grpc-status-details-bin');
  const { details } = fromBinary(StatusSchema, bytes as Buffer);
  const info = details.map((detail) => anyUnpack(detail, ErrorInfoSchema)).find(Boolean);
  expect(info?.reason).toBe('invalid_argument');
  await expect.poll(() => app.logText()).toContain('unreadable-1');
});
