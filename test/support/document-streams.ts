// Uploads and downloads on the three transports: the same messages in, the same answer out.
import {
  create,
  fromBinary,
  fromJson,
  type JsonObject,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import {
  Client,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { DownloadHeader } from '../../gen/latchkey/http/v1/download_pb.js';
import {
  type Document,
  DocumentSchema,
  DocumentService,
  type DownloadDocumentRequestSchema,
  type DownloadDocumentResponse,
  type UploadDocumentRequestSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import { type MultipartPart, multipartBody } from './raw-http.ts';
import {
  type Addresses,
  type Credential,
  connectError,
  grpcError,
  headersOf,
  problemError,
  type TransportAnswer,
} from './transports.ts';

/** One message of an upload. */
export type Piece = MessageInitShape<typeof UploadDocumentRequestSchema>;

export type DownloadRequest = MessageInitShape<typeof DownloadDocumentRequestSchema>;

export type Downloaded = { readonly header: DownloadHeader; readonly bytes: Buffer };

export type StreamTransport = {
  readonly name: 'http' | 'grpc' | 'connect';
  upload(pieces: Piece[], credential: Credential): Promise<TransportAnswer<Document>>;
  close(): void;
};

/** A transport that also streams downloads as messages; an HTTP download is a plain file. */
export type RpcStreamTransport = StreamTransport & {
  download(request: DownloadRequest, credential: Credential): Promise<TransportAnswer<Downloaded>>;
};

/** Closes the transports when the test has finished. */
export function untilFinished<T extends { close(): void }>(transports: T[]): T[] {
  onTestFinished(() => {
    for (const transport of transports) transport.close();
  });
  return transports;
}

export function openStreamTransports(app: Addresses): StreamTransport[] {
  return [httpTransport(app), ...openRpcStreamTransports(app)];
}

export function openRpcStreamTransports(
  app: Addresses,
  options: ClientOptions = {},
): RpcStreamTransport[] {
  return [grpcTransport(app, options), connectTransport(app)];
}

const boundary = 'frontier';

/**
 * An upload as a form: the bytes of all pieces become one part, at the place of the first piece.
 */
function formOf(pieces: Piece[]): Buffer {
  const parts: MultipartPart[] = [];
  const file = Buffer.concat(pieces.map((piece) => piece.file ?? Buffer.alloc(0)));
  const filename = pieces.find((piece) => piece.fileName !== undefined)?.fileName;
  const firstFile = pieces.findIndex((piece) => piece.file !== undefined);
  for (const [i, { name, workspaceId, sizeBytes }] of pieces.entries()) {
    if (sizeBytes !== undefined) parts.push({ name: 'size_bytes', body: `${sizeBytes}` });
    if (name !== undefined) parts.push({ name: 'name', body: name });
    if (workspaceId !== undefined) parts.push({ name: 'workspace_id', body: workspaceId });
    if (i !== firstFile) continue;
    parts.push({ name: 'file', body: file, ...(filename === undefined ? {} : { filename }) });
  }
  return multipartBody(parts, boundary);
}

/** Posts a form whose part `file` is `bytes`. */
export function postForm(app: Addresses, form: Buffer, credential: Credential): Promise<Response> {
  return fetch(`${app.publicUrl}/api/v1/documents`, {
    method: 'POST',
    headers: {
      ...headersOf(credential),
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: new Uint8Array(form),
  });
}

function httpTransport(app: Addresses): StreamTransport {
  return {
    name: 'http',
    async upload(pieces, credential) {
      const response = await postForm(app, formOf(pieces), credential);
      credential.onHeaders?.(response.headers);
      const json = (await response.json()) as JsonObject;
      if (!response.ok) return { ok: false, error: problemError(json) };
      return { ok: true, message: fromJson(DocumentSchema, json) };
    },
    close() {},
  };
}

function metadataOf(credential: Credential): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headersOf(credential))) metadata.set(name, value);
  return metadata;
}

/** Clients with separate connections, because a connection carries at most 100 calls at a time. */
export function grpcClients(address: string, count: number): Client[] {
  const options = { 'grpc.use_local_subchannel_pool': 1 };
  return Array.from(
    { length: count },
    () => new Client(address, credentials.createInsecure(), options),
  );
}

/** An upload over gRPC that the caller writes, ends or cancels itself. */
export function startGrpcUpload(client: Client, credential: Credential) {
  const method = DocumentService.method.uploadDocument;
  let answered = (_: TransportAnswer<Document>) => {};
  const answer = new Promise<TransportAnswer<Document>>((resolve) => {
    answered = resolve;
  });
  const call = client.makeClientStreamRequest(
    `/${method.parent.typeName}/${method.name}`,
    (piece: Piece) => Buffer.from(toBinary(method.input, create(method.input, piece))),
    (bytes: Buffer) => fromBinary(method.output, bytes),
    metadataOf(credential),
    (error, response) => {
      if (error !== null) answered({ ok: false, error: grpcError(error) });
      else answered({ ok: true, message: required(response?.document) });
    },
  );
  return { call, answer };
}

function grpcTransport(app: Addresses, options: ClientOptions): RpcStreamTransport {
  const client = new Client(app.grpcAddress, credentials.createInsecure(), options);
  return {
    name: 'grpc',
    upload(pieces, credential) {
      const { call, answer } = startGrpcUpload(client, credential);
      for (const piece of pieces) call.write(piece);
      call.end();
      return answer;
    },
    async download(request, credential) {
      const method = DocumentService.method.downloadDocument;
      const stream = client.makeServerStreamRequest(
        `/${method.parent.typeName}/${method.name}`,
        (bytes: Uint8Array) => Buffer.from(bytes),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        toBinary(method.input, create(method.input, request)),
        metadataOf(credential),
      );
      try {
        return { ok: true, message: await collect(stream) };
      } catch (error) {
        // grpc-js fails calls only with a ServiceError.
        return { ok: false, error: grpcError(error as ServiceError) };
      }
    },
    close: () => client.close(),
  };
}

function connectTransport(app: Addresses): RpcStreamTransport {
  const transport = createConnectTransport({ baseUrl: app.publicUrl, httpVersion: '1.1' });
  const client = createClient(DocumentService, transport);
  const optionsOf = (credential: Credential) => ({ headers: headersOf(credential) });
  return {
    name: 'connect',
    async upload(pieces, credential) {
      async function* requests() {
        yield* pieces;
      }
      try {
        const { document } = await client.uploadDocument(requests(), optionsOf(credential));
        return { ok: true, message: required(document) };
      } catch (error) {
        return { ok: false, error: connectError(ConnectError.from(error)) };
      }
    },
    async download(request, credential) {
      try {
        const messages = client.downloadDocument(request, optionsOf(credential));
        return { ok: true, message: await collect(messages) };
      } catch (error) {
        return { ok: false, error: connectError(ConnectError.from(error)) };
      }
    },
    close() {},
  };
}

async function collect(messages: AsyncIterable<DownloadDocumentResponse>): Promise<Downloaded> {
  let header: DownloadHeader | undefined;
  const chunks: Uint8Array[] = [];
  for await (const { part } of messages) {
    if (part.case === 'header') header = part.value;
    if (part.case === 'chunk') chunks.push(part.value);
  }
  return { header: required(header), bytes: Buffer.concat(chunks) };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the answer lacks an expected field');
  return value;
}
