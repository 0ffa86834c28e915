// Uploads a document or a version over HTTP, as a form.
import { fromJson, getOption } from '@bufbuild/protobuf';
import { http } from '../../../gen/google/api/annotations_pb.js';
import {
  type Document,
  DocumentSchema,
  DocumentService,
} from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Attempts, withAttempts } from './attempts.ts';
import { type Prover, presentToken } from './dpop.ts';
import { type HttpAnswer, LatchkeyError, latchkeyErrorOfAnswer } from './errors.ts';
import { idempotencyHeader } from './interceptor.ts';
import { multipartBody } from './multipart.ts';
import { makeReadable } from './readable-json.ts';
import { forOneAttempt } from './token-source.ts';
import {
  type OpenSource,
  openSource,
  type UploadOptions,
  type UploadSource,
} from './upload-source.ts';
import { postByXhr, xhrConstructor } from './xhr.ts';

/** Uploads a document or a version, and returns the document. Throws a LatchkeyError. */
export type Upload = (source: UploadSource, options?: UploadOptions) => Promise<Document>;

type Form = {
  readonly url: string;
  readonly headers: Headers;
  readonly fields: ReadonlyMap<string, string>;
  readonly source: OpenSource;
  readonly options: UploadOptions;
};

export type Fetch = typeof globalThis.fetch;

type UploadParts = Pick<Attempts, 'server' | 'tokens' | 'retry'> & {
  readonly prover: Prover | undefined;
  readonly fetch: Fetch;
};

export function createUpload(
  baseUrl: string,
  { server, tokens, retry, prover, fetch }: UploadParts,
): Upload {
  return (given, options = {}) => {
    const { name, documentId, workspaceId, signal } = options;
    const path = pathOf(documentId);
    const source = openSource(given, options);
    const key = options.idempotencyKey ?? crypto.randomUUID();
    const fields = new Map<string, string>();
    // Forms cannot contain a quotation mark in the name of a file.
    const isUnsendable = documentId === undefined && source.fileName.includes('"');
    const sentName = name ?? (isUnsendable ? source.fileName : undefined);
    if (sentName !== undefined) fields.set('name', sentName);
    if (workspaceId !== undefined) fields.set('workspace_id', workspaceId);
    return withAttempts(
      {
        server,
        tokens: source.isRereadable ? tokens : tokens && forOneAttempt(tokens),
        retry,
        repeatable: source.isRereadable,
        signal,
      },
      async (token) => {
        const url = `${baseUrl}${path}`;
        const credential =
          token === undefined ? {} : await presentToken(prover, { method: 'POST', url, token });
        const headers = new Headers({ [idempotencyHeader]: key, ...credential });
        const form = { url, headers, fields, source, options };
        const Constructor = xhrConstructor();
        const answer =
          Constructor === undefined
            ? await sendStream(form, fetch)
            : await postByXhr(Constructor, await xhrRequestOf(form));
        if (answer.status >= 300) throw latchkeyErrorOfAnswer(answer);
        return documentOf(answer);
      },
    );
  };
}

function pathOf(documentId: string | undefined): string {
  const { uploadDocument, uploadVersion } = DocumentService.method;
  const method = documentId === undefined ? uploadDocument : uploadVersion;
  const path = String(getOption(method, http).pattern.value);
  return path.replace('{document_id}', encodeURIComponent(documentId ?? ''));
}

async function sendStream(
  { url, headers, fields, source, options }: Form,
  fetch: Fetch,
): Promise<HttpAnswer> {
  const { contentType, stream } = multipartBody(fields, source, options.onProgress);
  headers.set('content-type', contentType);
  const request = {
    method: 'POST',
    headers,
    body: stream,
    duplex: 'half',
    redirect: 'error',
    signal: options.signal ?? null,
  } as const;
  const response = await fetch(url, request);
  const header = (name: string) => response.headers.get(name);
  return { status: response.status, header, text: await response.text() };
}

async function xhrRequestOf({ url, headers, fields, source, options }: Form) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const blob = await blobOf(source);
  form.append('file', blob, source.fileName);
  const totalBytes = blob.size;
  const { onProgress, signal } = options;
  return {
    url,
    headers,
    form,
    onSent: (sentBytes: number) =>
      onProgress?.({ sentBytes: Math.min(sentBytes, totalBytes), totalBytes }),
    signal,
  };
}

/** A Blob stays on the disk. Other sources are gathered in memory. */
async function blobOf({ open, contentType }: OpenSource): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of open() as AsyncIterable<Uint8Array<ArrayBuffer>>) chunks.push(chunk);
  return new Blob(chunks, { type: contentType });
}

function documentOf({ text, header }: HttpAnswer): Document {
  try {
    const document = fromJson(DocumentSchema, JSON.parse(text), { ignoreUnknownFields: true });
    return makeReadable(DocumentSchema, document);
  } catch (cause) {
    const requestId = header('x-request-id') ?? undefined;
    const message = 'The answer to the upload is not a document.';
    throw new LatchkeyError('unexpected_answer', message, { requestId, cause });
  }
}
