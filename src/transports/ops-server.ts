// Liveness, readiness and metrics for operators.
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, failureOf } from '../base/errors/errors.ts';
import { compressText } from './http/compression.ts';
import { problemOf } from './http/problem.ts';
import { pathOf, readAbsoluteForm, readRequestId } from './http/request-facts.ts';
import { sendWhole } from './http/send.ts';
import { refuseMalformed } from './http/server.ts';
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
/** The time limit for a request to arrive in full. */
const requestMs = 10_000;
const idleMs = 60_000;
const connectionsMax = 256;

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
};

function json(status: number, value: object): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify(value) };
}

export async function startOpsServer({
  socket,
  publicUrl,
  readiness,
  metrics,
  isDomainVerified,
}: OpsOptions): Promise<OpsServer> {
  let draining = false;

  const handlers: Readonly<Record<OpsPath | '/', (request: IncomingMessage) => Promise<Answer>>> = {
    '/': async () => json(200, { paths: opsRoutes.map(({ path }) => path) }),
    '/healthz': async () => json(200, { status: 'ok' }),
    '/readyz': async () => {
      const { ready: isReady, ...facts } = await readiness();
      const ready = !draining && isReady;
      const status = draining ? 'draining' : ready ? 'ok' : 'not ready';
      const answer = json(ready ? 200 : 503, { status, ...facts });
      return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } };
    },
    '/metrics': async (request) => {
      const text = await metrics.read();
      const { body, headers } = await compressText(text, request.headers['accept-encoding']);
      return { status: 200, headers: { 'content-type': metrics.contentType, ...headers }, body };
    },
    '/internal/domain-allowed': async ({ url = '' }) => {
      const names = new URLSearchParams(url.slice(pathOf(url).length)).getAll('domain');
      const check = names.length === 1 ? isDomainVerified(names[0] ?? '') : Promise.resolve(false);
      const allowed = await check.catch(() => undefined);
      const status = allowed === undefined ? 503 : allowed ? 200 : 404;
      return json(status, { allowed: allowed ?? false });
    },
  };
  const byPath = new Map(Object.entries(handlers));

  async function answer(request: IncomingMessage): Promise<Answer> {
    const problem = readAbsoluteForm(request);
    if (problem !== undefined) throw fail('invalid_argument', problem);
    const read = byPath.get(pathOf(request.url ?? ''));
    if (read === undefined) throw fail('not_found', 'Nothing exists at this path.');
    if (request.method === 'GET' || request.method === 'HEAD') return read(request);
    const headers = { allow: 'GET, HEAD' };
    throw fail('method_not_allowed', 'The path accepts GET, HEAD.', { headers });
  }

  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: idleMs,
    },
    (request, response) => {
      const requestId = readRequestId(request);
      const sent = { request, response, requestId };
      answer(request)
        .catch((thrown: unknown) =>
          problemOf(failureOf(thrown), { publicUrl, requestId, oauthErrors: false }),
        )
        .then(({ body, ...head }) => sendWhole(sent, head, body))
        .catch(() => response.destroy());
    },
  );
  server.on('clientError', (error, client) => refuseMalformed(error, client as Socket, publicUrl));
  server.maxConnections = connectionsMax;
  await socket.handTo(server);
  return {
    drain() {
      draining = true;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
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
