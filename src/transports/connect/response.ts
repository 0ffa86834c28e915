// The answers of the Connect transport: errors of the catalogue in the form that the protocols
// have, and what becomes of a connection whose request was not read to its end.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConnectError } from '@connectrpc/connect';
import {
  createAsyncIterable,
  readAllBytes,
  type UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import { errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { unaryBodyBytesMax } from '../../api/body-budget.ts';
import type { Call } from '../../api/call.ts';
import { errorDetails } from '../../errors/details.ts';
import { type Failure, failureOf } from '../../errors/errors.ts';
import { leaveUninvited } from '../http/incoming.ts';

/** Throws an error of the guard in the form from which the library writes it. */
export function rethrow({ requestId }: Call): (error: unknown) => never {
  return (error) => {
    throw connectErrorOf(failureOf(error), requestId);
  };
}

function connectErrorOf(failure: Failure, requestId: string): ConnectError {
  const { challenge, headers, cause } = failure.extra;
  const challenges = challenge === undefined ? {} : { 'www-authenticate': challenge };
  const details = errorDetails(failure, requestId);
  return new ConnectError(
    failure.message,
    failure.grpc,
    { ...headers, ...challenges },
    details,
    cause,
  );
}

/** The answer to a request of which no protocol is known: an error as Connect has it. */
export function refusal(failure: Failure, requestId: string): UniversalServerResponse {
  const bytes = errorToJsonBytes(connectErrorOf(failure, requestId), undefined);
  const header = new Headers({
    ...failure.extra.headers,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'cache-control': 'no-store',
    'x-request-id': requestId,
  });
  return { status: failure.status, header, body: createAsyncIterable([bytes]) };
}

/** How long the rest of a refused body is still read, so that its sender sees the answer. */
const lingerMs = 2_000;
const answerBytesMax = 16 * 1024 * 1024;

export async function sendAnswer(
  answer: UniversalServerResponse,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!hasBody(request) || request.readableEnded) {
    return write(answer, response);
  }
  if (leaveUninvited(request)) {
    // The client may send the body or not: only the end of the connection is certain.
    response.setHeader('connection', 'close');
    return write(answer, response);
  }
  // Unread bytes would stand before the next request of the connection.
  request.resume();
  const isSmall = Number(request.headers['content-length'] ?? Infinity) <= unaryBodyBytesMax;
  if (!isSmall) response.setHeader('connection', 'close');
  // An answer before the end of its request is an error: small, and complete for its reader
  // before the connection is free again.
  const bytes = await readAllBytes(answer.body ?? createAsyncIterable([]), answerBytesMax);
  const header = new Headers(answer.header);
  header.set('content-length', String(bytes.length));
  const body = untilReceived(bytes, request, response);
  return write({ ...answer, header, body }, response);
}

/** Not the library's: it waits for ever where the caller goes away with an answer half read. */
async function write(
  { status, header = new Headers(), body = createAsyncIterable([]) }: UniversalServerResponse,
  response: ServerResponse,
): Promise<void> {
  const begin = () => response.headersSent || response.setHeaders(header).writeHead(status);
  response.on('error', () => {});
  for await (const chunk of body) {
    if (response.destroyed) return;
    // With the first chunk, as a handler may set headers until then.
    begin();
    if (!response.write(chunk)) await drained(response);
  }
  begin();
  response.end();
}

/** Waits until the caller has read what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** RFC 9112 §6.3 */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The body of an answer that ends only when the request has, or when its time is up. */
async function* untilReceived(
  bytes: Uint8Array,
  request: IncomingMessage,
  response: ServerResponse,
): AsyncGenerator<Uint8Array> {
  yield bytes;
  const isReceived = await received(request);
  if (!isReceived) response.once('finish', () => request.socket.destroySoon());
}

/** Discards the rest of a request. Returns whether that has arrived in time. */
function received(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      request.off('end', done).off('error', done).off('close', done);
      resolve(request.complete);
    };
    const timer = setTimeout(done, lingerMs);
    if (request.readableEnded || request.destroyed) done();
    else request.on('end', done).on('error', done).on('close', done);
  });
}
