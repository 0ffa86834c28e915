// Connect and gRPC-Web, with their client libraries and with raw requests.
import { once } from 'node:events';
import { connect } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, test } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import {
  DocumentService,
  DownloadDocumentRequestSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { frame, post } from '../support/connect-frames.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { connectError } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp({ config: { uploadBytesMax: 8 * 1024 * 1024 } }));

const protocols: Record<string, (baseUrl: string) => Transport> = {
  'Connect with JSON': (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
  'Connect with binary messages': (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  'Connect with GET': (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: '1.1', useHttpGet: true }),
  'gRPC-Web with binary messages': (baseUrl) =>
    createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'gRPC-Web with JSON': (baseUrl) =>
    createGrpcWebTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
};

const headers = () => ({ authorization: `Bearer ${app.env.API_KEY}` });

async function* pieces(count: number, bytes: number) {
  for (let i = 0; i < count; i++) yield { file: Buffer.alloc(bytes, `piece ${i} `) };
}

async function failureOf(work: Promise<unknown>): Promise<ConnectError> {
  return work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => ConnectError.from(error),
  );
}

describe('each protocol of Connect', () => {
  itHoldsFor(Object.entries(protocols), 5)(
    'carries a call and its answer',
    async (_name, transportTo) => {
      const client = createClient(IssuanceService, transportTo(app.app.publicUrl));
      const answer = await client.issueToken({
        clientId: app.env.CLIENT_ID,
        clientSecret: app.env.CLIENT_SECRET,
        scope: 'accounts:read',
      });
      expect(answer).toMatchObject({ tokenType: 'Bearer', expiresIn: 300, scope: 'accounts:read' });
      const keys = await createClient(VerificationService, transportTo(app.app.publicUrl)).getJwks(
        {},
      );
      expect(keys.keys).toMatchObject([{ kty: 'OKP', alg: 'EdDSA' }]);
    },
  );

  itHoldsFor(Object.entries(protocols), 5)(
    'echoes the request id, and replaces an invalid one',
    async (_name, transportTo) => {
      const client = createClient(VerificationService, transportTo(app.app.publicUrl));
      const requestIds: (string | null)[] = [];
      for (const id of ['Id-1', 'not sane']) {
        await client.getJwks(
          {},
          {
            headers: { 'x-request-id': id },
            onHeader: (h) => requestIds.push(h.get('x-request-id')),
          },
        );
      }
      expect(requestIds).toEqual(['Id-1', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    },
  );

  itHoldsFor(Object.entries(protocols), 5)(
    'carries an error with its details',
    async (_name, transportTo) => {
      const client = createClient(LinkService, transportTo(app.app.publicUrl));
      const stranger = await failureOf(
        client.createLink({ documentId: 'x' }, { headers: { 'x-request-id': 'who' } }),
      );
      expect(connectError(stranger)).toMatchObject({
        code: 'unauthenticated',
        grpc: Code.Unauthenticated,
        requestId: 'who',
      });
      expect(stranger.metadata.get('www-authenticate')).toBe('Bearer realm="latchkey"');
      const wrong = await failureOf(client.createLink({}, { headers: headers() }));
      expect(connectError(wrong)).toMatchObject({
        code: 'invalid_argument',
        grpc: Code.InvalidArgument,
        fields: ['document_id'],
      });
    },
  );

  itHoldsFor(Object.entries(protocols), 5)(
    'downloads a document, and returns not_found for an unknown one',
    async (_name, transportTo) => {
      const id = await uploaded(20, 60_000);
      const client = createClient(DocumentService, transportTo(app.app.publicUrl));
      let bytes = 0;
      for await (const { part } of client.downloadDocument(
        { documentId: id },
        { headers: headers() },
      )) {
        if (part.case === 'chunk') bytes += part.value.length;
      }
      expect(bytes).toBe(1_200_000);
      const none = client.downloadDocument({ documentId: 'doc_no' }, { headers: headers() });
      const error = await failureOf(none[Symbol.asyncIterator]().next());
      expect(connectError(error)).toMatchObject({ code: 'not_found', grpc: Code.NotFound });
    },
  );
});

async function uploaded(count: number, bytes: number): Promise<string> {
  const transport = createConnectTransport({ baseUrl: app.app.publicUrl, httpVersion: '1.1' });
  const client = createClient(DocumentService, transport);
  const { document } = await client.uploadDocument(pieces(count, bytes), { headers: headers() });
  return document?.id ?? '';
}

test('a download ends when its client disconnects', async () => {
  const message = toBinary(
    DownloadDocumentRequestSchema,
    create(DownloadDocumentRequestSchema, { documentId: await uploaded(8, 1_000_000) }),
  );
  const request = post(
    '/latchkey.sharing.v1.DocumentService/DownloadDocument',
    'application/connect+proto',
    { Authorization: headers().authorization, 'X-Request-Id': 'half-read' },
  );
  const socket = connect(Number(new URL(app.app.publicUrl).port), '127.0.0.1');
  socket.write(request.with(frame(message)));
  await once(socket, 'readable');
  socket.resetAndDestroy();
  const lines = async () => (await app.logText()).split('\n');
  await expect
    .poll(async () => (await lines()).find((line) => line.includes('"half-read"')))
    .toContain('"code":"canceled"');
});

describe('an upload', () => {
  itHoldsFor([true, false])('is a stream in each format', async (useBinaryFormat) => {
    const client = createClient(
      DocumentService,
      createConnectTransport({ baseUrl: app.app.publicUrl, httpVersion: '1.1', useBinaryFormat }),
    );
    const { document } = await client.uploadDocument(pieces(30, 50_000), { headers: headers() });
    expect(document).toMatchObject({ sizeBytes: 1_500_000, name: 'document' });
  });

  test('over the limit is refused', async () => {
    const error = await failureOf(uploaded(10, 1024 * 1024));
    expect(connectError(error)).toMatchObject({
      code: 'payload_too_large',
      grpc: Code.ResourceExhausted,
    });
  });

  test('without a credential is refused', async () => {
    const transport = createConnectTransport({ baseUrl: app.app.publicUrl, httpVersion: '1.1' });
    const client = createClient(DocumentService, transport);
    const error = await failureOf(client.uploadDocument(pieces(3, 1000)));
    expect(connectError(error)).toMatchObject({ code: 'unauthenticated' });
  });

  test('with a piece over the message limit is refused', async () => {
    const error = await failureOf(uploaded(1, 3 * 1024 * 1024));
    expect(error.code).toBe(Code.ResourceExhausted);
  });

  test('whose client disconnects leaves nothing behind', async () => {
    const abort = new AbortController();
    const transport = createConnectTransport({ baseUrl: app.app.publicUrl, httpVersion: '1.1' });
    async function* dropped() {
      yield { file: Buffer.alloc(1000), name: 'dropped' };
      abort.abort();
      yield { file: Buffer.alloc(1000) };
    }
    await failureOf(
      createClient(DocumentService, transport).uploadDocument(dropped(), {
        headers: headers(),
        signal: abort.signal,
      }),
    );
    const { documents } = await createClient(DocumentService, transport).listDocuments(
      {},
      { headers: headers() },
    );
    expect(documents.map(({ name }) => name)).not.toContain('dropped');
  });
});

describe('a raw request', () => {
  const path = (method: string) => `${app.app.publicUrl}/latchkey.identity.v1.${method}`;

  async function send(method: string, body: string, more: Record<string, string> = {}) {
    const response = await fetch(path(method), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...more },
      body,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  test('by GET is accepted only for methods without side effects', async () => {
    const query = 'connect=v1&encoding=json&message=%7B%7D';
    const keys = await fetch(`${path('VerificationService/GetJwks')}?${query}`);
    expect(keys.status).toBe(200);
    expect(await keys.json()).toMatchObject({ keys: [{ alg: 'EdDSA' }] });
    const token = await fetch(`${path('IssuanceService/IssueToken')}?${query}`);
    expect(token.status).toBe(405);
  });

  test('with an unknown field is refused', async () => {
    const secret = 'lk_cs_hidden';
    const { status, text } = await send(
      'IssuanceService/IssueToken',
      JSON.stringify({ clientId: 'x', clientSecret: secret, scoep: 'a:read' }),
    );
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid_argument' });
    expect(text).toContain('scoep');
    expect(text).not.toContain(secret);
  });

  itHoldsFor(['', '[]', '{', 'null', '"x"', '{"client_id": 1}'], 6)(
    'with an invalid message is refused',
    async (body) => {
      const { status, text } = await send('IssuanceService/IssueToken', body);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ code: 'invalid_argument' });
    },
  );

  test('gets an error that does not repeat an unreadable value', async () => {
    const { status, text } = await send(
      'IssuanceService/IssueToken',
      '{"clientSecret": ["lk_cs_hidden"]}',
    );
    expect(status).toBe(400);
    expect(text).not.toContain('lk_cs_hidden');
  });

  test('with another content type is refused', async () => {
    const { status } = await send('IssuanceService/IssueToken', '{}', {
      'content-type': 'text/plain',
    });
    expect(status).toBe(415);
  });

  test('gets an answer that has every field and must not be cached', async () => {
    const { status, text, headers } = await send('VerificationService/GetJwks', '{}');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(JSON.parse(text).keys[0]).toMatchObject({ use: 'sig' });
  });

  test('of native gRPC is refused', async () => {
    const { status } = await send('VerificationService/GetJwks', '', {
      'content-type': 'application/grpc',
    });
    expect(status).toBe(415);
  });

  test('with an invalid deadline is refused', async () => {
    const { text } = await send('VerificationService/GetJwks', '{}', {
      'connect-timeout-ms': 'soon',
    });
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid_argument' });
  });
});
