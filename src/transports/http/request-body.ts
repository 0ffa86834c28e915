// Handles a request body that is still arriving: requests it, responds before its end, discards it.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakSet<IncomingMessage>();

/** Remembers a request with `Expect: 100-continue` (RFC 9110 §10.1.1). */
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

/** Whether the body has not arrived in full. */
export function isBodyArriving(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !request.destroyed;
}

/** How long the rest of a refused body is discarded, so that the client reads the response. */
const discardMs = 5_000;
/** How much of a refused body is discarded. */
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

/** Ends the response after the body, and the connection if the body is too long. */
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
