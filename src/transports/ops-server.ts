// Liveness, readiness and metrics for operators.
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type RouteHandlerMethod } from 'fastify';
import { compressText } from './http/compression.ts';
import { refuseMalformed } from './http/server.ts';
import { withoutSchemas } from './http/without-schemas.ts';
import { type OpsPath, opsRoutes } from './ops-routes.ts';
import type { BoundSocket } from './socket.ts';

/**
 * The readiness checks by name. Each one throws if its resource is not ready, and `SharedOutage` if
 * no node can use it.
 */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

/**
 * A node stays ready during a shared outage. Otherwise the load balancer would stop using all
 * nodes, and calls that do not need the resource would fail, too.
 */
export class SharedOutage extends Error {}

export type Readiness = {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
  /** Only for a node with workers. */
  readonly workers?: {
    readonly ready: number;
    readonly total: number;
    readonly unresponsive: readonly number[];
  };
};

export type OpsOptions = {
  readonly socket: BoundSocket;
  readonly publicUrl: string;
  readonly readiness: () => Promise<Readiness>;
  readonly isDomainVerified: (name: string) => Promise<boolean>;
  readonly metrics: {
    readonly contentType: string;
    read(): Promise<string>;
  };
};

export type OpsServer = {
  drain(): void;
  close(): Promise<void>;
};

const checkMs = 2_000;
/** The time limit for a request to arrive in full, and for an idle connection. */
const requestMs = 10_000;
const connectionsMax = 256;

export async function startOpsServer({
  socket,
  publicUrl,
  readiness,
  metrics,
  isDomainVerified,
}: OpsOptions): Promise<OpsServer> {
  const app = Fastify({
    ...withoutSchemas,
    forceCloseConnections: true,
    requestTimeout: requestMs,
    keepAliveTimeout: 60_000,
    http: { headersTimeout: requestMs, connectionsCheckingInterval: 1_000 },
    clientErrorHandler: (error, client) => refuseMalformed(error, client, publicUrl),
  });
  app.server.maxConnections = connectionsMax;
  let draining = false;

  const handlers: Readonly<Record<OpsPath, RouteHandlerMethod>> = {
    '/healthz': (_request, reply) => reply.send({ status: 'ok' }),
    '/readyz': async (_request, reply) => {
      const { ready: isReady, ...facts } = await readiness();
      const ready = !draining && isReady;
      reply.header('cache-control', 'no-store').status(ready ? 200 : 503);
      return { status: draining ? 'draining' : ready ? 'ok' : 'not ready', ...facts };
    },
    '/metrics': async (request, reply) => {
      const text = await metrics.read();
      const { body, headers } = await compressText(text, request.headers['accept-encoding']);
      return reply.header('content-type', metrics.contentType).headers(headers).send(body);
    },
    '/internal/domain-allowed': async (request, reply) => {
      const { domain } = request.query as { readonly domain?: unknown };
      const check = typeof domain === 'string' ? isDomainVerified(domain) : Promise.resolve(false);
      const allowed = await check.catch(() => undefined);
      const status = allowed === undefined ? 503 : allowed ? 200 : 404;
      return reply.status(status).send({ allowed: allowed ?? false });
    },
  };
  for (const { path } of opsRoutes) app.get(path, handlers[path]);
  app.get('/', (_request, reply) => reply.send({ paths: opsRoutes.map(({ path }) => path) }));

  await app.ready();
  await socket.handTo(app.server);
  return {
    drain() {
      draining = true;
    },
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

export async function runChecks(checks: ReadinessChecks): Promise<Readiness> {
  const results = await Promise.all(Object.entries(checks).map(runCheck));
  const ready = results.every(({ isReady }) => isReady);
  return { ready, checks: Object.fromEntries(results.map(({ name, text }) => [name, text])) };
}

const noAnswer = { text: 'no answer', isReady: false };

async function runCheck([name, check]: [string, () => Promise<void>]) {
  const outcome = check().then(
    () => ({ text: 'ok', isReady: true }),
    (error: unknown) => ({ text: 'failing', isReady: error instanceof SharedOutage }),
  );
  const end = new AbortController();
  const late = sleep(checkMs, noAnswer, { signal: end.signal });
  // Rejects when it is ended.
  late.catch(() => {});
  const result = await Promise.race([outcome, late]);
  end.abort();
  return { name, ...result };
}
