// Converts the metrics of prom-client for OpenTelemetry. Names, labels and buckets stay the same.
import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime, type InstrumentationScope, timeInputToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Metrics, ProcessMetrics } from '../merge-metrics.ts';

type Labels = Readonly<Record<string, string | number>>;
type Sample = { readonly metricName?: string; readonly labels: Labels; readonly value: number };
type Metric = ProcessMetrics[number] & {
  readonly help: string;
  readonly values: readonly Sample[];
};
type Times = { readonly startTime: HrTime; readonly endTime: HrTime };

export function createMetricProducer(
  metrics: Metrics,
  scope: InstrumentationScope,
): MetricProducer {
  const startTime = timeInputToHrTime(performance.timeOrigin);
  return {
    async collect() {
      // prom-client does not export the type of its JSON.
      const all = (await metrics.collect()) as readonly Metric[];
      const times = { startTime, endTime: hrTime() };
      const converted = all.flatMap((metric) => convertMetric(metric, times) ?? []);
      const resourceMetrics = {
        resource: emptyResource(),
        scopeMetrics: [{ scope, metrics: converted }],
      };
      return { resourceMetrics, errors: [] };
    },
  };
}

function convertMetric(metric: Metric, times: Times): MetricData | undefined {
  const { name, help, type, values } = metric;
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () =>
    values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  switch (type) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, dataPoints: points(), isMonotonic: true };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return {
        ...base,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: convertHistogram(metric, times),
      };
    default:
      return undefined;
  }
}

type Series = { labels: Labels; buckets: { le: number; count: number }[]; sum: number };

function convertHistogram({ name, values }: Metric, times: Times): DataPoint<Histogram>[] {
  const series = new Map<string, Series>();
  for (const { metricName, labels, value } of values) {
    const { le, ...others } = labels;
    const key = JSON.stringify(Object.entries(others).sort());
    const found = series.get(key) ?? { labels: others, buckets: [], sum: 0 };
    series.set(key, found);
    if (metricName === `${name}_bucket`) found.buckets.push({ le: limitOf(le), count: value });
    else if (metricName === `${name}_sum`) found.sum = value;
  }
  return [...series.values()].map(({ labels, buckets, sum }) => {
    buckets.sort((a, b) => a.le - b.le);
    // The buckets of Prometheus contain the counts of the smaller ones.
    const counts = buckets.map(({ count }, i) => count - (buckets[i - 1]?.count ?? 0));
    const boundaries = buckets.map(({ le }) => le).filter(Number.isFinite);
    const count = buckets.at(-1)?.count ?? 0;
    return {
      ...times,
      attributes: { ...labels },
      value: { buckets: { boundaries, counts }, sum, count },
    };
  });
}

function limitOf(le: string | number | undefined): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
}
