// Merges the metrics of several processes.
import { AggregatorRegistry, Counter, collectDefaultMetrics, Registry } from 'prom-client';

export type ProcessMetrics = readonly { readonly name: string; readonly type: unknown }[];

export type Metrics = {
  readonly contentType: string;
  read(): Promise<string>;
  collect(): Promise<ProcessMetrics>;
};

export function metricsOf(registry: Registry): Metrics {
  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    collect: () => registry.getMetricsAsJSON() as Promise<ProcessMetrics>,
  };
}

export function createProcessMetrics(droppedLines: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countDroppedLines(registry, droppedLines);
  return metricsOf(registry);
}

export function countDroppedLines(registry: Registry, droppedLines: () => number): void {
  new Counter({
    name: 'latchkey_log_lines_dropped_total',
    help: 'Lines of the log that were dropped, because they could not be written in time.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
}

/** Adds up counters and histograms. The `aggregator` of each gauge says how it is merged. */
export function mergeMetrics(all: readonly ProcessMetrics[]): Metrics {
  return metricsOf(AggregatorRegistry.aggregate([...all]));
}

/** Without the metrics of ended processes, sums would shrink, and Prometheus count twice. */
export function lastingMetrics(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => type === 'counter' || type === 'histogram');
}
