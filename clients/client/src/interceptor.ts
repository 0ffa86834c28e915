// Adds the credential and the idempotency key to each call, and repeats calls.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import {
  ConnectError,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
} from '@connectrpc/connect';
import { http } from '../../../gen/google/api/annotations_pb.js';
import { access, SessionCookie } from '../../../gen/latchkey/options/v1/access_pb.js';
import type { MakeAssertion } from './assertions.ts';
import { type Attempts, type RetryOptions, withAttempts } from './attempts.ts';
import { type Prover, presentToken } from './dpop.ts';
import { latchkeyErrorOf } from './errors.ts';
import { forOneAttempt, type TokenSource } from './token-source.ts';

/** `Idempotency-Key` over HTTP and Connect, metadata over gRPC. At most 128 characters. */
export const idempotencyHeader = 'idempotency-key';

type Level = { readonly isRepeatable: boolean; readonly needsKey: boolean };

/** Whether a method may be repeated as it is, or needs an idempotency key for that. */
export function levelOf(method: DescMethod): Level {
  const { NO_SIDE_EFFECTS, IDEMPOTENT } = MethodOptions_IdempotencyLevel;
  if (method.idempotency === NO_SIDE_EFFECTS || method.idempotency === IDEMPOTENT) {
    return { isRepeatable: true, needsKey: false };
  }
  const rule = getOption(method, access);
  // The service keeps no answer for sign-ins, tokens and sessions: it ignores the key there.
  const needsKey = !rule.public && rule.sessionCookie === SessionCookie.UNSPECIFIED;
  return { isRepeatable: needsKey, needsKey };
}

export type CallOptions = {
  readonly server: string;
  readonly tokens: TokenSource;
  readonly retry: RetryOptions;
  readonly prover?: Prover | undefined;
};

/** For all calls except those that fetch a token. */
export function callInterceptor({ server, tokens, retry, prover }: CallOptions): Interceptor {
  return (next) => async (request) => {
    const { method, header, signal } = request;
    const { isRepeatable, needsKey } = levelOf(method);
    const isPublic = getOption(method, access).public;
    const attempts: Attempts = {
      server,
      tokens: isPublic || hasCredential(header) ? undefined : tokens,
      retry,
      repeatable: isRepeatable,
      signal,
    };
    if (needsKey && !header.has(idempotencyHeader)) {
      header.set(idempotencyHeader, crypto.randomUUID());
    }
    const send = async <R extends typeof request>(given: R, token: string | undefined) =>
      next(await authorized(given, token, prover));
    if (!request.stream) return withAttempts(attempts, (token) => send(request, token));
    if (method.methodKind === 'server_streaming') return streamed(attempts, request, send);
    // The messages of an upload can be read only once.
    const once = attempts.tokens && forOneAttempt(attempts.tokens);
    return withAttempts({ ...attempts, tokens: once, repeatable: false }, (token) =>
      untilFirst(send(request, token)),
    );
  };
}

const hasCredential = (header: Headers) => header.has('authorization') || header.has('cookie');

export type IssuanceOptions = Omit<CallOptions, 'tokens'> & {
  readonly makeAssertion?: MakeAssertion | undefined;
};

/** For the calls that fetch a token. Another token does no harm, so that they may be repeated. */
export function issuanceInterceptor(options: IssuanceOptions): Interceptor {
  const { server, retry, prover, makeAssertion } = options;
  return (next) => (request) => {
    const { signal } = request;
    const attempts = { server, retry, tokens: undefined, repeatable: true, signal };
    const send = makeAssertion === undefined ? next : withAssertion(next, makeAssertion);
    return withAttempts(attempts, () =>
      prover === undefined ? send(request) : sendProven(send, request, prover),
    );
  };
}

type Next = Parameters<Interceptor>[0];

const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Each request has a new assertion, because the server accepts one only once. */
function withAssertion(next: Next, makeAssertion: MakeAssertion): Next {
  return async (request) => {
    try {
      // The message is an IssueTokenRequest.
      const clientAssertion = await makeAssertion();
      Object.assign(request.message, { clientAssertionType, clientAssertion });
    } catch (thrown) {
      throw latchkeyErrorOf(thrown);
    }
    return next(request);
  };
}

/** Sends a token request with a proof, and once more with the nonce that the server requires. */
async function sendProven(
  next: Next,
  request: Parameters<Next>[0],
  prover: Prover,
): ReturnType<Next> {
  const path = String(getOption(request.method, http).pattern.value);
  const send = async () => {
    const dpop = await prover.prove({ method: 'POST', url: prover.urlOf(path) });
    try {
      const response = await next(withHeaders(request, { dpop }));
      prover.keepNonce(response.header);
      return response;
    } catch (thrown) {
      prover.keepNonce(ConnectError.from(thrown).metadata);
      throw thrown;
    }
  };
  try {
    return await send();
  } catch (thrown) {
    if (latchkeyErrorOf(thrown).code !== 'identity.dpop_nonce_required') throw thrown;
    return send();
  }
}

type Request = { readonly header: Headers; readonly method: DescMethod };

/** Each attempt needs a new proof. */
async function authorized<R extends Request>(
  request: R,
  token: string | undefined,
  prover: Prover | undefined,
): Promise<R> {
  if (token === undefined) return request;
  const { parent, name } = request.method;
  const url = prover?.urlOf(`/${parent.typeName}/${name}`) ?? '';
  return withHeaders(request, await presentToken(prover, { method: 'POST', url, token }));
}

function withHeaders<R extends Request>(request: R, headers: Readonly<Record<string, string>>): R {
  const header = new Headers(request.header);
  for (const [name, value] of Object.entries(headers)) header.set(name, value);
  return { ...request, header };
}

/** Repeats the call until the first message of the answer has arrived. */
async function streamed(
  attempts: Attempts,
  request: StreamRequest,
  send: (request: StreamRequest, token: string | undefined) => Promise<unknown>,
): Promise<StreamResponse> {
  const sent: StreamRequest['message'][] = [];
  for await (const message of request.message) sent.push(message as never);
  return withAttempts(attempts, async (token) => {
    const message = iterate(sent) as StreamRequest['message'];
    return untilFirst(send({ ...request, message }, token));
  });
}

/** Waits for the first message of the answer, which may be an error instead. */
async function untilFirst(answer: Promise<unknown>): Promise<StreamResponse> {
  // The request is a stream, so that the response is one, too.
  const response = (await answer) as StreamResponse;
  const iterator = response.message[Symbol.asyncIterator]();
  const first = await iterator.next();
  return { ...response, message: continued(first, iterator) };
}

async function* iterate<T>(messages: readonly T[]): AsyncIterable<T> {
  yield* messages;
}

async function* continued<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  for (let result = first; !result.done; result = await rest.next()) yield result.value;
}
