// Connect and gRPC-Web on the HTTP listener, for browsers and other Connect clients. The library
// negotiates and writes responses. It receives an empty message: the caller's message is read and
// decoded only after the guard has accepted the credential. The library cannot do that: it reads a
// unary message before it calls the handler, accepts JSON with repeated members, allocates the
// length that a frame announces before its bytes arrive, and its errors repeat values, which may be
// secret.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createRegistry,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type JsonReadOptions,
  type Message,
} from '@bufbuild/protobuf';
import { type ConnectRouter, createConnectRouter, type HandlerContext } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { type BodyBudgets, budgetOf } from '../../api/body-budget.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import { reserveDownload } from '../../api/response-budget.ts';
import type { HttpObservation } from '../../api/routes/route.ts';
import { type Failure, failureOf } from '../../base/errors/errors.ts';
import { type PeerOf, pathOf, readRequestId } from '../http/request-facts.ts';
import { hasWindow, type Unread } from '../http/unread.ts';
import { encodeBase64 } from './base64-text.ts';
import { untilDeadline, untilEachDeadline } from './deadline.ts';
import { compressions, readWireFormat, type WireFormat } from './protocol.ts';
import {
  callOf,
  exchangeOf,
  type MessageSource,
  readConnectMessage,
  readConnectMessages,
  universalRequestOf,
} from './request.ts';
import { connectErrorThrower, errorResponse, sendResponse } from './response.ts';

export type ConnectTransportOptions = {
  readonly endpoints: readonly Endpoint[];
  readonly peerOf: PeerOf;
  readonly bodies: BodyBudgets;
  readonly unread: Unread;
  readonly observe: (observation: HttpObservation) => void;
};

export type ConnectTransport = {
  /** Handles a request whose path belongs to a method: `/<package>.<Service>/<Method>`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  refuse(failure: Failure, request: IncomingMessage, response: ServerResponse): void;
};

type Served = { readonly endpoint: Endpoint; readonly handler: UniversalHandler };

export function createConnectTransport(options: ConnectTransportOptions): ConnectTransport {
  const { endpoints } = options;
  const jsonOptions = {
    // A mistyped field must not be ignored: it could be the one that protects a link.
    ignoreUnknownFields: false,
    alwaysEmitImplicit: true,
    registry: createRegistry(...endpoints.map(({ descriptor }) => descriptor.parent.file)),
  };
  const router = createConnectRouter({
    grpc: false,
    grpcWeb: true,
    connect: true,
    jsonOptions,
  });
  for (const endpoint of endpoints) addRoute(router, endpoint, jsonOptions);
  const served = new Map<string, Served>();
  for (const [i, handler] of router.handlers.entries()) {
    const endpoint = endpoints[i];
    if (endpoint !== undefined) served.set(`/${endpoint.name}`, { endpoint, handler });
  }
  return {
    handle(request, response) {
      const found = served.get(pathOf(request.url ?? ''));
      if (found === undefined) throw new Error('a request for another path came to Connect');
      respond(found, request, response, options).catch((error: unknown) => {
        // Sending fails if the caller closes the connection.
        if (response.headersSent || response.destroyed) response.destroy();
        else refuse(failureOf(error), request, response, options).catch(() => response.destroy());
      });
    },
    refuse(failure, request, response) {
      refuse(failure, request, response, options).catch(() => response.destroy());
    },
  };
}

async function respond(
  { endpoint, handler }: Served,
  request: IncomingMessage,
  response: ServerResponse,
  options: ConnectTransportOptions,
): Promise<void> {
  const { peerOf } = options;
  const bodies = budgetOf(endpoint, options.bodies);
  let form: WireFormat;
  try {
    options.unread.admit(request);
    form = readWireFormat(endpoint, request);
  } catch (error) {
    return refuse(failureOf(error), request, response, options);
  }
  const [requestId, peer] = [readRequestId(request), peerOf(request)];
  const account = () => options.unread.accountOf(response);
  const exchange = { request, response, requestId, peer, bodies, form, account };
  const result = await handler(universalRequestOf(exchange, endpoint));
  const sent = form.isText ? encodeBase64(result) : result;
  return sendResponse(sent, request, response, options.unread);
}

async function refuse(
  failure: Failure,
  request: IncomingMessage,
  response: ServerResponse,
  { peerOf, observe, unread }: ConnectTransportOptions,
): Promise<void> {
  const requestId = readRequestId(request);
  const { status } = failure;
  const peer = peerOf(request);
  observe({ name: 'unrouted', request, requestId, peer, status, failure, durationMs: 0 });
  const result = errorResponse(failure, requestId, hasWindow(request));
  return sendResponse(result, request, response, unread);
}

// The casts are needed because endpoints do not have the message types that Connect expects.
function addRoute(
  router: ConnectRouter,
  endpoint: Endpoint,
  jsonOptions: Partial<JsonReadOptions>,
): void {
  const { descriptor, hasSecretResponse } = endpoint;
  // A compressed secret could be guessed from its length (BREACH).
  const options = { acceptCompression: hasSecretResponse ? [] : [...compressions] };
  const open = (context: HandlerContext): MessageSource => {
    const exchange = exchangeOf(context);
    const call = callOf(exchange, context);
    return { exchange, call, schema: descriptor.input, jsonOptions };
  };
  const respondTo =
    (invoke: (source: MessageSource) => Promise<Message>) =>
    async (_empty: unknown, context: HandlerContext) => {
      const source = open(context);
      return untilDeadline(source.call, invoke(source)).catch(connectErrorThrower(source.call));
    };
  switch (endpoint.kind) {
    case 'unary': {
      const handle = respondTo((source) =>
        endpoint.invoke(source.call, () => readConnectMessage(source)),
      );
      router.rpc(descriptor as DescMethodUnary, handle, options);
      return;
    }
    case 'client_streaming': {
      const handle = respondTo((source) =>
        endpoint.invoke(source.call, readConnectMessages(source)),
      );
      router.rpc(descriptor as DescMethodClientStreaming, handle, options);
      return;
    }
    case 'server_streaming':
      router.rpc(
        descriptor as DescMethodServerStreaming,
        async function* (_empty, context) {
          const source = open(context);
          const { call, exchange } = source;
          let isReserved = false;
          try {
            const messages = endpoint.invoke(call, () => readConnectMessage(source));
            for await (const message of untilEachDeadline(call, messages)) {
              if (!isReserved) reserveDownload(call.context, exchange.account());
              isReserved = true;
              yield message;
            }
          } catch (error) {
            connectErrorThrower(call)(error);
          }
        },
        options,
      );
  }
}
