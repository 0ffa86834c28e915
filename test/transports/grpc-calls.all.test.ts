// gRPC calls that are slow, too large, or not read.
import { create, toBinary } from '@bufbuild/protobuf';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UploadDocumentRequestSchema } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { useGrpcApp } from '../support/grpc-suite.ts';
import { openCall, prefix } from '../support/raw-grpc.ts';
import { itHoldsFor } from '../support/rule.ts';
import { keyOf } from '../support/sharing-api.ts';
import { grpcError } from '../support/transports.ts';

const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';
const verifyToken = '/latchkey.identity.v1.VerificationService/VerifyToken';
const upload = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
const reflect = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

const { app, session, tokenRequest, openUnread } = useGrpcApp();

/** The error in a call's trailers. */
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

  test('that announces a body over 256 KiB is refused, and logged', async () => {
    const call = openCall(await session(), issueToken, { 'x-request-id': 'large-body' });
    call.stream.write(prefix(256 * 1024 + 1));
    expect(await call.status).toBe(String(status.RESOURCE_EXHAUSTED));
    expect(errorOf(call.headers())).toMatchObject({
      code: 'payload_too_large',
      requestId: 'large-body',
    });
    const line = async () =>
      (await app.logText()).split('\n').find((text) => text.includes('large-body'));
    await expect.poll(line).toContain('"code":"payload_too_large"');
  });

  test('of two messages is UNIMPLEMENTED', async () => {
    const call = openCall(await session(), issueToken);
    call.stream.end(Buffer.concat([tokenRequest(), tokenRequest()]));
    expect(await call.status).toBe(String(status.UNIMPLEMENTED));
  });

  itHoldsFor(
    [issueToken, reflect],
    2,
    'together',
  )('whose body arrives slowly is ended in time', async (path) => {
    const call = openCall(await session(), path);
    call.stream.write(prefix(1000));
    const timer = setInterval(() => call.stream.write('x'), 100);
    onTestFinished(() => clearInterval(timer));
    expect(await call.status).toBe(String(status.DEADLINE_EXCEEDED));
    await expect.poll(() => call.stream.closed).toBe(true);
  });

  test('with an endless upload is ended in time', async () => {
    const call = openCall(await session(), upload, keyOf(app));
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

  test('of reflection whose answers are not read is ended in time', async () => {
    const call = openCall(await session(), reflect);
    call.stream.pause();
    const symbol = Buffer.from('latchkey.sharing.v1.LinkService');
    // Field 4, file_containing_symbol. The answers are larger than the window of the stream.
    const fields = Buffer.concat([Buffer.from([0x22, symbol.length]), symbol]);
    const request = Buffer.concat([prefix(fields.length), fields]);
    call.stream.end(Buffer.concat(Array.from({ length: 50 }, () => request)));
    expect(await call.status).toBe('closed 8');
  });
});
