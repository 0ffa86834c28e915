// Calls of the standard services: health, whose watchers last until someone ends them, and
// reflection. They must not delay the end of the process, as calls of our own methods may.
import { constants } from 'node:http2';
import { Code } from '@connectrpc/connect';
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  status,
} from '@grpc/grpc-js';
import { type BodyBudget, unaryBodyBytesMax } from '../rpc/body-budget.ts';
import { requestIdFrom } from '../rpc/call.ts';
import { type Failure, fail } from '../rpc/errors.ts';
import { Body } from './grpc-body.ts';
import { errorMetadata } from './grpc-call.ts';
import { type Connections, streamOf } from './grpc-connections.ts';

export type LastingCalls = {
  intercept(call: ServerInterceptingCallInterface): ServerInterceptingCall;
  /** Ends them all. */
  end(): void;
};

export type LastingCallsOptions = {
  readonly budget: BodyBudget;
  /** For the body; an answer may take as long as the client stays. */
  readonly bodyMs: number;
  /** For the client to end its body after the answer. */
  readonly restMs: number;
  readonly callsMax: number;
  readonly connections: () => Connections;
};

export function trackLastingCalls(options: LastingCallsOptions): LastingCalls {
  const calls = new Set<ServerInterceptingCallInterface>();
  return {
    intercept: (call) => track(call, calls, options),
    end() {
      for (const call of calls) {
        call.sendStatus({ code: status.UNAVAILABLE, details: 'The service is shutting down.' });
      }
      calls.clear();
    },
  };
}

function track(
  call: ServerInterceptingCallInterface,
  calls: Set<ServerInterceptingCallInterface>,
  { budget, bodyMs, restMs, callsMax, connections }: LastingCallsOptions,
): ServerInterceptingCall {
  const stream = streamOf(call);
  let requestId = requestIdFrom(undefined);
  let hasBody = false;
  const refuse = (failure: Failure) => {
    calls.delete(call);
    active.due = performance.now() + restMs;
    const metadata = errorMetadata(failure, requestId);
    call.sendStatus({ code: Number(failure.grpc), details: failure.message, metadata });
  };
  const rules = { budget, bytesMax: unaryBodyBytesMax, isStream: true };
  const body = new Body(stream, rules, refuse);
  const active = {
    due: performance.now() + bodyMs,
    expire() {
      if (!calls.has(call)) {
        active.due = Number.POSITIVE_INFINITY;
        stream.close(constants.NGHTTP2_CANCEL);
        return;
      }
      const detail = `The request did not arrive in full within ${bodyMs / 1000} seconds.`;
      refuse(fail('canceled', detail, { grpc: Code.DeadlineExceeded }));
    },
  };
  connections().add(stream, active);
  calls.add(call);
  const listener = {
    onReceiveMetadata(metadata: Metadata, next: (metadata: Metadata) => void) {
      const [named] = metadata.get('x-request-id');
      if (typeof named === 'string') requestId = requestIdFrom(named);
      if (calls.size <= callsMax) next(metadata);
      else refuse(fail('unavailable', 'There are too many calls of this kind.'));
    },
    onReceiveMessage(message: unknown, next: (message: unknown) => void) {
      body.release();
      // Reflection answers without looking whether the client reads.
      if (stream.writableNeedDrain) stream.once('drain', () => next(message));
      else next(message);
    },
    onReceiveHalfClose(next: () => void) {
      hasBody = true;
      active.due = Number.POSITIVE_INFINITY;
      next();
    },
    onCancel() {
      body.drop();
      calls.delete(call);
      if (!hasBody) active.due = performance.now() + restMs;
    },
  };
  return new ServerInterceptingCall(call, {
    start: (next) => next(listener),
    sendStatus(sent, next) {
      calls.delete(call);
      next(sent);
    },
  });
}
