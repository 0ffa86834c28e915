// The traces and metrics that are exported. src/observe/telemetry/ implements these types.
import type { Endpoint } from '../api/endpoint.ts';
import type { Observation } from '../api/method-guard.ts';
import type { HttpObservation } from '../api/routes/observation.ts';
import type { StartSpan } from '../storage/spans.ts';
import type { Metrics } from './merge-metrics.ts';

/** The ids of a span, as the log contains them. */
export type SpanIds = { readonly traceId: string; readonly spanId: string };

export type Traces = {
  /** Returns the endpoint with a span around each call. */
  traceCalls(endpoint: Endpoint): Endpoint;
  /** Ends the span of a call. */
  endCall(observation: Observation): SpanIds | undefined;
  /** Records the span of a request that reached no method. */
  recordRoute(observation: HttpObservation): SpanIds;
  readonly startSpan: StartSpan;
};

export type Telemetry = {
  /** Undefined if only metrics are exported. */
  readonly traces: Traces | undefined;
  /** Exports the metrics regularly. */
  exportMetrics(metrics: Metrics): void;
  /** Exports the remaining spans and metrics, for a limited time. */
  stop(): Promise<void>;
};
