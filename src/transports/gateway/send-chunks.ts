// Sends a body in chunks.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

type Head = { readonly status: number; readonly headers: Record<string, string | string[]> };

/**
 * Sends a body whose length is in the headers. Reads the next chunk while one is being written, and
 * calls `release` when a chunk is written. If the body fails, closes the connection before the body
 * reaches its length.
 */
export async function sendChunks(
  reply: FastifyReply,
  { status, headers }: Head,
  body: AsyncGenerator<Uint8Array>,
  release: (chunk: Uint8Array) => void,
): Promise<FastifyReply> {
  // Fastify does not report when a chunk is written.
  reply.status(status).headers(headers).hijack();
  const { raw: response } = reply;
  // Fastify's type permits a number for some headers, which Node accepts too.
  response.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  const writer = new ChunkWriter(response, release);
  try {
    for await (const chunk of body) {
      await writer.idle;
      if (response.destroyed) break;
      writer.write(chunk);
    }
    await writer.idle;
    response.end();
  } catch {
    // The guard and the documents have reported the error.
    response.destroy();
  }
  return reply;
}

class ChunkWriter {
  /** Resolves when the last chunk is written or the response is closed. */
  idle = Promise.resolve();
  readonly #response: ServerResponse;
  readonly #release: (chunk: Uint8Array) => void;
  #settle = () => {};

  constructor(response: ServerResponse, release: (chunk: Uint8Array) => void) {
    this.#response = response;
    this.#release = release;
    response.once('close', () => this.#settle());
    // A write to a closed connection is an error, which `close` reports too.
    response.on('error', () => {});
  }

  write(chunk: Uint8Array): void {
    this.idle = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#response.write(chunk, (error) => {
      if (!error) this.#release(chunk);
      this.#settle();
    });
  }
}
