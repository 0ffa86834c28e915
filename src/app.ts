// The composition root: builds all from the settings, starts it, stops it.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createValidator } from '@bufbuild/protovalidate';
import { createBodyBudgets } from './api/body-budget.ts';
import { createGuard } from './api/guard.ts';
import { guardAll } from './api/services.ts';
import { useNodeTextEncoding } from './api/text-encoding.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { createFailedCalls } from './audit/failed-calls.ts';
import { startRetention } from './audit/retention.ts';
import type { Address, Config } from './config/config.ts';
import type { Random } from './crypto/ids.ts';
import { openMasterKey } from './crypto/master-key-file.ts';
import { failureOf } from './errors/errors.ts';
import { readAssets } from './http/assets.ts';
import { consoleRoute } from './http/console-route.ts';
import { errorsRoute } from './http/errors-route.ts';
import type { Keyring } from './identity/keys/keyring.ts';
import type { Rotation } from './identity/keys/rotation.ts';
import { createIdentityModule } from './identity/module.ts';
import type { Signer } from './identity/tokens/signer.ts';
import { bootstrap, writeAddresses } from './installation/bootstrap.ts';
import { prepareFolders, readFirstStart } from './installation/data-folder.ts';
import type { OpenMailer } from './mail/mailer.ts';
import type { MessageOptions } from './mail/message.ts';
import { openOutbox } from './mail/outbox.ts';
import { createSmtpMailer } from './mail/smtp.ts';
import type { ModuleOptions } from './module-options.ts';
import { listening } from './net/listen-error.ts';
import type { Log } from './observe/log.ts';
import { createObserver } from './observe/observer.ts';
import type { BlobStore } from './sharing/blobs/blob-store.ts';
import { createSharingModule } from './sharing/module.ts';
import type { Recorder } from './sharing/views/recorder.ts';
import { createMemberships, rolesOf } from './sharing/workspaces/memberships.ts';
import { openDatabase, queryDatabase, storageFailure } from './storage/database.ts';
import { watchInvalidations } from './storage/invalidation.ts';
import type { Database } from './storage/schema.ts';
import { type GrpcLimits, startGrpcTransport } from './transports/grpc/server.ts';
import { createPeerOf } from './transports/http/peer.ts';
import type { HttpLimits } from './transports/http/server.ts';
import { startHttpTransport } from './transports/http-server.ts';
import { startOpsServer } from './transports/ops.ts';

export type AppOptions = {
  readonly config: Config;
  readonly log: Log;
  /** How many lines the log has dropped. */
  readonly droppedLines: () => number;
  /** The folder of the built browser code. */
  readonly webDir: string;
  /** A PDF for the workspace of the demo, which is empty without it. */
  readonly sampleFile?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly random?: Random;
  /** How long an upload may send nothing: less than what the HTTP transport has patience for. */
  readonly uploadStalledMs?: number;
  /** How long the unsettled uploads of a process that has ended are left alone. */
  readonly blobLeaseMs?: number;
  /** The time for the whole body of a request that is not an upload. */
  readonly bodyTimeoutMs?: number;
  readonly httpLimits?: Partial<HttpLimits>;
  /** For tests: limits that are too large to reach. */
  readonly grpcLimits?: Partial<GrpcLimits>;
};

export type App = {
  readonly publicUrl: string;
  /** `<host>:<port>` */
  readonly grpcAddress: string;
  readonly opsUrl: string;
  /** The file with the secrets of the first start. */
  readonly bootstrapFile: string;
  readonly bootstrapped: boolean;
  /** What the doors are made of, for tests that need to look behind them. */
  readonly inside: {
    readonly db: Database;
    readonly signer: Signer;
    readonly rotation: Rotation;
    readonly views: Pick<Recorder, 'flush'>;
  };
  /** Lets calls under way finish, refuses new ones, and ends within 9 seconds. */
  stop(): Promise<void>;
};

const untrustedProxy =
  'X-Forwarded-For came from a peer that LATCHKEY_TRUSTED_PROXIES does not name: ' +
  'all callers behind it share the limits of one network address';

const drainMs = 9_000;
/** The memory for request bodies that have not arrived in full. */
const bodyBytesHeldMax = 64 * 1024 * 1024;

