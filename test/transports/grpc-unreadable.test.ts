// Calls that grpc-js cannot read get the same codes and details as on other transports.
import { once } from 'node:events';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { Metadata, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js';
import { StatusSchema } from '../../gen/google/rpc/status_pb.js';
import { UploadDocumentRequestSchema } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { startTestApp } from '../support/harness.ts';
import { flags, frame, headerBlock, http2Preface, types } from '../support/http2-frames.ts';
import { openCall, openConnection, openSession, prefix } from '../support/raw-grpc.ts';
import { itHoldsFor } from '../support/rule.ts';
import { keyOf, storedState } from '../support/sharing-api.ts';
import { useStarted } from '../support/use-started.ts';

// Without these, a call that stays open would end before its test does.
const app = useStarted(() =>
  startTestApp({ grpcLimits: { trailingBodyMs: 3_600_000, unreadMs: 3_600_000 } }),
);

const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';
const getJwks = '/latchkey.identity.v1.VerificationService/GetJwks';
const uploadDocument = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const garbage = Buffer.concat([prefix(8, 1), Buffer.alloc(8, 0xff)]);

const unreadable: [string, Record<string, string>, status][] = [
  ['a message that cannot be decompressed', { 'grpc-encoding': 'gzip' }, status.INVALID_ARGUMENT],
  ['an unsupported compression', { 'grpc-encoding': 'snappy' }, status.UNIMPLEMENTED],
];
for (const timeout of ['x', '5', '5 S', 'x5S', '5Sx', '123456789m', '5S, 6S']) {
  const headers = { 'grpc-timeout': timeout };
  unreadable.push([`the timeout ${timeout}`, headers, status.INVALID_ARGUMENT]);
}

itHoldsFor(unreadable, 9)(
  'an unreadable message or header is invalid_argument',
  async (_, headers, code) => {
    const session = await openSession(app.app.grpcAddress);
    onTestFinished(() => session.destroy());
    const call = openCall(session, issueToken, { ...headers, 'x-request-id': 'unreadable-1' });
    call.stream.end(garbage);
    expect(await call.status).toBe(String(code));

    const metadata = Metadata.fromHttp2Headers(call.headers() as Record<string, string>);
    const [bytes] = metadata.get('grpc-status-details-bin');
    const { details } = fromBinary(StatusSchema, bytes as Buffer);
    const info = details.map((detail) => anyUnpack(detail, ErrorInfoSchema)).find(Boolean);
    expect(info).toMatchObject({ reason: 'invalid_argument', domain: 'latchkey' });
    await expect.poll(() => app.logText()).toContain('unreadable-1');
  },
);

test('a content type other than that of Protobuf messages is 415', async () => {
  const session = await openSession(app.app.grpcAddress);
  onTestFinished(() => session.destroy());
  const results = async (types: readonly string[]) => {
    const calls = types.map((type) => openCall(session, getJwks, { 'content-type': type }));
    for (const { stream } of calls) stream.end(prefix(0));
    await Promise.all(calls.map(({ status }) => status));
    return calls.map(({ headers }) => [headers()[':status'], headers()['grpc-status']]);
  };
  const refused = ['+json', '+thrift', '+', '+protobuf', '-web', '-web+proto', '-web-text', 'x'];
  expect(await results(refused.map((subtype) => `application/grpc${subtype}`))).toEqual(
    refused.map(() => [415, undefined]),
  );
  const accepted = ['', '+proto', ';charset=utf-8', '+proto ; a=b'];
  expect(await results(accepted.map((subtype) => `application/grpc${subtype}`))).toEqual(
    accepted.map(() => [200, '0']),
  );
});

test('a body that ends in the middle of a message is refused, and nothing is stored', async () => {
  const session = await openSession(app.app.grpcAddress);
  onTestFinished(() => session.destroy());
  const file = toBinary(
    UploadDocumentRequestSchema,
    create(UploadDocumentRequestSchema, { file: Buffer.from('half of the file') }),
  );
  const message = Buffer.concat([prefix(file.length), file]);
  const before = await storedState(app);
  const failures: string[] = [];
  for (const path of [uploadDocument, issueToken]) {
    for (const length of [1, 4, 5, message.length - 1]) {
      const cut = message.subarray(0, length);
      const body = path === uploadDocument ? Buffer.concat([message, cut]) : cut;
      const call = openCall(session, path, keyOf(app));
      call.stream.end(body);
      const status = await call.status;
      const text = decodeURIComponent(String(call.headers()['grpc-message']));
      const isRight = status === '3' && text === 'The request ends in the middle of a message.';
      if (!isRight) failures.push(`${path} ${length}: ${status} ${text}`);
    }
  }
  expect(failures).toEqual([]);
  await expect.poll(() => storedState(app)).toEqual(before);
});

test('a timeout that exceeds the maximum duration of a call is accepted', async () => {
  const session = await openSession(app.app.grpcAddress);
  onTestFinished(() => session.destroy());
  const timeouts = ['600H', '99999999H', '99999999S'];
  const statuses = timeouts.map((timeout) => {
    const call = openCall(session, getJwks, { 'grpc-timeout': timeout });
    // An earlier deadline would end the call in the meantime.
    setTimeout(() => call.stream.end(prefix(0)), 200);
    return call.status;
  });
  expect(await Promise.all(statuses)).toEqual(timeouts.map(() => '0'));
});

test('a call is closed at its deadline, even if its body has not ended', async () => {
  const session = await openSession(app.app.grpcAddress);
  onTestFinished(() => session.destroy());
  const failures: string[] = [];
  const bodies = { none: Buffer.alloc(0), partial: prefix(100), whole: prefix(0) };
  for (const [name, body] of Object.entries(bodies)) {
    const call = openCall(session, issueToken, { 'grpc-timeout': '100m' });
    const closed = once(call.stream, 'close');
    call.stream.write(body);
    const status = await call.status;
    await closed;
    if (status !== '4' || call.stream.rstCode !== 0) failures.push(`${name}: ${status}`);
  }
  expect(failures).toEqual([]);
  expect(Object.keys(bodies)).toHaveLength(3);
});

test('a second Authorization header is refused, and no message is read', async () => {
  const literal = ['authorization', 'Bearer b'].map((text) => [text.length, ...Buffer.from(text)]);
  const second = [0, ...literal.flat()];
  const cases = { 'credential-1': [], 'credential-2': second };
  for (const [id, more] of Object.entries(cases)) {
    const first = headerBlock(getJwks, { authorization: 'Bearer a', 'x-request-id': id });
    const { socket } = await openConnection(
      app.app.grpcAddress,
      ...[http2Preface, frame(types.settings, 0, 0)],
      frame(types.headers, flags.endHeaders, 1, Buffer.concat([first, Buffer.from(more)])),
      frame(types.data, flags.endStream, 1, prefix(0)),
    );
    onTestFinished(() => void socket.destroy());
    await expect.poll(() => app.logText()).toContain(id);
  }
  const codes = (await app.logText()).split('\n').flatMap((line) => {
    const { request_id: id, code } = JSON.parse(line || '{}');
    return id in cases ? [[id, code]] : [];
  });
  expect(Object.fromEntries(codes)).toEqual({
    'credential-1': 'ok',
    'credential-2': 'invalid_argument',
  });
});
