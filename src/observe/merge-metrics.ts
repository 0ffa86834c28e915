// Merges the metrics of several processes.
import { AggregatorRegistry, Counter, collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of a process, as its registry returns them. */
export type ProcessMetrics = readonly { readonly name: string; readonly type: unknown }[];

export type Metrics = {
  readonly contentType: string;
  /** Returns the metrics in the text format. */
  read(): Promise<string>;
  /** Returns the metrics for `mergeMetrics`. */
  collect(): Promise<ProcessMetrics>;
};

export function metricsOf(registry: Registry): Metrics {
  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    collect: () => registry.getMetricsAsJSON() as Promise<ProcessMetrics>,
  };
}

/** The metrics of a process that serves no calls. */
export function createProcessMetrics(droppedLines: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countDroppedLines(registry, droppedLines);
  return metricsOf(registry);
}

/** Adds the number of lines that the log of a process has dropped. */
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

/** Adds up counters and histograms. Each gauge has a rule: sum, average, first or minimum. */
export function mergeMetrics(all: readonly ProcessMetrics[]): Metrics {
  return metricsOf(AggregatorRegistry.aggregate([...all]));
}

/**
 * Returns the metrics that stay valid after the process has ended. Without them, a sum would become
 * smaller, and Prometheus would count the rest of it twice.
 */
export function lastingMetrics(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => type === 'counter' || type === 'histogram');
}
