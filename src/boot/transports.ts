// The stage of transports: serves the guarded methods on the bound sockets.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createBodyBudgets } from '../api/body-budget.ts';
import { createValidatorLoader } from '../api/bounds.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { createGuard } from '../api/guard.ts';
import { createRecordedAnswers } from '../api/idempotency/recorded-answers.ts';
import { createResponseBudget, type ResponseBudget } from '../api/response-budget.ts';
import { guardAll } from '../api/services.ts';
import { createFailedCalls, type FailedCalls } from '../audit/failed-calls.ts';
import { failureOf } from '../base/errors/errors.ts';
import { startHeartbeat } from '../installation/heartbeat.ts';
import type { Metrics } from '../observe/merge-metrics.ts';
import { isVerifiedDomain } from '../sharing/domains/store.ts';
import { createNotFoundHtml } from '../site/not-found-html.ts';
import { siteRoutes } from '../site/site-routes.ts';
import { pingDatabase, storageFailureOf } from '../storage/database.ts';
import { createAdmission } from '../transports/admission.ts';
import { startGrpcTransport } from '../transports/grpc/server.ts';
import { createPeerOf } from '../transports/http/request-facts.ts';
import { type HttpTransport, startHttpTransport } from '../transports/http-transport.ts';
import {
  type Readiness,
  runChecks,
  SharedOutage,
  startOpsServer,
} from '../transports/ops-server.ts';
import { writeOwnAddresses } from './addresses.ts';
import { startBackupSchedule } from './backup-schedule.ts';
import { closeOnFailure } from './close-on-failure.ts';
import type { Modules } from './modules.ts';
import type { AppOptions } from './options.ts';
import { startRetention } from './retention.ts';
import { type Sockets, tlsPathsOf } from './sockets.ts';
import { observeInstallation } from './state-metrics.ts';
import type { OpenStorage } from './storage.ts';

type Started = {
  readonly sockets: Sockets;
  readonly storage: OpenStorage;
  readonly modules: Modules;
};

export type Transports = {
  deleteOldRows(): Promise<void>;
  readiness(): Promise<Readiness>;
  readonly metrics: Metrics;
  readonly responses: ResponseBudget;
  announceStop(): void;
  stop(finishMs: number): Promise<void>;
};

const untrustedProxy =
  'X-Forwarded-For came from a peer that LATCHKEY_TRUSTED_PROXIES does not name: ' +
  'all callers behind it share the limits of one network address';

const bodyBytesHeldMax = 64 * 1024 * 1024;

const responseBytesUnreadMax = 128 * 1024 * 1024;

const failureOfThrown = (thrown: unknown) => failureOf(storageFailureOf(thrown));

