// Starts the SDK of OpenTelemetry. It reads the variables OTEL_* itself, except for those that
// select exporters and intervals.
import { randomUUID } from 'node:crypto';
import { type Attributes, DiagLogLevel, diag } from '@opentelemetry/api';
import {
  getNumberFromEnv,
  type InstrumentationScope,
  setGlobalErrorHandler,
} from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { readVersion } from '../../base/files/package.ts';
import type { Log } from '../log.ts';
import type { Telemetry } from '../telemetry.ts';
import { createTraces } from './call-spans.ts';
import { openMetricExporter, openTraceExporter } from './exporters.ts';
import { createMetricProducer } from './metric-producer.ts';

/** How long a stop waits for the exporters. It must fit into the time after the last call. */
const stopMs = 900;

export type TelemetryOptions = {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether other processes of the node have the same variables. */
  readonly isWorker: boolean;
};

export type Signals = { readonly traces: boolean; readonly metrics: boolean };

type StartOptions = TelemetryOptions & { readonly signals: Signals };

export async function startTelemetry(options: StartOptions): Promise<Telemetry> {
  const { log, signals } = options;
  routeMessages(log);
  const scope = { name: 'latchkey', version: readVersion() };
  const resource = resourceOf(options, scope);
  const [traceExporter, metricExporter] = await Promise.all([
    signals.traces ? openTraceExporter(log) : undefined,
    signals.metrics ? openMetricExporter(log) : undefined,
  ]);
  const tracerProvider =
    traceExporter &&
    new BasicTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(traceExporter)],
    });
  let meterProvider: MeterProvider | undefined;
  return {
    traces: tracerProvider && createTraces(tracerProvider.getTracer(scope.name, scope.version)),
    exportMetrics(metrics) {
      if (metricExporter === undefined) return;
      const reader = new PeriodicExportingMetricReader({
        ...{ exporter: metricExporter, ...intervals() },
        metricProducers: [createMetricProducer(metrics, scope)],
      });
      meterProvider = new MeterProvider({ resource, readers: [reader] });
    },
    async stop() {
      // The exporters report their own failures.
      const ended = Promise.allSettled([tracerProvider?.shutdown(), meterProvider?.shutdown()]);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, stopMs);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
    },
  };
}

/** Each process has an id, because its metrics count only its own calls. */
function resourceOf({ isWorker }: TelemetryOptions, scope: InstrumentationScope): Resource {
  const configured = detectResources({ detectors: [envDetector] });
  const given = configured.attributes['service.instance.id'];
  const instance: Attributes = {
    'service.instance.id':
      given === undefined ? randomUUID() : isWorker ? `${String(given)}-${process.pid}` : given,
    'process.pid': process.pid,
  };
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': scope.name, 'service.version': scope.version }))
    .merge(configured)
    .merge(resourceFromAttributes(instance));
}

/** The interval and the timeout of metric exports. The timeout is at most the interval. */
function intervals() {
  const positive = (value: number | undefined, otherwise: number) =>
    value !== undefined && value > 0 ? value : otherwise;
  const exportIntervalMillis = positive(getNumberFromEnv('OTEL_METRIC_EXPORT_INTERVAL'), 60_000);
  const timeout = positive(getNumberFromEnv('OTEL_METRIC_EXPORT_TIMEOUT'), 30_000);
  return { exportIntervalMillis, exportTimeoutMillis: Math.min(timeout, exportIntervalMillis) };
}

const messagesMax = 20;
/** The exporters report failures themselves. The SDK would report each batch. */
const failedExport = /^PeriodicExportingMetricReader: metrics export/;

/** Logs each message of the SDK once, without the values that it quotes. */
function routeMessages(log: Log): void {
  const seen = new Set<string>();
  const ignore = () => {};
  function warn(message: unknown): void {
    const text = String(message).replace(/'[^']*'|"[^"]*"/g, '…');
    if (failedExport.test(text) || seen.has(text) || seen.size >= messagesMax) return;
    seen.add(text);
    log.warn({ detail: text }, 'OpenTelemetry');
  }
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler(ignore);
}
