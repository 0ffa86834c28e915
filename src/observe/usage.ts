// Counts the token requests and verifications of each client and customer.
import { Counter, type Registry } from 'prom-client';
import { isId } from '../base/crypto/ids.ts';

export type ObserveUsage = (usage: {
  /** The id of a client, a customer or one of their credentials. */
  readonly subject_id: string;
  readonly outcome: string;
  readonly count: number;
}) => void;

/** Each time series takes memory here and in Prometheus. */
const seriesMax = 10_000;

/** Imported clients keep their own ids, which never have one of these forms. */
const credentialKinds = ['sec', 'key', 'jwk', 'fed'] as const;

/** Credentials are left out: each of their requests also counts for the owner. */
export function observeUsage(registry: Registry): ObserveUsage {
  const requests = new Counter({
    name: 'latchkey_usage_total',
    help: 'Token requests and verifications, by client or customer, and outcome.',
    labelNames: ['id', 'outcome'],
    registers: [registry],
  });
  const series = new Set<string>();
  return ({ subject_id: id, outcome, count }) => {
    const key = `${id} ${outcome}`;
    if (credentialKinds.some((kind) => isId(kind, id))) return;
    if (series.size >= seriesMax && !series.has(key)) return;
    series.add(key);
    requests.inc({ id, outcome }, count);
  };
}
