// One request over Connect or gRPC-Web: the library's request, the call for the guard, and its
// messages.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescMessage, JsonReadOptions, Message } from '@bufbuild/protobuf';
import { base64Decode } from '@bufbuild/protobuf/wire';
import {
  Code,
  ConnectError,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import {
  createAsyncIterable,
  encodeEnvelope,
  type UniversalServerRequest,
} from '@connectrpc/connect/protocol';
import { universalRequestFromNodeRequest } from '@connectrpc/connect-node';
import type { BodyBudget } from '../../api/body-budget.ts';
import type { Call } from '../../api/call.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import type { ResponseAccount } from '../../api/response-budget.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { canceledCall } from '../http/late-calls.ts';
import { decodeBinary, decodeJson } from '../http/message.ts';
import { clientCertificateOf } from '../http/request-facts.ts';
import { type ConnectBody, inflateMessage, readFrame, readFrames, readUnframed } from './body.ts';
import { compressionOf, timeoutHeader, timeoutOf, type WireFormat } from './protocol.ts';

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly peer: string;
  readonly bodies: BodyBudget;
  readonly form: WireFormat;
  readonly account: () => ResponseAccount;
};

const exchangeKey = createContextKey<Exchange | undefined>(undefined);

export function exchangeOf({ values }: HandlerContext): Exchange {
  const exchange = values.get(exchangeKey);
  if (exchange === undefined) throw new Error('a call without its exchange');
  return exchange;
}

/** Headers for the body and the deadline, which the library does not receive. */
const ownHeaders = [
  'content-length',
  'content-encoding',
  'connect-content-encoding',
  'grpc-encoding',
  'connect-timeout-ms',
  'grpc-timeout',
];

/** The request for the library: always a POST with an empty message. */
export function universalRequestOf(exchange: Exchange, endpoint: Endpoint): UniversalServerRequest {
  const { request, response, form } = exchange;
  // The library parses the Host header as part of a URL, which not every valid Host can be, such as
  // an empty one. The URL is not used.
  if (!URL.canParse(`http://${request.headers.host ?? ''}`)) request.headers.host = 'localhost';
  const values = createContextValues().set(exchangeKey, exchange);
  const given = universalRequestFromNodeRequest(request, response, undefined, values);
  for (const name of ownHeaders) given.header.delete(name);
  given.header.set('content-type', form.type);
  const timeoutMs = validTimeoutOf(exchange);
  if (timeoutMs !== undefined) {
    given.header.set(form.names.timeout, timeoutHeader(form, timeoutMs));
  }
  const empty = new TextEncoder().encode(form.isJson ? '{}' : '');
  const body = form.isFramed ? encodeEnvelope(0, empty) : empty;
  const bodies = endpoint.kind === 'client_streaming' ? [] : [body];
  return { ...given, method: 'POST', body: createAsyncIterable(bodies) };
}

/** A malformed timeout is refused when the message is read. */
function validTimeoutOf({ form, request }: Exchange): number | undefined {
  try {
    return timeoutOf(form, request.headers);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

export function callOf({ request, requestId, peer }: Exchange, context: HandlerContext): Call {
  context.responseHeader.set('x-request-id', requestId);
  context.responseHeader.set('cache-control', 'no-store');
  return {
    transport: 'connect',
    requestId,
    peer,
    header: (name) => context.requestHeader.get(name) ?? undefined,
    clientCertificate: () => clientCertificateOf(request.socket),
    // The library received every request as a POST.
    context: { ...context, requestMethod: request.method ?? '', signal: signalOf(context) },
    isGone: () => context.signal.aborted,
  };
}

/** The signal of the call. Its reason is an error of the catalogue. */
function signalOf({ signal }: HandlerContext): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    const isLate =
      signal.reason instanceof ConnectError && signal.reason.code === Code.DeadlineExceeded;
    controller.abort(canceledCall(isLate));
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

export type MessageSource = {
  readonly exchange: Exchange;
  readonly call: Call;
  readonly schema: DescMessage;
  readonly jsonOptions: Partial<JsonReadOptions>;
};

export async function readConnectMessage(source: MessageSource): Promise<Message> {
  const { form } = source.exchange;
  const body = bodyOf(source);
  const decode = (bytes: Uint8Array) => decodeMessage(source, bytes);
  if (form.query !== undefined) return inflateMessage(bytesInQuery(form.query), body, decode);
  return form.isFramed ? readFrame(body, decode) : readUnframed(body, decode);
}

export async function* readConnectMessages(source: MessageSource): AsyncGenerator<Message> {
  yield* readFrames(bodyOf(source), (bytes) => decodeMessage(source, bytes));
}

function bodyOf({ exchange, call }: MessageSource): ConnectBody {
  const { request, response, bodies, form } = exchange;
  timeoutOf(form, request.headers);
  const compression = compressionOf(form, request.headers);
  const { isText = false } = form;
  return { request, response, bodies, compression, isText, signal: call.context.signal };
}

function bytesInQuery(query: URLSearchParams): Uint8Array {
  const text = query.get('message') ?? '';
  if (query.get('base64') !== '1') return new TextEncoder().encode(text);
  try {
    return base64Decode(text);
  } catch (cause) {
    throw fail('invalid_argument', 'The query parameter `message` must be base64.', { cause });
  }
}

function decodeMessage(
  { exchange, schema, jsonOptions }: MessageSource,
  bytes: Uint8Array,
): Message {
  return exchange.form.isJson
    ? decodeJson(schema, bytes, jsonOptions)
    : decodeBinary(schema, bytes);
}
