// Records each call in the log and in the metrics.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Transport } from '../api/call.ts';
import type { MethodFacts } from '../api/endpoint.ts';
import type { Observation } from '../api/method-guard.ts';
import { principalId } from '../api/principal.ts';
import type { HttpObservation } from '../api/routes/route.ts';
import type { ErrorCode } from '../base/errors/errors.ts';
import type { Log } from './log.ts';
import { countDroppedLines, type Metrics, metricsOf } from './merge-metrics.ts';
import { observePreviews, type PreviewObserver } from './previews.ts';
import { observeState, type StateSources } from './state.ts';
import type { Traces } from './telemetry.ts';
import { type ObserveUsage, observeUsage } from './usage.ts';

export type Observer = {
  call(observation: Observation): void;
  route(observation: HttpObservation): void;
  blob(check: BlobCheck): void;
  store(isUp: boolean): void;
  readonly previews: PreviewObserver;
  readonly usage: ObserveUsage;
  backup(outcome: BackupOutcome): void;
  /** Adds the gauges of the state. */
  state(sources: StateSources): void;
  readonly metrics: Metrics;
};

/** The result of comparing the stored bytes of a document with its row. */
type BlobCheck = {
  readonly documentId: string;
  readonly version: number;
  readonly source: string;
  readonly result: string;
};

/** `time` is when the newest backup began, in milliseconds since 1970. */
export type BackupOutcome =
  | { readonly result: 'ok' | 'not_due'; readonly time: number }
  | { readonly result: 'failed' };

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createObserver(log: Log, droppedLines: () => number, traces?: Traces): Observer {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = new Histogram({
    name: 'latchkey_call_duration_seconds',
    help: 'Time from the start of a call to its answer, by method, transport and error code.',
    labelNames: ['method', 'transport', 'code'],
    buckets,
    registers: [registry],
  });
  const kinds = new CallKinds(calls);
  const routes = new Histogram({
    name: 'latchkey_route_duration_seconds',
    help: 'Time from the start of a request for a route to its head, by route and status.',
    labelNames: ['route', 'status'],
    buckets,
    registers: [registry],
  });
  const blobs = new Counter({
    name: 'latchkey_blob_checks_total',
    help: 'Documents whose stored bytes were compared with their digest, by source and result.',
    labelNames: ['source', 'result'],
    registers: [registry],
  });
  const store = new Gauge({
    name: 'latchkey_blob_store_up',
    help: '1 if the last check of the blob store succeeded, otherwise 0.',
    aggregator: 'min',
    registers: [registry],
  });
  store.set(1);
  new Gauge({
    name: 'latchkey_start_time_seconds',
    help: 'When the process started, in seconds since 1970.',
    aggregator: 'min',
    registers: [registry],
  }).setToCurrentTime();
  countDroppedLines(registry, droppedLines);
  const observeBackup = createBackupMetrics(registry);

  return {
    call(observation) {
      const { method, call, principal, failure, durationMs } = observation;
      const code = failure?.code ?? 'ok';
      const { observe, constants } = kinds.find(method, call.transport, code);
      observe(durationMs / 1000);
      const ids = traces?.endCall(observation);
      const level = levelOf(failure?.status ?? 200);
      if (!log.isLevelEnabled(level)) return;
      const fields =
        `"request_id":${JSON.stringify(call.requestId)},${constants}` +
        `,"peer":${JSON.stringify(call.peer)},"principal":"${principal.type}"` +
        `,"principal_id":${JSON.stringify(principalId(principal))},"code":"${code}"` +
        `,"duration_ms":${Math.round(durationMs * 1000) / 1000}` +
        (ids === undefined ? '' : `,"trace_id":"${ids.traceId}","span_id":"${ids.spanId}"`);
      const err = failure?.extra.cause;
      if (err === undefined) log.json(level, fields, 'call');
      else log[level]({ ...JSON.parse(`{${fields}}`), err }, 'call');
    },

    route(observation) {
      const { name, requestId, peer, status, failure, durationMs } = observation;
      const ids = traces?.recordRoute(observation);
      routes.observe({ route: name, status: String(status) }, durationMs / 1000);
      log[levelOf(status)](
        {
          request_id: requestId,
          route: name,
          peer,
          status,
          code: failure?.code ?? 'ok',
          duration_ms: Math.round(durationMs * 1000) / 1000,
          ...(ids && { trace_id: ids.traceId, span_id: ids.spanId }),
          ...(failure?.extra.cause === undefined ? {} : { err: failure.extra.cause }),
        },
        'route',
      );
    },

    blob({ documentId, version, source, result }) {
      blobs.inc({ source, result });
      if (result === 'ok') return;
      const about = { document_id: documentId, version, source, damage: result };
      log.error(about, 'document is damaged');
    },

    store: (isUp) => store.set(isUp ? 1 : 0),

    previews: observePreviews(registry, log),

    usage: observeUsage(registry),

    backup: observeBackup,

    state: (sources) => observeState(registry, log, sources),

    metrics: metricsOf(registry),
  };
}

type CallKind = {
  readonly observe: (seconds: number) => void;
  readonly constants: string;
};

class CallKinds {
  readonly #calls: Histogram<'method' | 'transport' | 'code'>;
  readonly #kinds = new Map<MethodFacts, Map<string, CallKind>>();

  constructor(calls: Histogram<'method' | 'transport' | 'code'>) {
    this.#calls = calls;
  }

  find(method: MethodFacts, transport: Transport, code: ErrorCode | 'ok'): CallKind {
    const ofMethod = this.#kinds.get(method) ?? new Map<string, CallKind>();
    const known = ofMethod.get(transport + code);
    if (known !== undefined) return known;
    const { observe } = this.#calls.labels({ method: method.name, transport, code });
    const kind = { observe, constants: `"method":"${method.name}","transport":"${transport}"` };
    this.#kinds.set(method, ofMethod.set(transport + code, kind));
    return kind;
  }
}

function levelOf(status: number): 'info' | 'error' {
  return status >= 500 ? 'error' : 'info';
}

/** Only the process that makes the scheduled backups has these metrics. */
function createBackupMetrics(registry: Registry): Observer['backup'] {
  const create = () => ({
    runs: new Counter({
      name: 'latchkey_backups_total',
      help: 'Scheduled backups, by result.',
      labelNames: ['result'],
      registers: [registry],
    }),
    time: new Gauge({
      name: 'latchkey_backup_time_seconds',
      help: 'When the newest backup of the target began, in seconds since 1970.',
      aggregator: 'max',
      registers: [registry],
    }),
  });
  let metrics: ReturnType<typeof create> | undefined;
  return (outcome) => {
    metrics ??= create();
    const { runs, time } = metrics;
    if (outcome.result !== 'not_due') runs.inc({ result: outcome.result });
    if (outcome.result !== 'failed') time.set(outcome.time / 1000);
  };
}
