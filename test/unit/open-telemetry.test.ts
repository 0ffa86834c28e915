import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/observe/log.ts';
import { openTelemetry } from '../../src/observe/telemetry/open-telemetry.ts';
import { itHoldsFor } from '../support/rule.ts';

describe('a start', () => {
  const open = async (env: Record<string, string>) => {
    const warnings: unknown[] = [];
    const log = { warn: (facts: unknown) => warnings.push(facts) } as unknown as Log;
    const telemetry = await openTelemetry({ env, log, isWorker: false });
    return { telemetry, warnings };
  };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

  itHoldsFor([
    ['the exporters are none', { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
    ['the SDK is disabled', { OTEL_SDK_DISABLED: 'True' }],
  ])('exports nothing if it is turned off', async (_, env) => {
    expect(await open({ ...endpoint, ...env })).toEqual({ telemetry: undefined, warnings: [] });
  });

  test('warns about an unknown exporter and ignores it', async () => {
    const env = { OTEL_TRACES_EXPORTER: 'zipkin', OTEL_METRICS_EXPORTER: 'none' };
    const warnings = [{ variable: 'OTEL_TRACES_EXPORTER' }];
    expect(await open({ ...endpoint, ...env })).toEqual({ telemetry: undefined, warnings });
  });
});
