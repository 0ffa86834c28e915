// Only for Node: calls over gRPC, and uploads of files.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import type { UploadVersionRequestSchema } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type ClientOptions, clientOf, type LatchkeyClient, openServices } from './client.ts';
import { usesCertificate } from './credentials.ts';
import { createProver } from './dpop.ts';
import { LatchkeyError } from './errors.ts';
import { type TlsFiles, tlsOptionsOf } from './grpc-tls.ts';
import { idempotencyHeader } from './interceptor.ts';
import { messageBytesMax, urlOption } from './options.ts';
import type { Upload } from './upload.ts';
import { type OpenSource, openSource, piecesOf, type UploadOptions } from './upload-source.ts';

export type { TlsFiles } from './grpc-tls.ts';

/**
 * Returns the `assertion` of credentials: reads the file for each token, because the platform
 * replaces its content. Kubernetes mounts such a file.
 */
export function assertionFromFile(file: string): () => Promise<string> {
  return async () => (await readFile(file, 'utf8')).trim();
}

export type GrpcClientOptions = Omit<ClientOptions, 'baseUrl' | 'format' | 'fetch'> & {
  /** The gRPC listener, such as `http://127.0.0.1:50051`, or `https://…` with TLS. */
  readonly grpcUrl: string;
  /** For a private CA, and for mutual TLS. */
  readonly tls?: TlsFiles;
  /**
   * The public URL of the service, which proofs and assertions name. Required with `dpop` and
   * `credentials.privateKey`.
   */
  readonly publicUrl?: string;
};

/** The same client as `createClient`, over gRPC. It keeps one connection open. */
export type GrpcClient = LatchkeyClient & {
  /** Closes the connection. The next call opens another one. */
  close(): void;
};

/** Throws a TypeError if an option cannot work. No request is sent before the first call. */
export function createGrpcClient(options: GrpcClientOptions): GrpcClient {
  const { grpcUrl: baseUrl, credentials, retry = {}, timeoutSeconds = 60, tls = {} } = options;
  const { origin: server } = urlOption('grpcUrl', baseUrl);
  if (usesCertificate(credentials) && tls.certFile === undefined) {
    throw new TypeError('Credentials without a secret need tls.certFile.');
  }
  const needsPublicUrl = Boolean(options.dpop) || 'privateKey' in credentials;
  const publicUrl = needsPublicUrl ? publicUrlOf(options) : '';
  const prover = options.dpop && createProver(options.dpop, publicUrl);
  const secure = options.tls && tlsOptionsOf(baseUrl, tls);
  const sessionManager = new Http2SessionManager(baseUrl, undefined, secure);
  const opened = openServices({
    server,
    publicUrl,
    credentials,
    retry,
    prover,
    connect: (interceptor) =>
      createGrpcTransport({
        baseUrl,
        sessionManager,
        interceptors: [interceptor],
        defaultTimeoutMs: timeoutSeconds * 1000,
        readMaxBytes: messageBytesMax,
      }),
  });
  const upload: Upload = async (given, uploadOptions = {}) => {
    const messages = messagesOf(openSource(given, uploadOptions), uploadOptions);
    const { documentId, signal, idempotencyKey } = uploadOptions;
    const callOptions = {
      // The service ends an upload that stalls. Its length has no limit in time.
      timeoutMs: 0,
      ...(signal === undefined ? {} : { signal }),
      ...(idempotencyKey === undefined ? {} : { headers: { [idempotencyHeader]: idempotencyKey } }),
    };
    const { documents } = opened.services;
    const { document } =
      documentId === undefined
        ? await documents.uploadDocument(messages, callOptions)
        : await documents.uploadVersion(messages, callOptions);
    if (document !== undefined) return document;
    throw new LatchkeyError('unexpected_answer', 'The answer to the upload has no document.');
  };
  const client = clientOf({ ...opened, upload, prover });
  return { ...client, close: () => sessionManager.abort() };
}

function publicUrlOf({ publicUrl = '' }: GrpcClientOptions): string {
  return urlOption('publicUrl', publicUrl).href.replace(/\/+$/, '');
}

async function* messagesOf(
  source: OpenSource,
  { name = '', documentId, workspaceId = '', onProgress }: UploadOptions,
): AsyncGenerator<Omit<MessageInitShape<typeof UploadVersionRequestSchema>, '$typeName'>> {
  const { fileName, contentType, sizeBytes = 0 } = source;
  const ids = documentId === undefined ? { workspaceId } : { documentId, workspaceId };
  yield { ...ids, name, fileName, contentType, sizeBytes: BigInt(sizeBytes) };
  for await (const file of piecesOf(source, onProgress)) yield { file };
}

/** A file as the source of an upload. It is read while it is sent. */
export async function openFile(path: string) {
  const { size } = await stat(path);
  return { name: basename(path), size, stream: () => createReadStream(path) };
}
