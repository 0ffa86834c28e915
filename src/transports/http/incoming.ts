// A request body that is still arriving: asking for it, answering before its end, discarding it.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakSet<IncomingMessage>();

/** Notes a request with `Expect: 100-continue` (RFC 9110 §10.1.1). */
export function noteExpectation(request: IncomingMessage): void {
  waiting.add(request);
}

/** Sends `100 Continue` if the client waits for it. Call it before reading the body. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue();
}

/** Whether the client still waits for `100 Continue`. It gets none once this was asked. */
export function leaveUninvited(request: IncomingMessage): boolean {
  return waiting.delete(request);
}

/** RFC 9112 §6.3. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the body has not arrived in full. */
export function isArriving(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !request.destroyed;
}

/** How long the rest of a refused body is discarded, so that its sender reads the response. */
const discardMs = 5_000;
/** How much of a refused body is discarded. */
const discardBytesMax = 8 * 1024 * 1024;

/**
 * Sends an answer while the request's body is still arriving, and discards the rest of the body
 * within bounds (RFC 9112 §9.6). A connection that is closed with unread bytes is reset, and the
 * reset can overtake the answer. Beyond the bounds the connection ends.
 */
export function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: OutgoingHttpHeaders; body: string },
): void {
  const isAnnounced = leaveUninvited(request);
  const tooLong = Number(request.headers['content-length'] ?? 0) > discardBytesMax;
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(tooLong || isAnnounced ? { connection: 'close' } : {}),
  });
  response.write(body);
  // A client without `100 Continue` sends no body to discard.
  if (isAnnounced) response.end();
  else discardBody(request, response);
}

/** Ends the response after the body, and the connection if the body is too long. */
function discardBody(request: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), discardMs);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
  request.unpipe();
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discardBytesMax) socket.destroy();
  });
  request.once('end', () => response.end());
  request.resume();
}
