// gRPC calls that are slow, too large, or not read.
import { create, toBinary } from '@bufbuild/protobuf';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IssueTokenRequestSchema } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import {
  DownloadDocumentRequestSchema,
  UploadDocumentRequestSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import { startTestApp } from '../support/harness.ts';
import { openCall, openSession, prefix, shortLimits } from '../support/raw-grpc.ts';
import { keyOf, upload as storeDocument } from '../support/sharing-api.ts';
import { grpcError } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';

const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';
const verifyToken = '/latchkey.identity.v1.VerificationService/VerifyToken';
const upload = '/latchkey.sharing.v1.DocumentService/UploadDocument';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
const reflect = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

const app = useStarted(() => startTestApp({ grpcLimits: shortLimits }));
let address: string;
let documentId: string;
beforeAll(async () => {
  address = app.app.grpcAddress;
  documentId = (await storeDocument(app, Buffer.alloc(4 * 1024 * 1024, 'text '))).id;
});

async function session() {
  const opened = await openSession(address);
  onTestFinished(() => opened.destroy());
  return opened;
}

/** The request of an issued token. */
function tokenRequest(): Buffer {
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = app.env;
  const fields = { clientId, clientSecret, scope: 'tokens:read' };
  const bytes = toBinary(IssueTokenRequestSchema, create(IssueTokenRequestSchema, fields));
  return Buffer.concat([prefix(bytes.length), bytes]);
}

/** A download that the client does not read. */
async function openUnread() {
  const call = openCall(await session(), download, keyOf(app));
  call.stream.pause();
  const fields = create(DownloadDocumentRequestSchema, { documentId });
  const request = toBinary(DownloadDocumentRequestSchema, fields);
  call.stream.end(Buffer.concat([prefix(request.length), request]));
  return call;
}

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

  test.each([issueToken, reflect])(
    'whose body arrives slowly is ended in time: %s',
    async (path) => {
      const call = openCall(await session(), path);
      call.stream.write(prefix(1000));
      const timer = setInterval(() => call.stream.write('x'), 100);
      onTestFinished(() => clearInterval(timer));
      expect(await call.status).toBe(String(status.DEADLINE_EXCEEDED));
      await expect.poll(() => call.stream.closed).toBe(true);
    },
  );

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
