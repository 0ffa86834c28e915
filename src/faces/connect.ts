// Connect and gRPC-Web, for browsers and other Connect clients, on the HTTP listener.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createRegistry,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type Message,
} from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { type Call, requestIdFrom } from '../rpc/call.ts';
import type { Endpoint } from '../rpc/endpoint.ts';
import { type Failure, fail, failureOf } from '../rpc/errors.ts';
import { errorDetails } from '../rpc/status.ts';
import { sayDecodingErrors } from './connect-decoding.ts';
import type { PeerOf } from './peer.ts';

/** One message; an upload's pieces are at most 1 MiB. */
const messageBytesMax = 2 * 1024 * 1024;

const peerKey = createContextKey('', { description: "the caller's network address" });

export type ConnectFace = {
  /** Whether the path is a method's: `/<package>.<Service>/<Method>`. */
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
};

export function createConnectFace(endpoints: readonly Endpoint[], peerOf: PeerOf): ConnectFace {
  const paths = new Set(endpoints.map((endpoint) => `/${endpoint.name}`));
  const adapter = connectNodeAdapter({
    routes: (router) => {
      for (const endpoint of endpoints) addRoute(router, endpoint);
      sayDecodingErrors(router.handlers);
    },
    grpc: false,
    grpcWeb: true,
    connect: true,
    readMaxBytes: messageBytesMax,
    jsonOptions: {
      // A mistyped field must not be ignored: it may be the one that gates a link.
      ignoreUnknownFields: false,
      alwaysEmitImplicit: true,
      registry: createRegistry(...endpoints.map(({ descriptor }) => descriptor.parent.file)),
    },
    contextValues: (request) => createContextValues().set(peerKey, peerOf(request)),
  });
  return {
    takes: (path) => paths.has(path),
    handle(request, response) {
      // The adapter throws where it cannot make an address of this, which nothing here reads.
      if (!URL.canParse(`http://${request.headers.host ?? ''}`)) request.headers.host = 'localhost';
      adapter(request, response);
    },
  };
}

// Connect pairs a descriptor with an implementation by their message types, which endpoints no
// longer tell apart; hence the casts.
function addRoute(router: ConnectRouter, endpoint: Endpoint): void {
  switch (endpoint.kind) {
    case 'unary':
      router.rpc(endpoint.descriptor as DescMethodUnary, async (request, context) => {
        const call = callOf(context);
        return endpoint.invoke(call, () => request).catch(rethrow(call));
      });
      return;
    case 'client_streaming':
      router.rpc(endpoint.descriptor as DescMethodClientStreaming, async (requests, context) => {
        const call = callOf(context);
        return endpoint.invoke(call, readable(requests)).catch(rethrow(call));
      });
      return;
    case 'server_streaming':
      router.rpc(
        endpoint.descriptor as DescMethodServerStreaming,
        async function* (request, context) {
          const call = callOf(context);
          try {
            yield* endpoint.invoke(call, () => request);
          } catch (error) {
            rethrow(call)(error);
          }
        },
      );
  }
}

/** What Connect says of a stream that it cannot read, in the words of the catalogue. */
const readErrors: Partial<Record<Code, () => Failure>> = {
  [Code.InvalidArgument]: () => fail('invalid_argument', 'The stream has what is no message.'),
  [Code.ResourceExhausted]: () => fail('payload_too_large', 'A message is over its limit.'),
  [Code.Canceled]: () => fail('canceled', 'The caller went away.'),
  [Code.Aborted]: () => fail('canceled', 'The caller went away.'),
  [Code.DeadlineExceeded]: () => fail('canceled', 'The caller waits no longer.'),
};

async function* readable(requests: AsyncIterable<Message>): AsyncGenerator<Message> {
  try {
    yield* requests;
  } catch (error) {
    throw (error instanceof ConnectError && readErrors[error.code]?.()) || error;
  }
}

function callOf(context: HandlerContext): Call {
  const header = (name: string) => context.requestHeader.get(name) ?? undefined;
  const requestId = requestIdFrom(header('x-request-id'));
  context.responseHeader.set('x-request-id', requestId);
  context.responseHeader.set('cache-control', 'no-store');
  const peer = context.values.get(peerKey);
  const isGone = () => context.signal.aborted;
  return { face: 'connect', requestId, peer, header, context, isGone };
}

function rethrow(call: Call): (error: unknown) => never {
  return (error) => {
    const failure = failureOf(error);
    const { challenge } = failure.extra;
    const metadata = challenge === undefined ? undefined : { 'www-authenticate': challenge };
    const details = errorDetails(failure, call.requestId);
    throw new ConnectError(failure.message, failure.grpc, metadata, details, failure.extra.cause);
  };
}
