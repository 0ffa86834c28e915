// The traces and metrics that are exported. src/observe/telemetry/ implements these types.
import type { Endpoint } from '../api/endpoint.ts';
import type { Observation } from '../api/method-guard.ts';
import type { HttpObservation } from '../api/routes/route.ts';
import type { StartSpan } from '../storage/drivers/spans.ts';
import type { Metrics } from './merge-metrics.ts';

export type SpanIds = { readonly traceId: string; readonly spanId: string };

export type Traces = {
  traceCalls(endpoint: Endpoint): Endpoint;
  endCall(observation: Observation): SpanIds | undefined;
  recordRoute(observation: HttpObservation): SpanIds;
  readonly startSpan: StartSpan;
};

export type Telemetry = {
  /** Undefined if only metrics are exported. */
  readonly traces: Traces | undefined;
  exportMetrics(metrics: Metrics): void;
  stop(): Promise<void>;
};
