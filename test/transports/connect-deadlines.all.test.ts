// Deadlines over Connect and gRPC-Web: the call ends in time, and its handler is aborted.
import { setTimeout } from 'node:timers/promises';
import { Code, type HandlerContext } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerTo, chunk, errorIn, frame, post } from '../support/connect-frames.ts';
import { openRawHttp } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  compileProto,
  endpointsOf,
  type ServedEndpoints,
  serveEndpoints,
} from '../support/test-protos.ts';

const slow = `
syntax = "proto3";
package test.slow.v1;
import "latchkey/options/v1/access.proto";
message Nothing {}
service SlowService {
  rpc Wait(Nothing) returns (Nothing) {
    option (latchkey.options.v1.access) = {public: true};
  }
  rpc Ignore(Nothing) returns (Nothing) {
    option (latchkey.options.v1.access) = {public: true};
  }
  rpc Linger(Nothing) returns (Nothing) {
    option (latchkey.options.v1.access) = {public: true};
  }
  rpc Collect(stream Nothing) returns (Nothing) {
    option (latchkey.options.v1.access) = {public: true};
  }
  rpc Watch(Nothing) returns (stream Nothing) {
    option (latchkey.options.v1.access) = {public: true};
  }
}`;

const deadlineExceeded = { code: 'canceled', grpc: Code.DeadlineExceeded };

/** The reasons of the handlers' abort signals. */
let reasons: unknown[] = [];
let begun = 0;

function aborted({ signal }: HandlerContext): Promise<never> {
  begun++;
  return new Promise((_, reject) => {
    const onAbort = () => {
      reasons.push(signal.reason);
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

const handlers: Record<string, (request: never, context: HandlerContext) => unknown> = {
  Wait: (_request, context) => aborted(context),
  Ignore: async () => {
    await setTimeout(20);
    return {};
  },
  Linger: async () => {
    await setTimeout(20_000, undefined, { ref: false });
    return {};
  },
  Collect: async (requests: AsyncIterable<unknown>) => {
    for await (const _ of requests);
    return {};
  },
  async *Watch(_request, context) {
    yield {};
    await aborted(context);
  },
};

let transport: ServedEndpoints;
beforeAll(async () => {
  const registry = await compileProto({ 'test/slow.proto': slow });
  const handlerOf = (name: string) => handlers[name] ?? (() => ({}));
  transport = await serveEndpoints(endpointsOf(registry, 'test.slow.v1.SlowService', handlerOf));
});
afterAll(() => transport.close());
beforeEach(() => {
  reasons = [];
});

const path = (method: string) => `/test.slow.v1.SlowService/${method}`;
const grpcWeb = 'application/grpc-web+proto';
const stream = 'application/connect+proto';
const connectMs = (value: string) => ({ 'Connect-Timeout-Ms': value });
const grpcTimeout = (value: string) => ({ 'Grpc-Timeout': value });

// Long enough that a handler begins before its deadline on a slow machine.
const calls = [
  ['a Connect call', post(path('Wait'), 'application/proto', connectMs('1000')).with('')],
  ['a gRPC-Web call', post(path('Wait'), grpcWeb, grpcTimeout('1000m')).with(frame(''))],
  ['a Connect stream', post(path('Watch'), stream, connectMs('1000')).with(frame(''))],
  ['a gRPC-Web stream', post(path('Watch'), grpcWeb, grpcTimeout('1000000u')).with(frame(''))],
] as const;

itHoldsFor(calls, 4)('a call ends at its deadline with its handler', async (_what, request) => {
  reasons = [];
  const answer = await answerTo(transport.port, request);
  expect(answer && errorIn(answer)).toMatchObject(deadlineExceeded);
  await expect.poll(() => reasons).toMatchObject([deadlineExceeded]);
});

itHoldsFor([
  ['a Connect call', post(path('Linger'), 'application/proto', connectMs('200')).with('')],
  ['a gRPC-Web call', post(path('Linger'), grpcWeb, grpcTimeout('200m')).with(frame(''))],
])('a call ends at its deadline even if the handler continues', async (_what, request) => {
  const answer = await answerTo(transport.port, request);
  expect(answer && errorIn(answer)).toMatchObject(deadlineExceeded);
});

itHoldsFor([
  ['a Connect call', post(path('Wait'), 'application/proto', connectMs('300')).announcing(10)],
  ['a gRPC-Web call', post(path('Wait'), grpcWeb, grpcTimeout('300m')).announcing(10)],
  ['an upload', post(path('Collect'), stream, connectMs('300')).chunked + chunk(frame(''))],
  [
    'an upload over gRPC-Web',
    post(path('Collect'), grpcWeb, grpcTimeout('300m')).chunked + chunk(frame('')),
  ],
])('a call ends at its deadline if the body does not arrive', async (_what, request) => {
  const answer = await answerTo(transport.port, request);
  expect(answer && errorIn(answer)).toMatchObject(deadlineExceeded);
});

describe('a timeout', () => {
  const ignore = (type: string, more: Record<string, string>) =>
    post(path('Ignore'), type, more).with(type === grpcWeb ? frame('') : '');

  itHoldsFor([
    ['connect-timeout-ms', 'application/proto', connectMs('9999999999')],
    ['grpc-timeout', grpcWeb, grpcTimeout('99999999H')],
  ])('that exceeds the maximum duration of a call is accepted', async (_header, type, header) => {
    const answer = await answerTo(transport.port, ignore(type, header));
    expect(answer).toMatchObject({ status: 200 });
    expect(answer && errorIn(answer)).toBeUndefined();
  });

  itHoldsFor([
    ['connect-timeout-ms: soon', 'application/proto', connectMs('soon')],
    ['connect-timeout-ms: -1', 'application/proto', connectMs('-1')],
    ['connect-timeout-ms: 12345678901', 'application/proto', connectMs('12345678901')],
    ['grpc-timeout: 5', grpcWeb, grpcTimeout('5')],
    ['grpc-timeout: 123456789m', grpcWeb, grpcTimeout('123456789m')],
  ])('is refused if malformed', async (_value, type, header) => {
    const answer = await answerTo(transport.port, ignore(type, header));
    expect(answer && errorIn(answer)).toMatchObject({ code: 'invalid_argument' });
  });

  test('of zero ends the call at once', async () => {
    const answer = await answerTo(transport.port, ignore('application/proto', connectMs('0')));
    expect(answer && errorIn(answer)).toMatchObject(deadlineExceeded);
  });
});

test('the signal of a handler aborts when the client disconnects', async () => {
  const connection = await openRawHttp(transport.port);
  const before = begun;
  await connection.write(post(path('Wait'), 'application/proto').with(''));
  await expect.poll(() => begun).toBe(before + 1);
  connection.reset();
  await expect.poll(() => reasons).toMatchObject([{ code: 'canceled' }]);
});
