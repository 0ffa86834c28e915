// Adds the credential and the idempotency key to each call, and repeats calls.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import type { Interceptor, StreamRequest, StreamResponse } from '@connectrpc/connect';
import { access, SessionCookie } from '../../../gen/latchkey/options/v1/access_pb.js';
import { type Attempts, type RetryOptions, withAttempts } from './attempts.ts';
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
};

/** For all calls except those that fetch a token. */
export function callInterceptor({ server, tokens, retry }: CallOptions): Interceptor {
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
    if (!request.stream) return withAttempts(attempts, (token) => next(authorized(request, token)));
    if (method.methodKind === 'server_streaming') return streamed(attempts, request, next);
    // The messages of an upload can be read only once.
    const once = attempts.tokens && forOneAttempt(attempts.tokens);
    return withAttempts({ ...attempts, tokens: once, repeatable: false }, (token) =>
      untilFirst(next(authorized(request, token))),
    );
  };
}

const hasCredential = (header: Headers) => header.has('authorization') || header.has('cookie');

/** For the calls that fetch a token. Another token does no harm, so that they may be repeated. */
export function issuanceInterceptor(options: Omit<CallOptions, 'tokens'>): Interceptor {
  return (next) => (request) => {
    const { signal } = request;
    const attempts = { ...options, tokens: undefined, repeatable: true, signal };
    return withAttempts(attempts, () => next(request));
  };
}

function authorized<R extends { readonly header: Headers }>(request: R, token?: string): R {
  if (token === undefined) return request;
  const header = new Headers(request.header);
  header.set('authorization', `Bearer ${token}`);
  return { ...request, header };
}

/** Repeats the call until the first message of the answer has arrived. */
async function streamed(
  attempts: Attempts,
  request: StreamRequest,
  next: (request: StreamRequest) => Promise<unknown>,
): Promise<StreamResponse> {
  const sent: StreamRequest['message'][] = [];
  for await (const message of request.message) sent.push(message as never);
  return withAttempts(attempts, async (token) => {
    const message = iterate(sent) as StreamRequest['message'];
    return untilFirst(next(authorized({ ...request, message }, token)));
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
