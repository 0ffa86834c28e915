// The parts of grpc-js that have no public access.
import type { Http2Server, ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

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