/** Starts the whole service. When this returns, it answers. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log, webDir } = options;
  const { uploadBytesMax } = config;
  useNodeTextEncoding();
  for (const { path, message } of await prepareFolders(config)) log.warn({ path }, message);
  const firstStart = await readFirstStart(config);
  const masterKey = await openMasterKey(config);
  const db = await openDatabase(config.databaseUrl);
  const now = options.now ?? Date.now;
  const random = options.random ?? randomBytes;
  const bootstrapFile = path.join(config.dataDir, 'bootstrap.env');
  const first = { db, masterKey, kind: config.bootstrap, file: bootstrapFile, random, now };
  const { sampleFile } = options;
  const sample =
    sampleFile === undefined ? undefined : { file: sampleFile, blobDir: config.blobDir };
  const bootstrapped = await bootstrap({ ...first, ...firstStart, sample });
  await firstStart.end();

  let publicUrl = config.publicUrl ?? '';
  const mailer = await openMailer(config, { from: config.mailFrom, random, now });
  const invalidations = await watchInvalidations(db);
  const base: ModuleOptions = {
    config,
    log,
    db,
    invalidations,
    auditLog: createAuditLog({ db, random, now }),
    masterKey,
    mailer,
    now,
    random,
    publicUrl: () => publicUrl,
    uploadStalledMs: options.uploadStalledMs ?? 45_000,
    blobLeaseMs: options.blobLeaseMs ?? 120_000,
  };
  const membershipsOf = createMemberships({ db, invalidations });
  const identity = await createIdentityModule(base, { membershipsOf, rolesOf });
  const assets = await readAssets(webDir);
  const { credentials, passwords } = identity;
  // It stands beside the built browser code, also where the service runs from its sources.
  const pagesProgram = path.join(webDir, '../src/sharing/documents/pages/program.js');
  const observer = createObserver(log, options.droppedLines);
  const observeBlob = observer.blob;
  const needs = { credentials, passwords, assets, pagesProgram, observeBlob };
  const sharing = await createSharingModule(base, needs);
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const failures = createFailedCalls({ db, random, now, warn });
  const guard = createGuard({
    authenticateToken: identity.authenticateToken,
    authenticateWorkspaceKey: identity.authenticateWorkspaceKey,
    authenticateSession: identity.sessions.authenticate,
    sessionCookie: identity.sessions.cookieName,
    publicUrl: () => publicUrl,
    membershipsOf,
    validator: createValidator(),
    stepUpSeconds: config.stepUpSeconds,
    now,
    observe(observation) {
      observer.call(observation);
      failures.record(observation);
    },
    failureOf: (thrown) => failureOf(storageFailure(thrown)),
  });
  const endpoints = guardAll(guard, { ...identity.services, ...sharing.services });

  const bodies = createBodyBudgets({
    bytesMax: bodyBytesHeldMax,
    timeoutMs: options.bodyTimeoutMs,
  });
  const httpStart = startHttpTransport({
    endpoints,
    bodies,
    routes: [
      errorsRoute(assets),
      consoleRoute({ ...base, assets, uploadBytesMax }),
      ...sharing.routes,
    ],
    assetsDir: path.join(webDir, 'assets'),
    publicUrl: () => publicUrl,
    peerOf: createPeerOf(config.trustedProxies, (peer) => warn({ peer }, untrustedProxy)),
    address: config.http,
    limits: options.httpLimits,
    warn,
    observe: observer.route,
    failureOf: (thrown) => failureOf(storageFailure(thrown)),
  });
  const http = await listening('LATCHKEY_HTTP_ADDRESS', config.http, httpStart);
  publicUrl ||= `http://${hostPort(config.http, http.port)}`;
  const grpcStart = startGrpcTransport({
    endpoints,
    bodies,
    address: config.grpc,
    limits: options.grpcLimits ?? {},
  });
  const grpc = await listening('LATCHKEY_GRPC_ADDRESS', config.grpc, grpcStart);
  const opsStart = startOpsServer({
    address: config.ops,
    checks: readinessChecks({ db, blobs: sharing.blobs, keyring: identity.keyring }),
    metrics: observer.metrics,
  });
  const ops = await listening('LATCHKEY_OPS_ADDRESS', config.ops, opsStart);
  const retention = startRetention({ db, days: config.auditRetentionDays, now, warn });
  const grpcAddress = hostPort(config.grpc, grpc.port);
  const opsUrl = `http://${hostPort(config.ops, ops.port)}`;
  const addresses = {
    LATCHKEY_BASE_URL: publicUrl,
    LATCHKEY_SHARING_BASE_URL: `${publicUrl}/api/v1`,
    LATCHKEY_GRPC_ADDRESS: grpcAddress,
    LATCHKEY_OPS_URL: opsUrl,
  };
  // They are a convenience: a disk that is full or read-only does not keep the service away.
  await writeAddresses(bootstrapFile, addresses).catch((err: unknown) => {
    log.warn({ err }, 'the addresses in bootstrap.env could not be renewed');
  });

  return {
    publicUrl,
    grpcAddress,
    opsUrl,
    bootstrapFile,
    bootstrapped,
    inside: {
      db,
      signer: identity.signer,
      rotation: identity.rotation,
      views: sharing.recorder,
    },
    async stop() {
      ops.drain();
      const late = setTimeout(() => {
        http.close();
        grpc.close();
      }, drainMs);
      await Promise.all([http.drain(), grpc.drain()]);
      clearTimeout(late);
      mailer.stop();
      await Promise.all([
        ops.close(),
        failures.stop(),
        retention.stop(),
        identity.stop(),
        sharing.stop(),
      ]);
      await invalidations.stop();
      await db.destroy();
    },
  };
}

async function openMailer(config: Config, message: MessageOptions): Promise<OpenMailer> {
  const folder = path.join(config.dataDir, 'outbox');
  if (config.smtp === undefined) return openOutbox({ ...message, folder });
  return createSmtpMailer({ ...message, server: config.smtp });
}

type Checked = {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly keyring: Keyring;
};

function readinessChecks({ db, blobs, keyring }: Checked) {
  return {
    database: () => queryDatabase(db),
    blobs: () => blobs.check(),
    signing_key: async () => {
      // A process with a replaced master key cannot read the keys, and refuses every call.
      if ((await keyring.active()) === undefined) throw new Error('no key can sign');
    },
  };
}

function hostPort({ host }: Address, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
