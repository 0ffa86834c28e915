// gRPC as bytes on HTTP/2, independent of a client library, with the standard services.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  GetJwksResponseSchema,
  VerifyTokenRequestSchema,
} from '../../gen/latchkey/identity/v1/verification_pb.js';
import { metadataOf, openDownload, uploadPieces } from '../support/grpc-streams.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { grpcError } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';

const getJwks = '/latchkey.identity.v1.VerificationService/GetJwks';
const verifyToken = '/latchkey.identity.v1.VerificationService/VerifyToken';
const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';

const app = useStarted(() => startTestApp({ config: { uploadBytesMax: 32 * 1024 * 1024 } }));
let client: Client;
beforeAll(async () => {
  client = new Client(app.app.grpcAddress, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
});

const keep = (bytes: Buffer) => bytes;

type Answer = { bytes?: Buffer; error?: ServiceError; metadata?: Metadata };

/** A unary call whose request is exactly these bytes. */
function call(
  path: string,
  request: Uint8Array,
  fields: Record<string, string> = {},
  deadline?: Date | number,
): Promise<Answer> {
  return new Promise((resolve) => {
    let metadata: Metadata | undefined;
    const options = deadline === undefined ? {} : { deadline };
    const done = (error: ServiceError | null, bytes?: Buffer) =>
      setImmediate(() =>
        resolve({
          ...(error === null ? {} : { error }),
          ...(bytes === undefined ? {} : { bytes }),
          ...(metadata === undefined ? {} : { metadata }),
        }),
      );
    client
      .makeUnaryRequest(path, keep, keep, Buffer.from(request), metadataOf(fields), options, done)
      .on('metadata', (received) => {
        metadata = received;
      });
  });
}

const key = () => ({ authorization: `Bearer ${app.env.API_KEY}` });

async function serviceToken(): Promise<{ authorization: string }> {
  const response = await fetch(`${app.app.publicUrl}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: app.env.CLIENT_ID,
      client_secret: app.env.CLIENT_SECRET,
      scope: 'tokens:read',
    }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}` };
}

const uploadDocument = (pieces: Iterable<Uint8Array>) => uploadPieces(client, key(), pieces);
const downloadDocument = (id: string) => openDownload(client, key(), id);

describe('a call', () => {
  test('is answered with its request id, or a generated one', async () => {
    const named = await call(getJwks, Buffer.alloc(0), { 'x-request-id': 'My-1' });
    expect(named.metadata?.get('x-request-id')).toEqual(['My-1']);
    expect(fromBinary(GetJwksResponseSchema, named.bytes ?? Buffer.alloc(0)).keys).toHaveLength(1);
    const insane = await call(getJwks, Buffer.alloc(0), { 'x-request-id': 'not sane' });
    expect(insane.metadata?.get('x-request-id')[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  itHoldsFor([
    ['a field of the wrong type', [0x08, 0x01]],
    ['a truncated field', [0x0a, 0x7f, 0x61]],
    ['a truncated tag', [0x80]],
    ['a tag of 0', [0x00, 0x00]],
    ['a string with invalid UTF-8', [0x0a, 0x02, 0xff, 0xfe]],
    ['deeply nested groups', new Array(100_000).fill(0x7b)],
  ])('of an invalid message is refused', async (_what, bytes) => {
    const { error } = await call(issueToken, Buffer.from(bytes), { 'x-request-id': 'bad' });
    expect(error && grpcError(error)).toMatchObject({
      code: 'invalid_argument',
      grpc: status.INVALID_ARGUMENT,
      requestId: 'bad',
    });
  });

  test('of a message over the limit is refused', async () => {
    const { error } = await call(issueToken, Buffer.alloc(2 * 1024 * 1024 + 1));
    expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
  });

  test('to an unknown method is UNIMPLEMENTED', async () => {
    const { error } = await call('/latchkey.identity.v1.IssuanceService/Nowhere', Buffer.alloc(0));
    expect(error?.code).toBe(status.UNIMPLEMENTED);
    const other = await call('/nowhere', Buffer.alloc(0));
    expect(other.error?.code).toBe(status.UNIMPLEMENTED);
  });

  test('ends with DEADLINE_EXCEEDED after its deadline', async () => {
    const { error } = await call(getJwks, Buffer.alloc(0), {}, Date.now() - 1_000);
    expect(error?.code).toBe(status.DEADLINE_EXCEEDED);
  });

  test('without a credential is refused, with a challenge', async () => {
    const request = toBinary(
      VerifyTokenRequestSchema,
      create(VerifyTokenRequestSchema, { token: 'x' }),
    );
    const { error } = await call(verifyToken, request, { 'x-request-id': 'who' });
    expect(error && grpcError(error)).toMatchObject({
      code: 'unauthenticated',
      grpc: status.UNAUTHENTICATED,
      requestId: 'who',
      fields: [],
    });
    expect(error?.metadata.get('www-authenticate')).toEqual(['Bearer realm="latchkey"']);
  });

  test('names the invalid fields', async () => {
    const { error } = await call(verifyToken, Buffer.alloc(0), await serviceToken());
    expect(error && grpcError(error)).toMatchObject({
      code: 'invalid_argument',
      fields: ['token'],
    });
  });
});

describe('a stream', () => {
  test('uploads and downloads a document', async () => {
    const pieces = Array.from({ length: 50 }, (_, i) => Buffer.alloc(60_000, `piece ${i} `));
    const id = await uploadDocument(pieces);

    const received: Uint8Array[] = [];
    const headers: unknown[] = [];
    for await (const { part } of downloadDocument(id)) {
      if (part.case === 'chunk') received.push(part.value);
      else headers.push(part.value);
    }

    expect(headers).toMatchObject([{ sizeBytes: 3_000_000, lengthBytes: 3_000_000 }]);
    expect(Buffer.concat(received).equals(Buffer.concat(pieces))).toBe(true);
  });

  test('of a failing upload is answered before its end', async () => {
    const answer = uploadDocument(Array.from({ length: 40 }, () => Buffer.alloc(1024 * 1024)));
    const error = await answer.then(
      () => undefined,
      (failure: ServiceError) => failure,
    );
    expect(error && grpcError(error)).toMatchObject({
      code: 'payload_too_large',
      grpc: status.RESOURCE_EXHAUSTED,
    });
  });

  test('of a chunk over the limit is refused with the name of its field', async () => {
    const error = await uploadDocument([Buffer.alloc(1024 * 1024 + 1)]).catch(grpcError);
    expect(error).toMatchObject({ code: 'invalid_argument', fields: ['file'] });
  });

  test('of an unknown document ends with NOT_FOUND and its details', async () => {
    const stream = downloadDocument('doc_nowhere');
    const error = await new Promise<ServiceError>((resolve) => {
      stream.on('error', (failure: ServiceError) => resolve(failure)).resume();
    });
    expect(grpcError(error)).toMatchObject({ code: 'not_found', grpc: status.NOT_FOUND });
  });

  test('that its client cancels is logged as canceled', async () => {
    const id = await uploadDocument(Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024)));
    const stream = downloadDocument(id);
    stream.on('error', () => {});
    await new Promise((resolve) => stream.once('data', resolve));
    stream.pause();
    stream.cancel();

    const cancelledCalls = async () =>
      (await app.logText())
        .split('\n')
        .filter((line) => line.includes('DownloadDocument"') && line.includes('"canceled"')).length;
    await expect.poll(cancelledCalls).toBe(1);
  });
});
