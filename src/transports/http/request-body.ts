// The body of a request: checks its content type, reads it within the limits that all transports
// share, and responds before its end.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type BodyBudget, unaryBodyBytesMax } from '../../api/body-budget.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import { canceledCall } from './late-calls.ts';

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakSet<IncomingMessage>();

export function rememberExpectation(request: IncomingMessage): void {
  waiting.add(request);
}

/** Sends `100 Continue` if the client waits for it. Call it before reading the body. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue();
}

/** RFC 9112 §6.3. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export function isBodyArriving(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !request.destroyed;
}

export type ArrivingBody = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts reading. Its reason is the error that reading then throws. */
  readonly signal?: AbortSignal;
  /** The error of a body that ends early. */
  readonly cutShort?: () => Failure;
};

/** Yields the body as it arrives. Keeps the connection open if reading stops early. */
export async function* readChunks({
  request,
  response,
  signal,
  cutShort = canceledCall,
}: ArrivingBody): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  sendContinue(request, response);
  for (;;) {
    signal?.throwIfAborted();
    const chunk: Buffer | null = request.read();
    if (chunk !== null) yield chunk;
    else if (request.readableEnded) return;
    else if (request.destroyed) throw cutShort();
    else await change(request, signal);
  }
}

function change(request: IncomingMessage, signal: AbortSignal | undefined): Promise<void> {
  const events = ['readable', 'end', 'error', 'close'];
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) request.off(event, done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    for (const event of events) request.on(event, done);
    signal?.addEventListener('abort', done);
  });
}

const tooLarge = () => fail('payload_too_large', 'The body is too large.');
const cutShort = () => fail('canceled', 'The body ended early.');

/**
 * Throws `payload_too_large`, `unavailable` if the process holds too many bodies,
 * `invalid_argument` for text that is not UTF-8, and `canceled` if the body does not arrive.
 */
export function readTextBody(
  request: IncomingMessage,
  response: ServerResponse,
  bodies: BodyBudget,
): string | Promise<string> {
  requireNoCoding(request);
  const length = Number(request.headers['content-length']);
  if (length > unaryBodyBytesMax) throw tooLarge();
  sendContinue(request, response);
  const arrived = arrivedBytes(request, length);
  return arrived === null ? receiveText(request, response, length, bodies) : textOf(arrived);
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw fail('invalid_argument', 'The body must be UTF-8.');
  return bytes.toString();
}

/** The body, if it has arrived in full. Most bodies arrive together with their headers. */
function arrivedBytes(request: IncomingMessage, length: number): Buffer | null {
  if (request.readableLength !== length) return null;
  const bytes: Buffer | null = request.read();
  // Lets Node note the end of the body later.
  request.resume();
  return bytes;
}

async function receiveText(
  request: IncomingMessage,
  response: ServerResponse,
  length: number,
  bodies: BodyBudget,
): Promise<string> {
  const account = bodies.open();
  const chunks: Buffer[] = [];
  let received = 0;
  try {
    for await (const chunk of readChunks({ request, response, cutShort })) {
      chunks.push(chunk);
      received += chunk.length;
      if (received > unaryBodyBytesMax) throw tooLarge();
      // A body that arrives in one piece does not count.
      if (received !== length) account.add(chunk.length);
    }
  } finally {
    account.release();
  }
  return textOf(Buffer.concat(chunks));
}

type Request = Pick<IncomingMessage, 'headers'>;

export const jsonType = 'application/json';
export const formType = 'application/x-www-form-urlencoded';
export const multipartType = 'multipart/form-data';

export function hasContentType({ headers }: Request, type: string): boolean {
  const header = headers['content-type'];
  return header === type || header?.split(';', 1)[0]?.trim().toLowerCase() === type;
}

export function requireContentType(request: Request, type: string): void {
  if (!hasContentType(request, type)) {
    throw fail('unsupported_media_type', `The content type must be ${type}.`);
  }
}

/**
 * Throws `unsupported_media_type` for a body with a coding. The answer has
 * `Accept-Encoding: identity` (RFC 9110 §15.5.16).
 */
export function requireNoCoding({ headers }: Request): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() === 'identity') return;
  throw fail('unsupported_media_type', 'The body must not have a Content-Encoding.', {
    headers: { 'accept-encoding': 'identity' },
  });
}

/** Forms (RFC 6749 Appendix B) and JSON (RFC 8259 §8.1) are UTF-8, also without a charset. */
export function requireUtf8({ headers }: Request): void {
  const type = headers['content-type'] ?? '';
  if (!type.includes(';')) return;
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type) ?? [];
  if (charset.toLowerCase() !== 'utf-8')
    throw fail('unsupported_media_type', 'The charset of the body must be UTF-8.');
}

/** How long the rest of a refused body is discarded, so that the client reads the response. */
const discardMs = 5_000;
const discardBytesMax = 8 * 1024 * 1024;

type EarlyResponse = {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Uint8Array;
};

/**
 * Sends a response while the request's body is still arriving, and discards the rest of the body
 * up to a limit (RFC 9112 §9.6). Closing a connection with unread bytes resets it, and the reset
 * can overtake the response. Beyond the limit, the connection or the HTTP/2 stream is closed.
 */
export function respondEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: EarlyResponse,
): void {
  // `100 Continue` is then never sent.
  const isAnnounced = waiting.delete(request);
  const tooLong = Number(request.headers['content-length'] ?? 0) > discardBytesMax;
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(tooLong || isAnnounced ? { connection: 'close' } : {}),
  });
  response.write(body);
  // A client that waits for `100 Continue` and does not receive it sends no body.
  if (isAnnounced) response.end();
  else discardBody(request, response);
}

function discardBody(request: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  const cutOff = () => closeAfter(response);
  const timer = setTimeout(cutOff, discardMs);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
  request.unpipe();
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discardBytesMax) cutOff();
  });
  request.once('end', () => response.end());
  request.resume();
}

/** HTTP/2 closes only the stream, after the client has received the response (RFC 9113 §8.1). */
function closeAfter(response: ServerResponse & { readonly stream?: ServerHttp2Stream }): void {
  const { stream, req } = response;
  if (stream === undefined) {
    req.socket.destroy();
    return;
  }
  response.end();
  stream.close(constants.NGHTTP2_NO_ERROR);
}
