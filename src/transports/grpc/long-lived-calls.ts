// Calls of the standard services: health checks, health watchers and reflection. Watchers last
// until the client ends them. Unlike other calls, these must not delay the exit of the process.
import { constants, type Http2Session } from 'node:http2';
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  status,
} from '@grpc/grpc-js';
import { type BodyBudget, unaryBodyBytesMax } from '../../api/body-budget.ts';
import { requestIdFrom } from '../../api/call.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import type { Connections } from '../http/connections.ts';
import { lateRequest } from '../http/late-calls.ts';
import { GrpcBody } from './body.ts';
import { errorStatus } from './metadata.ts';
import { type ArrivedCall, filterCall } from './private-members.ts';

export type LongLivedCalls = {
  intercept(
    path: string,
    call: ServerInterceptingCallInterface,
    arrived: ArrivedCall,
  ): ServerInterceptingCall;
  end(): void;
};

export type LongLivedCallsOptions = {
  readonly budget: BodyBudget;
  /** Time limit for the body. A response has no time limit. */
  readonly bodyMs: number;
  readonly trailingBodyMs: number;
  readonly reflectionMs: number;
  /** The limit of health watchers, and separately of reflection calls. */
  readonly lastingCallsMax: number;
  readonly lastingCallsPerConnectionMax: number;
  readonly connections: () => Connections;
};

class CallSlots {
  readonly #bySession = new WeakMap<Http2Session, number>();
  readonly #limits: LongLivedCallsOptions;
  #taken = 0;

  constructor(limits: LongLivedCallsOptions) {
    this.#limits = limits;
  }

  /** Returns a function that frees the slot, or undefined if the limit is reached. */
  take(session: Http2Session): (() => void) | undefined {
    const { lastingCallsMax, lastingCallsPerConnectionMax } = this.#limits;
    const own = this.#bySession.get(session) ?? 0;
    if (this.#taken >= lastingCallsMax || own >= lastingCallsPerConnectionMax) return undefined;
    this.#count(session, 1);
    return () => this.#count(session, -1);
  }

  #count(session: Http2Session, change: number): void {
    this.#taken += change;
    this.#bySession.set(session, (this.#bySession.get(session) ?? 0) + change);
  }
}

type Kind = {
  /** Undefined for short calls, which need no limit. */
  readonly slots: CallSlots | undefined;
  readonly bodyMs: number;
  /** Time limit from the end of the request to the end of the call. */
  readonly responseMs: number;
};

export function trackLongLivedCalls(options: LongLivedCallsOptions): LongLivedCalls {
  const { bodyMs, reflectionMs } = options;
  const short: Kind = { slots: undefined, bodyMs, responseMs: bodyMs };
  const watch: Kind = {
    slots: new CallSlots(options),
    bodyMs,
    responseMs: Number.POSITIVE_INFINITY,
  };
  const reflection: Kind = {
    slots: new CallSlots(options),
    bodyMs: reflectionMs,
    responseMs: bodyMs,
  };
  const kindOf = (path: string) => {
    if (path === '/grpc.health.v1.Health/Watch') return watch;
    return path.startsWith('/grpc.reflection.') ? reflection : short;
  };
  const calls = new Set<ServerInterceptingCallInterface>();
  return {
    intercept: (path, call, arrived) => track(call, arrived, calls, kindOf(path), options),
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
  { stream, isCompressed }: ArrivedCall,
  calls: Set<ServerInterceptingCallInterface>,
  { slots, bodyMs, responseMs }: Kind,
  { budget, trailingBodyMs, connections }: LongLivedCallsOptions,
): ServerInterceptingCall {
  const { session } = stream;
  const release = session === undefined ? undefined : slots?.take(session);
  if (release !== undefined) stream.once('close', release);
  const isRefused = slots !== undefined && release === undefined;
  let requestId = requestIdFrom(undefined);
  let hasBody = false;
  const refuse = (failure: Failure) => {
    calls.delete(call);
    active.due = performance.now() + trailingBodyMs;
    call.sendStatus(errorStatus(failure, requestId));
  };
  const rules = { budget, bytesMax: unaryBodyBytesMax, isStream: true };
  const body = new GrpcBody(rules, { refuseBody: refuse }, isCompressed);
  filterCall(call, stream, { admits: (chunk) => body.admits(chunk), allowsStatus: () => true });
  const active = {
    due: performance.now() + bodyMs,
    isAccepted: false,
    expire() {
      if (!calls.has(call) || hasBody) {
        active.due = Number.POSITIVE_INFINITY;
        stream.close(constants.NGHTTP2_CANCEL);
        return;
      }
      refuse(lateRequest(bodyMs));
    },
    end(failure: Failure) {
      if (calls.has(call)) refuse(failure);
    },
  };
  connections().add(stream, active);
  calls.add(call);
  const listener = {
    onReceiveMetadata(metadata: Metadata, next: (metadata: Metadata) => void) {
      const [named] = metadata.get('x-request-id');
      if (typeof named === 'string') requestId = requestIdFrom(named);
      if (!isRefused) next(metadata);
      else refuse(fail('unavailable', 'Too many calls of this kind are in progress.'));
    },
    onReceiveMessage(message: unknown, next: (message: unknown) => void) {
      body.release();
      // Reflection sends responses even if the client does not read.
      if (stream.writableNeedDrain) stream.once('drain', () => next(message));
      else next(message);
    },
    onReceiveHalfClose(next: () => void) {
      hasBody = true;
      active.due = performance.now() + responseMs;
      next();
    },
    onCancel() {
      body.drop();
      calls.delete(call);
      if (!hasBody) active.due = performance.now() + trailingBodyMs;
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
