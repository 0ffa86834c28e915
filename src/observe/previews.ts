// Records the conversions of Office files.
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Log } from './log.ts';

export type PreviewObserver = {
  attempt(report: ConversionReport): void;
  queue(length: number): void;
};

type ConversionReport = {
  readonly documentId: string;
  readonly version: number;
  readonly result: string;
  readonly seconds: number;
};

const buckets = [0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 180];

export function observePreviews(registry: Registry, log: Log): PreviewObserver {
  const attempts = new Histogram({
    name: 'latchkey_preview_conversion_seconds',
    help: 'Time of an attempt to convert an Office file, by result. The count is the attempts.',
    labelNames: ['result'],
    buckets,
    registers: [registry],
  });
  const queue = new Gauge({
    name: 'latchkey_preview_queue',
    help: 'Office files that wait for a preview, counted up to 10,000.',
    aggregator: 'max',
    registers: [registry],
  });
  return {
    attempt({ documentId, version, result, seconds }) {
      attempts.observe({ result }, seconds);
      const about = { document_id: documentId, version, result, duration_ms: seconds * 1000 };
      log.info(about, 'preview');
    },
    queue: (length) => queue.set(length),
  };
}
