// Sends responses: whole, or in chunks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { firstChunkBytes, flowingMs } from '../../api/response-budget.ts';
import type { Unread } from './unread.ts';

type Head = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
};

type ResponseTarget = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
};

export type ChunkOptions = {
  readonly releaseChunk: (chunk: Uint8Array) => void;
  readonly unread: Unread;
};

/** The statuses of responses without a body (RFC 9110 §8.6). */
const bodiless: ReadonlySet<number> = new Set([204, 304]);

export function sendWhole(
  { request, response, requestId }: ResponseTarget,
  { status, headers }: Head,
  body?: string | Buffer,
): void {
  const isEmpty = body === undefined && (request.method === 'HEAD' || bodiless.has(status));
  response.writeHead(status, {
    'x-request-id': requestId,
    ...(isEmpty ? {} : { 'content-length': Buffer.byteLength(body ?? '') }),
    ...headers,
  });
  response.end(body);
}

/**
 * Sends a body whose length is in the headers. Reads the next chunk while one is being written, if
 * the client reads fast. If the body fails, closes the connection before the body reaches its
 * length.
 */
export async function sendChunks(
  { response, requestId }: Pick<ResponseTarget, 'response' | 'requestId'>,
  { status, headers }: Head,
  body: AsyncGenerator<Uint8Array>,
  { releaseChunk, unread }: ChunkOptions,
): Promise<void> {
  response.writeHead(status, { 'x-request-id': requestId, ...headers });
  const writer = new ChunkWriter(response, releaseChunk, unread);
  try {
    for await (const chunk of body) {
      await writer.idle;
      if (response.destroyed) break;
      writer.write(chunk);
      // A client that does not read gets no further chunk, not even in memory.
      const readsAhead = writer.isFlowing && unread.accountOf(response).hasRoom();
      if (readsAhead) unread.count(response, chunk.length);
      else await writer.idle;
    }
    await writer.idle;
    response.end();
  } catch {
    // The guard and the documents have reported the error.
    response.destroy();
  }
}

/** Sends bytes that responses share. Throws `unavailable` if too many responses are unread. */
export async function sendBytes(
  sent: ResponseTarget,
  head: Head,
  bytes: Uint8Array,
  options: ChunkOptions,
): Promise<void> {
  options.unread.accountOf(sent.response).reserve();
  await sendChunks(sent, head, piecesOf(bytes), options);
}

/** TLS copies each piece that it encrypts. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += firstChunkBytes) {
    yield bytes.subarray(at, at + firstChunkBytes);
  }
}

class ChunkWriter {
  /** Resolves when the last chunk is written or the response is closed. */
  idle = Promise.resolve();
  isFlowing = false;
  readonly #response: ServerResponse;
  readonly #release: (chunk: Uint8Array) => void;
  readonly #unread: Unread;
  #settle = () => {};

  constructor(response: ServerResponse, release: (chunk: Uint8Array) => void, unread: Unread) {
    this.#response = response;
    this.#release = release;
    this.#unread = unread;
    response.once('close', () => this.#settle());
    // A write to a closed connection is an error, which `close` reports too.
    response.on('error', () => {});
  }

  write(chunk: Uint8Array): void {
    const startedAt = performance.now();
    this.idle = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#response.write(chunk, (error) => {
      if (!error) this.#release(chunk);
      this.isFlowing = performance.now() - startedAt < flowingMs;
      this.#unread.count(this.#response);
      this.#settle();
    });
  }
}
