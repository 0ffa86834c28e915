// Writes the responses of the Connect transport. Converts errors of the catalogue to the form of
// the protocols, and handles connections whose request was not read completely.
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
import { errorDetails } from '../../base/errors/details.ts';
import { type Failure, failureOf } from '../../base/errors/errors.ts';
import { hasBody, respondEarly } from '../http/request-body.ts';
import type { Unread } from '../http/unread.ts';

export function connectErrorThrower({ requestId }: Call): (error: unknown) => never {
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

/** The response to a request without a known protocol: a Connect error, or only its head. */
export function errorResponse(
  failure: Failure,
  requestId: string,
  hasBody: boolean,
): UniversalServerResponse {
  const bytes = hasBody
    ? errorToJsonBytes(connectErrorOf(failure, requestId), undefined)
    : new Uint8Array();
  const { headers, retryAfterSeconds } = failure.extra;
  const header = new Headers({
    ...headers,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'cache-control': 'no-store',
    'x-request-id': requestId,
  });
  return { status: failure.status, header, body: createAsyncIterable([bytes]) };
}

const earlyBytesMax = 16 * 1024 * 1024;

export async function sendResponse(
  result: UniversalServerResponse,
  request: IncomingMessage,
  response: ServerResponse,
  unread: Unread,
): Promise<void> {
  if (!hasBody(request) || request.readableEnded) return write(result, response, unread);
  // A response before the end of the request is an error, so it is small.
  const { status, header = new Headers(), body = createAsyncIterable([]) } = result;
  const bytes = await readAllBytes(body, earlyBytesMax);
  response.setHeaders(header);
  const isSmall = Number(request.headers['content-length'] ?? Infinity) <= unaryBodyBytesMax;
  // HTTP/2 has no such header, and closes only the stream.
  const isKept = isSmall || request.httpVersionMajor > 1;
  const headers = isKept ? {} : { connection: 'close' };
  respondEarly(request, response, { status, headers, body: bytes });
}

/** Replaces the library's function, which never ends if the client disconnects in the meantime. */
async function write(
  { status, header = new Headers(), body = createAsyncIterable([]) }: UniversalServerResponse,
  response: ServerResponse,
  unread: Unread,
): Promise<void> {
  const begin = () => response.headersSent || response.setHeaders(header).writeHead(status);
  response.on('error', () => {});
  for await (const chunk of body) {
    if (response.destroyed) return;
    // Headers are sent with the first chunk, because a handler may set headers until then.
    begin();
    if (response.write(chunk)) continue;
    await drained(response);
    unread.count(response);
  }
  if (!response.headersSent) {
    // Over HTTP/2, the end is then part of the head, which needs no window.
    response.statusCode = status;
    response.setHeaders(header);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
