// Opens the OTLP exporters by their protocol.
import { type ExportResult, ExportResultCode, getStringFromEnv } from '@opentelemetry/core';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../log.ts';

type Protocol = 'grpc' | 'http/json' | 'http/protobuf';

export async function openTraceExporter(log: Log): Promise<SpanExporter> {
  const exporter = await traceExporters[protocolOf('TRACES', log)]();
  return withReports(exporter, 'traces', log);
}

export async function openMetricExporter(log: Log): Promise<PushMetricExporter> {
  const exporter = await metricExporters[protocolOf('METRICS', log)]();
  return withReports(exporter, 'metrics', log);
}

/** Only the packages of the protocol are loaded. */
const traceExporters: Readonly<Record<Protocol, () => Promise<SpanExporter>>> = {
  grpc: async () =>
    new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter(),
  'http/json': async () =>
    new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter(),
  'http/protobuf': async () =>
    new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(),
};

const metricExporters: Readonly<Record<Protocol, () => Promise<PushMetricExporter>>> = {
  grpc: async () =>
    new (await import('@opentelemetry/exporter-metrics-otlp-grpc')).OTLPMetricExporter(),
  'http/json': async () =>
    new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter(),
  'http/protobuf': async () =>
    new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter(),
};

function protocolOf(signal: 'TRACES' | 'METRICS', log: Log): Protocol {
  const ofSignal = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
  const name = getStringFromEnv(ofSignal) === undefined ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : ofSignal;
  const value = getStringFromEnv(name)?.trim() ?? 'http/protobuf';
  if (value === 'grpc' || value === 'http/json' || value === 'http/protobuf') return value;
  log.warn({ variable: name }, 'the protocol is unknown: http/protobuf is used');
  return 'http/protobuf';
}

type Exporter<Batch> = { export(batch: Batch, done: (result: ExportResult) => void): void };

/** Logs the first failed batch, and the first exported batch after it. */
function withReports<Batch, E extends Exporter<Batch>>(
  exporter: E & Exporter<Batch>,
  signal: 'traces' | 'metrics',
  log: Log,
): E {
  let isFailing = false;
  function report({ code, error }: ExportResult): void {
    const hasFailed = code !== ExportResultCode.SUCCESS;
    if (hasFailed === isFailing) return;
    isFailing = hasFailed;
    if (hasFailed) log.warn({ signal, ...reasonOf(error) }, 'cannot export to OpenTelemetry');
    else log.info({ signal }, 'exports to OpenTelemetry again');
  }
  const send = exporter.export.bind(exporter);
  exporter.export = (batch, done) =>
    send(batch, (result) => {
      report(result);
      done(result);
    });
  return exporter;
}

/** Without the message and the response, which can contain the address and its credentials. */
function reasonOf(error: (Error & { code?: unknown }) | undefined) {
  return { error: error?.name, code: error?.code };
}
