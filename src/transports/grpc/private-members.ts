// The private members of grpc-js that the service uses, and why. Each has a question for upstream.
// - `http2Servers`: the limits of connections need the sessions of the server. Can a server report
//   them, or take an HTTP/2 server of the caller?
// - `stream`: the bound on unread bytes needs the window of a call. Can a call report it?
// - `incomingEncoding`: an interceptor gets the metadata without `grpc-encoding`. Can it be kept?
// - `handleDataFrame` and `sendStatus`: the budget of bodies counts bytes before grpc-js gathers
//   them, and no status of grpc-js may replace one of the service. Can an interceptor see both?
import type { Http2Server, ServerHttp2Stream } from 'node:http2';
import type { Server, ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** The node:http2 server inside a grpc-js server. */
export function http2ServerOf(server: Server): Http2Server {
  const { http2Servers } = server as unknown as { http2Servers?: Map<Http2Server, unknown> };
  const [found] = http2Servers?.keys() ?? [];
  if (found === undefined) throw new Error('grpc-js no longer has http2Servers');
  return found;
}

/** Whether the headers of a call name a compression for its messages. */
export function isCompressed(call: object): boolean {
  const { incomingEncoding } = call as { incomingEncoding?: string };
  if (incomingEncoding === undefined) {
    throw new Error('a call of grpc-js no longer has an incomingEncoding');
  }
  return incomingEncoding !== 'identity';
}

/** The stream of a call in an interceptor. */
export function streamOf(call: object): ServerHttp2Stream {
  const { stream } = call as { stream?: ServerHttp2Stream };
  if (stream === undefined) throw new Error('a call of grpc-js no longer has a stream');
  return stream;
}

export type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

export type CallFilter = {
  /** Returns whether grpc-js receives these bytes of the body. */
  admits(chunk: Buffer): boolean;
  /** Returns whether grpc-js sends this status. */
  allowsStatus(sent: SentStatus): boolean;
};

const filterKey = Symbol('filter');

type Methods = {
  handleDataFrame(chunk: Buffer): void;
  sendStatus(sent: SentStatus): void;
};

type FilteredCall = Methods & { [filterKey]?: CallFilter };

/**
 * Replaces two methods of a call. All calls share the replacements: with a closure for each call,
 * V8 kept the objects of ended calls until its next full collection.
 */
export function filterCall(call: object, filter: CallFilter): void {
  const filtered = call as FilteredCall;
  if (filtered.handleDataFrame === undefined) {
    throw new Error('grpc-js no longer has handleDataFrame');
  }
  filtered[filterKey] = filter;
  filtered.handleDataFrame = handleAdmittedBytes;
  filtered.sendStatus = sendAllowedStatus;
}

function handleAdmittedBytes(this: FilteredCall, chunk: Buffer): void {
  if (this[filterKey]?.admits(chunk)) originalsOf(this).handleDataFrame.call(this, chunk);
}

function sendAllowedStatus(this: FilteredCall, sent: SentStatus): void {
  if (this[filterKey]?.allowsStatus(sent)) originalsOf(this).sendStatus.call(this, sent);
}

const originalsOf = (call: FilteredCall): Methods => Object.getPrototypeOf(call);
