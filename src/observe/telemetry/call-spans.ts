// The spans of calls. Their attributes come from the descriptors and from the log's fields. They
// contain no URL, because URLs contain the ids of links.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Message } from '@bufbuild/protobuf';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Call } from '../../api/call.ts';
import type {
  Endpoint,
  MethodFacts,
  ReadRequest,
  ServerStreamingEndpoint,
} from '../../api/endpoint.ts';
import { Failure } from '../../base/errors/errors.ts';
import type { SpanIds, Traces } from '../telemetry.ts';
import { callAttributes, routeAttributes, startAttributes } from './attributes.ts';

type ReadHeader = (name: string) => string | undefined;

/** The SDK reads only `traceparent` and `tracestate`. */
const headerGetter: TextMapGetter<ReadHeader> = {
  get: (read, name) => read(name),
  keys: () => [],
};
const propagator = new W3CTraceContextPropagator();

const parentOf = (read: ReadHeader): Context =>
  propagator.extract(ROOT_CONTEXT, read, headerGetter);

export function createTraces(tracer: Tracer): Traces {
  const current = new AsyncLocalStorage<Span>();
  const spans = new WeakMap<Call, Span>();

  function startCall(method: MethodFacts, call: Call): Span {
    const span = tracer.startSpan(
      method.name,
      { kind: SpanKind.SERVER, attributes: startAttributes(method, call) },
      parentOf((name) => call.header(name)),
    );
    spans.set(call, span);
    return span;
  }

  async function* traceMessages(
    endpoint: ServerStreamingEndpoint,
    call: Call,
    read: ReadRequest,
  ): AsyncGenerator<Message> {
    const span = startCall(endpoint, call);
    const messages = endpoint.invoke(call, read)[Symbol.asyncIterator]();
    const next = () => current.run(span, () => messages.next());
    try {
      for (let step = await next(); step.done !== true; step = await next()) yield step.value;
    } finally {
      await current.run(span, () => messages.return?.());
    }
  }

  return {
    traceCalls(endpoint: Endpoint): Endpoint {
      const traced =
        <Body>(invoke: (call: Call, body: Body) => Promise<Message>) =>
        (call: Call, body: Body) =>
          current.run(startCall(endpoint, call), invoke, call, body);
      switch (endpoint.kind) {
        case 'unary':
          return { ...endpoint, invoke: traced(endpoint.invoke) };
        case 'client_streaming':
          return { ...endpoint, invoke: traced(endpoint.invoke) };
        case 'server_streaming':
          return {
            ...endpoint,
            invoke: (call: Call, read: ReadRequest) => traceMessages(endpoint, call, read),
          };
      }
    },

    endCall(observation) {
      const span = spans.get(observation.call);
      if (span === undefined) return undefined;
      if (span.isRecording()) endSpan(span, callAttributes(observation), observation.failure);
      return idsOf(span);
    },

    recordRoute(observation) {
      const { request, failure, durationMs } = observation;
      const { name, attributes } = routeAttributes(observation);
      const endTime = Date.now();
      const span = tracer.startSpan(
        name,
        { kind: SpanKind.SERVER, startTime: endTime - durationMs },
        parentOf((header) => request.headers[header]?.toString()),
      );
      if (span.isRecording()) endSpan(span, attributes, failure, endTime);
      return idsOf(span);
    },

    startSpan(name, attributes) {
      const parent = current.getStore();
      if (parent?.isRecording() !== true) return undefined;
      const context = trace.setSpan(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context);
      return (error) => {
        if (error !== undefined) fail(span, error instanceof Failure ? error.code : 'internal');
        span.end();
      };
    },
  };
}

function endSpan(
  span: Span,
  attributes: Attributes,
  failure: Failure | undefined,
  endTime?: number,
): void {
  span.setAttributes(attributes);
  // The status of a server span is an error only if the server is at fault.
  if (failure !== undefined && failure.status >= 500) fail(span, failure.code);
  else if (failure !== undefined) span.setAttribute('error.type', failure.code);
  span.end(endTime);
}

/** The message of an error can contain values of the request. */
function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function idsOf(span: Span): SpanIds {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}