export function startTransports(options: AppOptions, started: Started): Promise<Transports> {
  return closeOnFailure(async (onFailure) => {
    const { config, log, webDir, now = Date.now, random = randomBytes } = options;
    const { sockets, storage, modules } = started;
    const { identity, sharing, assets, observer } = modules;
    const { publicUrl } = sockets.urls;
    const warn = (facts: object, message: string) => log.warn(facts, message);
    const failures = createFailedCalls({ db: storage.db, random, now, warn });
    onFailure(failures.stop);
    const endpoints = guardedEndpoints(options, started, failures);
    const bodies = createBodyBudgets({
      bytesMax: bodyBytesHeldMax,
      timeoutMs: options.bodyTimeoutMs,
    });
    const responses = createResponseBudget({
      bytesMax: responseBytesUnreadMax,
      ...options.responseBudget,
    });
    const admission = createAdmission({ limits: options.admissionLimits, warn });
    const { uploadBytesMax } = config;
    const tls = await openTlsFiles(options);
    if (tls !== undefined) onFailure(tls.close);
    const http = await startHttpTransport({
      endpoints,
      bodies,
      responses,
      admission,
      notFoundHtml: createNotFoundHtml(assets),
      routes: [
        ...siteRoutes({
          ...{ publicUrl, assets, uploadBytesMax, random, webDir },
          sendsMail: config.smtp !== undefined,
        }),
        ...identity.routes,
        ...sharing.routes,
        modules.identity.receiptKeys.route,
      ],
      findDomain: sharing.domains.find,
      assetsDir: path.join(webDir, 'assets'),
      publicUrl,
      peerOf: createPeerOf(config.trustedProxies, (peer) => warn({ peer }, untrustedProxy)),
      socket: sockets.http,
      tls,
      corsOrigins: config.corsOrigins,
      limits: options.httpLimits,
      warn,
      observe: observer.route,
      failureOf: failureOfThrown,
      releaseChunk: storage.buffers.release,
    });
    onFailure(() => closeAtOnce(http));
    const grpc = await startGrpcTransport({
      endpoints,
      bodies,
      responses,
      admission,
      socket: sockets.grpc,
      tls,
      limits: { ageMs: config.grpcConnectionAgeSeconds * 1000, ...options.grpcLimits },
    });
    onFailure(() => closeAtOnce(grpc));
    const checks = readinessChecks(started);
    const readiness = () => runChecks(checks);
    observeInstallation(options, { storage, modules, tls });
    const { metrics } = observer;
    options.telemetry?.exportMetrics(metrics);
    const isDomainVerified = (name: string) => isVerifiedDomain(storage.db, name);
    // Before the node reports that it is ready. The primary process does so for its workers.
    if (sockets.ops !== undefined) await writeOwnAddresses(options, sockets.urls);
    const ops =
      sockets.ops &&
      (await startOpsServer({
        ...{ socket: sockets.ops, publicUrl, readiness, metrics, isDomainVerified },
      }));
    if (ops !== undefined) onFailure(ops.close);
    const retention = startRetention(options, storage);
    const backups = startBackupSchedule(options, storage, observer.backup);
    const heartbeat = startHeartbeat({
      ...{ db: storage.db, now },
      onError: (err) => warn({ err }, 'cannot record that this process runs'),
    });
    return {
      deleteOldRows: retention.round,
      readiness,
      responses,
      metrics,
      announceStop() {
        ops?.drain();
        http.announceStop();
        grpc.announceStop();
      },
      async stop(finishMs) {
        const late = setTimeout(() => {
          http.close();
          grpc.close();
        }, finishMs);
        await Promise.all([http.acceptWaiting(), grpc.acceptWaiting()]);
        await Promise.all([http.drain(), grpc.drain()]);
        clearTimeout(late);
        tls?.close();
        const tasks = [failures, retention, heartbeat].map((task) => task.stop());
        await Promise.all([ops?.close(), backups?.stop(), ...tasks]);
      },
    };
  });
}

/** Loads the code for TLS only if it is used. */
async function openTlsFiles({ config, log, tlsTimes: times }: AppOptions) {
  const paths = tlsPathsOf(config);
  if (paths === undefined) return undefined;
  const { openTls } = await import('../transports/tls/tls.ts');
  return openTls({ paths, log, times });
}

function closeAtOnce(transport: Pick<HttpTransport, 'drain' | 'close'>): Promise<void> {
  const drained = transport.drain();
  transport.close();
  return drained;
}

function guardedEndpoints(
  { config, telemetry, now = Date.now }: AppOptions,
  { sockets, storage: { db, masterKey }, modules }: Started,
  failures: FailedCalls,
): Endpoint[] {
  const { identity, membershipsOf, isWorkspaceDeleted, observer } = modules;
  const guard = createGuard({
    authenticateToken: identity.authenticateToken,
    authenticateWorkspaceKey: identity.authenticateWorkspaceKey,
    authenticateSession: identity.sessions.authenticate,
    sessionCookie: identity.sessions.cookieName,
    publicUrl: sockets.urls.publicUrl,
    membershipsOf,
    isWorkspaceDeleted,
    loadValidator: createValidatorLoader(),
    answers: createRecordedAnswers({ db, masterKey, now }),
    requireOwnFactor: identity.requireOwnFactor,
    stepUpSeconds: config.stepUpSeconds,
    now,
    observe(observation) {
      observer.call(observation);
      failures.record(observation);
    },
    failureOf: failureOfThrown,
  });
  const endpoints = guardAll(guard, modules.services);
  const { traces } = telemetry ?? {};
  return traces === undefined ? endpoints : endpoints.map(traces.traceCalls);
}

function readinessChecks({ storage: { db }, modules: { identity, sharing } }: Started) {
  return {
    database: () => pingDatabase(db),
    async blobs() {
      const state = await sharing.storeState();
      if (state === 'outage') throw new SharedOutage('no node can use the blob store');
      if (state === 'unusable') throw new Error('this node cannot use the blob store');
    },
    signing_key: async () => {
      // A process whose master key was replaced cannot read the keys and refuses every call.
      const key = await identity.keyring.active();
      if (key === undefined) throw new Error('no key can sign');
    },
  };
}
