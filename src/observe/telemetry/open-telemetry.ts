// Starts OpenTelemetry. Its packages are loaded only if the variables OTEL_* name an exporter or an
// endpoint.
import type { Telemetry } from '../telemetry.ts';
import type { Signals, TelemetryOptions } from './start.ts';

export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry | undefined> {
  const { env, log } = options;
  const signals = signalsOf(env, (name) =>
    log.warn({ variable: name }, 'the exporter is unknown: use otlp or none'),
  );
  if (!signals.traces && !signals.metrics) return undefined;
  try {
    const { startTelemetry } = await import('./start.ts');
    return await startTelemetry({ ...options, signals });
  } catch (err) {
    log.warn({ err }, 'OpenTelemetry cannot start');
    return undefined;
  }
}

function signalsOf(env: TelemetryOptions['env'], warn: (name: string) => void): Signals {
  const read = (name: string) => env[name]?.trim() ?? '';
  if (read('OTEL_SDK_DISABLED').toLowerCase() === 'true') return { traces: false, metrics: false };
  function isOn(signal: 'TRACES' | 'METRICS'): boolean {
    const name = `OTEL_${signal}_EXPORTER`;
    const exporters = read(name)
      .split(',')
      .map((exporter) => exporter.trim())
      .filter((exporter) => exporter !== '');
    if (exporters.some((exporter) => exporter !== 'otlp' && exporter !== 'none')) warn(name);
    if (exporters.length > 0) return exporters.includes('otlp');
    const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
    return endpoints.some((endpoint) => read(endpoint) !== '');
  }
  return { traces: isOn('TRACES'), metrics: isOn('METRICS') };
}
