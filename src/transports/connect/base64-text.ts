// The content type application/grpc-web-text: gRPC-Web in base64, for clients that cannot read or
// send binary bodies.
import type { UniversalServerResponse } from '@connectrpc/connect/protocol';
import { fail } from '../../base/errors/errors.ts';

const wholePattern = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;

/**
 * Decodes the chunks of a body. A client may encode each message separately, so padding can occur
 * inside the body. Throws `invalid_argument` for a body that is not base64.
 */
export async function* decodeBase64(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + chunk.toString('latin1');
    const whole = text.slice(0, text.length - (text.length % 4));
    rest = text.slice(whole.length);
    if (!wholePattern.test(whole)) throw malformed();
    const parts = whole.match(/[^=]+=*/g) ?? [];
    yield Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
  }
  if (rest !== '') throw malformed();
}

const malformed = () => fail('invalid_argument', 'The body must be base64.');

/** Encodes each chunk of a response separately, so that a client can decode it at once. */
export function encodeBase64(response: UniversalServerResponse): UniversalServerResponse {
  const header = new Headers(response.header);
  const type = header.get('content-type') ?? '';
  header.set('content-type', type.replace('application/grpc-web', 'application/grpc-web-text'));
  header.delete('content-length');
  const { body } = response;
  return { ...response, header, ...(body === undefined ? {} : { body: encodeChunks(body) }) };
}

async function* encodeChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const { buffer, byteOffset, byteLength } of chunks) {
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    yield Buffer.from(text, 'latin1');
  }
}
