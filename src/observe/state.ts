// Gauges of the state of the installation. They are read when the metrics are read.
import { Gauge, type Registry } from 'prom-client';
import { keepFor } from '../base/limits/keep-for.ts';
import type { MailQueue } from '../base/mail/retries.ts';
import type { ConnectionCounts } from '../storage/drivers/connection-counts.ts';
import type { Log } from './log.ts';

/** Times are in milliseconds since 1970. */
export type StateSources = {
  readonly signingKeys: () => Promise<readonly ActiveKeyTimes[]>;
  /** Undefined without TLS. */
  readonly certificateExpireTime: (() => number) | undefined;
  /** Undefined for SQLite. */
  readonly connections: () => ConnectionCounts | undefined;
  readonly leasesHeld: () => number;
  /** By kind. */
  readonly mailQueues: () => Promise<Readonly<Record<string, MailQueue>>>;
  readonly oldestPreviewTime: () => Promise<number | undefined>;
  readonly nearQuota: () => Promise<Readonly<Record<string, number>>>;
};

type ActiveKeyTimes = {
  readonly alg: string;
  readonly activateTime: number;
  readonly rotationTime: number;
};

type Sample = { readonly value: number; readonly labels?: Readonly<Record<string, string>> };

type State = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** How the workers of a node are merged. */
  readonly aggregator: 'sum' | 'min' | 'max';
  readonly read: () => Promise<readonly Sample[]> | readonly Sample[];
};

/** Probes of a service with workers collect the metrics, too. */
const keysMs = 1_000;
/** Frequent scrapes must not load the database. */
const queuesMs = 10_000;
/** The query reads all workspaces. */
const quotasMs = 60_000;

export function observeState(registry: Registry, log: Log, sources: StateSources): void {
  const { signingKeys, certificateExpireTime, connections, leasesHeld } = sources;
  const onError = (err: unknown) => log.warn({ err }, 'cannot read the state for the metrics');
  const mailQueues = keepFor(queuesMs, sources.mailQueues, { onError });
  const oldestPreviewTime = keepFor(queuesMs, sources.oldestPreviewTime, { onError });
  const nearQuota = keepFor(quotasMs, sources.nearQuota, { onError });
  const keys = keepFor(keysMs, signingKeys, { onError });

  async function keyTimes(name: 'activateTime' | 'rotationTime'): Promise<Sample[]> {
    return ((await keys()) ?? []).map((key) => ({
      value: key[name] / 1000,
      labels: { alg: key.alg },
    }));
  }
  const states: readonly State[] = [
    {
      name: 'latchkey_signing_key_activate_time_seconds',
      help: 'When the active signing key of an algorithm became active, in seconds since 1970.',
      labels: ['alg'],
      aggregator: 'max',
      read: () => keyTimes('activateTime'),
    },
    {
      name: 'latchkey_signing_key_rotation_time_seconds',
      help: 'When the next signing key of an algorithm becomes active, in seconds since 1970.',
      labels: ['alg'],
      aggregator: 'max',
      read: () => keyTimes('rotationTime'),
    },
    {
      name: 'latchkey_tls_certificate_expire_time_seconds',
      help: 'When the certificate of the listeners expires, in seconds since 1970. Only with TLS.',
      aggregator: 'min',
      read: () =>
        certificateExpireTime === undefined ? [] : [{ value: certificateExpireTime() / 1000 }],
    },
    {
      name: 'latchkey_database_connections',
      help: 'Open connections to PostgreSQL, by state: busy or idle.',
      labels: ['state'],
      aggregator: 'sum',
      read() {
        const { busy, idle } = connections() ?? {};
        if (busy === undefined || idle === undefined) return [];
        return Object.entries({ busy, idle }).map(([state, value]) => ({
          value,
          labels: { state },
        }));
      },
    },
    {
      name: 'latchkey_database_connections_max',
      help: 'Maximum number of connections to PostgreSQL: LATCHKEY_DATABASE_POOL_MAX.',
      aggregator: 'sum',
      read: () => samplesOf(connections()?.max),
    },
    {
      name: 'latchkey_database_waiting',
      help: 'Queries and transactions that wait for a connection to PostgreSQL.',
      aggregator: 'sum',
      read: () => samplesOf(connections()?.waiting),
    },
    {
      name: 'latchkey_leases_held',
      help: 'Background jobs of the deployment that this node runs.',
      aggregator: 'sum',
      read: () => samplesOf(leasesHeld()),
    },
    {
      name: 'latchkey_mail_queue',
      help: 'Mails in the database that are due or await a retry, by kind, up to 10,000 each.',
      labels: ['kind'],
      aggregator: 'max',
      read: async () =>
        entriesOf(await mailQueues()).map(([kind, { mails }]) => ({
          value: mails,
          labels: { kind },
        })),
    },
    {
      name: 'latchkey_mail_queue_oldest_time_seconds',
      help: 'When the oldest of these mails was first due, in seconds since 1970.',
      labels: ['kind'],
      aggregator: 'min',
      read: async () =>
        entriesOf(await mailQueues()).flatMap(([kind, { oldestTime }]) =>
          oldestTime === undefined ? [] : [{ value: oldestTime / 1000, labels: { kind } }],
        ),
    },
    {
      name: 'latchkey_preview_queue_oldest_time_seconds',
      help: 'When the oldest Office file that waits was stored, in seconds since 1970.',
      aggregator: 'min',
      async read() {
        const time = await oldestPreviewTime();
        return time === undefined ? [] : [{ value: time / 1000 }];
      },
    },
    {
      name: 'latchkey_workspaces_near_quota',
      help: 'Workspaces that use more than 90 % of a quota.',
      labels: ['quota'],
      aggregator: 'max',
      read: async () =>
        entriesOf(await nearQuota()).map(([quota, value]) => ({ value, labels: { quota } })),
    },
  ];
  for (const state of states) createGauge(registry, state);
}

const samplesOf = (value: number | undefined) => (value === undefined ? [] : [{ value }]);

const entriesOf = <T>(record: Readonly<Record<string, T>> | undefined) =>
  Object.entries(record ?? {});

function createGauge(registry: Registry, { name, help, labels = [], aggregator, read }: State) {
  new Gauge<string>({
    name,
    help,
    labelNames: [...labels],
    aggregator,
    registers: [registry],
    async collect() {
      const samples = await read();
      this.reset();
      // After a reset, a gauge without labels is 0.
      if (labels.length === 0) this.remove();
      for (const sample of samples) this.set({ ...sample.labels }, sample.value);
    },
  });
}
