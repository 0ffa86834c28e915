// What Connect says of a JSON request that it cannot decode, in our words: its own may repeat the
// value, which may be a secret, and carry none of the details of the catalogue.
import { Code, ConnectError } from '@connectrpc/connect';
import type {
  UniversalHandler,
  UniversalServerRequest,
  UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import { errorFromJsonBytes, errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { requestIdFrom } from '../rpc/call.ts';
import { type Failure, fail, invalid } from '../rpc/errors.ts';
import { errorDetails } from '../rpc/status.ts';

/** Puts itself before the handlers of unary methods, the only ones that take secrets. */
export function sayDecodingErrors(handlers: UniversalHandler[]): void {
  for (const [i, handler] of handlers.entries()) {
    if (handler.method.methodKind !== 'unary') continue;
    const answer = async (request: UniversalServerRequest) =>
      reword(request, await handler(request));
    handlers[i] = Object.assign(answer, handler);
  }
}

async function reword(
  request: UniversalServerRequest,
  response: UniversalServerResponse,
): Promise<UniversalServerResponse> {
  const { status, header, body } = response;
  // An answer of ours has a request id: the request was decoded, and the error is our own.
  if (status !== 400 || header === undefined || body === undefined) return response;
  if (header.has('x-request-id') || header.get('content-type') !== 'application/json') {
    return response;
  }
  const failure = header.has('content-encoding') ? undecodable() : failureOf(await readAll(body));
  const requestId = requestIdFrom(request.header.get('x-request-id') ?? undefined);
  const details = errorDetails(failure, requestId);
  const error = new ConnectError(failure.message, failure.grpc, undefined, details);
  const bytes = errorToJsonBytes(error, undefined);
  header.delete('content-encoding');
  header.set('content-length', String(bytes.length));
  header.set('cache-control', 'no-store');
  header.set('x-request-id', requestId);
  return { ...response, body: only(bytes) };
}

const undecodable = () => fail('invalid_argument', 'The request is not a message of the method.');

/** Keeps of the library's message the name of the field. */
function failureOf(bytes: Uint8Array): Failure {
  const unknown = new ConnectError('', Code.InvalidArgument);
  const { rawMessage } = errorFromJsonBytes(bytes, undefined, unknown);
  const [, extra] = /key "(\w{1,64})" is unknown/.exec(rawMessage) ?? [];
  if (extra !== undefined) return invalid(extra, 'is not a field');
  const [, field] = /cannot decode field (?:\w+\.)*(\w+) from JSON/.exec(rawMessage) ?? [];
  if (field !== undefined) return invalid(field, 'has the wrong type or is out of range');
  return undecodable();
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
