// The members of grpc-js that the service uses without a public way. Each has a question for
// upstream.
// - The private member `http2Servers`: the limits of connections need the sessions of the server,
//   and the bound on unread bytes needs the stream of a call. Can a server report them, or take an
//   HTTP/2 server of the caller?
// - The replaced method `sendStatus`: no status of grpc-js for an unreadable body or header may
//   replace one of the service, which has details. Can an interceptor see these statuses?
// - The removed header `content-type`: can grpc-js refuse formats that the service does not read?
// - The rewritten header `grpc-timeout`: can grpc-js refuse a malformed one, and shorten a long
//   one?
// - The replaced listener of a stream: the budget of bodies counts bytes before grpc-js gathers
//   them. Can an interceptor count them?
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { parseTimeout } from '@connectrpc/connect/protocol-grpc';
import type { Server, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { timeoutMsMax } from '../http/late-calls.ts';
import { findCredentialProblem } from '../http/request-facts.ts';

export function http2ServerOf(server: Server): Http2Server {
  const { http2Servers } = server as unknown as { http2Servers?: Map<Http2Server, unknown> };
  const [found] = http2Servers?.keys() ?? [];
  if (found === undefined) throw new Error('grpc-js no longer has http2Servers');
  return found;
}

export type ArrivedCall = {
  readonly stream: ServerHttp2Stream;
  /** Whether its headers name a compression for its messages. */
  readonly isCompressed: boolean;
  /** Why its headers are refused. */
  readonly problem: string | undefined;
};

/**
 * Returns a function for interceptors, which returns their call. grpc-js creates the interceptors
 * of a call while its HTTP/2 server emits the stream.
 */
export function watchArrivals(server: Http2Server): () => ArrivedCall {
  let latest: ArrivedCall | undefined;
  const onStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    rawHeaders: string[],
  ) => {
    // Like grpc-js, which reads the first one of several.
    const [encoding = ''] = String(headers['grpc-encoding'] ?? 'identity').split(',');
    const problem = findCredentialProblem({ rawHeaders });
    latest = { stream, isCompressed: encoding.trim() !== 'identity', problem };
    const timeout = headers['grpc-timeout'];
    if (timeout !== undefined) headers['grpc-timeout'] = boundedTimeout(String(timeout));
    // grpc-js answers a missing type with 415.
    if (!messageType.test(headers['content-type'] ?? '')) delete headers['content-type'];
  };
  server.prependListener('stream', onStream);
  return () => {
    if (latest === undefined) throw new Error('an interceptor was called without a stream');
    const call = latest;
    latest = undefined;
    return call;
  };
}

/**
 * Messages in Protobuf (gRPC over HTTP/2, Content-Type). grpc-js accepts every type that starts
 * with `application/grpc`, and would read JSON or a frame of gRPC-Web as Protobuf.
 */
const messageType = /^application\/grpc(?:\+proto)?\s*(?:;|$)/i;

/**
 * grpc-js ignores the invalid part of a malformed timeout, and a long timeout overflows its 32-bit
 * integer.
 */
function boundedTimeout(header: string): string {
  const { timeoutMs } = parseTimeout(header, Number.MAX_SAFE_INTEGER);
  return timeoutMs === undefined ? 'malformed' : `${Math.min(Math.ceil(timeoutMs), timeoutMsMax)}m`;
}

export type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

export type CallFilter = {
  /** Returns whether grpc-js receives these bytes of the body. */
  admits(chunk: Buffer): boolean;
  /** Returns whether grpc-js sends this status. */
  allowsStatus(sent: SentStatus): boolean;
};

const filterKey = Symbol('filter');
const forwardKey = Symbol('forward');

type FilteredCall = {
  sendStatus(sent: SentStatus): void;
  [filterKey]?: CallFilter;
};

type FilteredStream = ServerHttp2Stream & {
  [filterKey]?: CallFilter;
  [forwardKey]?: (chunk: Buffer) => void;
};

/**
 * Filters the body of a call, and its statuses. All calls share two functions: with a closure for
 * each call, V8 kept the objects of ended calls until its next full collection.
 */
export function filterCall(call: object, stream: ServerHttp2Stream, filter: CallFilter): void {
  const filtered = call as FilteredCall;
  filtered[filterKey] = filter;
  filtered.sendStatus = sendAllowedStatus;
  const filteredStream: FilteredStream = stream;
  const [forward, other] = stream.listeners('data');
  if (forward === undefined || other !== undefined) {
    throw new Error('grpc-js no longer reads the stream of a call with one listener');
  }
  filteredStream[filterKey] = filter;
  filteredStream[forwardKey] = forward as (chunk: Buffer) => void;
  stream.removeAllListeners('data').on('data', forwardAdmittedBytes);
}

function forwardAdmittedBytes(this: FilteredStream, chunk: Buffer): void {
  if (this[filterKey]?.admits(chunk)) this[forwardKey]?.(chunk);
}

function sendAllowedStatus(this: FilteredCall, sent: SentStatus): void {
  if (this[filterKey]?.allowsStatus(sent)) Object.getPrototypeOf(this).sendStatus.call(this, sent);
}
