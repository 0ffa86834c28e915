// Node's HTTP server with our limits: on time, on connections, on bytes that are not HTTP.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { requestIdFrom } from '../../api/call.ts';
import { fail } from '../../errors/errors.ts';
import { noteExpectation } from './incoming.ts';
import { oneAtATime } from './pipelining.ts';
import { problemOf } from './problem.ts';

/** RFC 6797: for a year, a browser that used https uses nothing else for this host. */
export const strictTransport = ['strict-transport-security', 'max-age=31536000'] as const;

export const isHttps = (publicUrl: string) => publicUrl.startsWith('https:');

/** What one client, or all of them together, may cost the listener. */
export type HttpLimits = {
  /** How long a request may take to arrive in full, unless it is an upload. */
  readonly requestMs: number;
  /** How long an upload may take. */
  readonly uploadMs: number;
  /** Connections at one time; further ones are closed at once. */
  readonly connectionsMax: number;
};

export const defaultLimits: HttpLimits = {
  requestMs: 30_000,
  uploadMs: 30 * 60_000,
  connectionsMax: 4_096,
};

type HttpServerOptions = {
  readonly limits: HttpLimits;
  /** Logs a warning for the operator. */
  readonly warn: (facts: object, message: string) => void;
  readonly accept: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers a request that `accept` has thrown for. */
  readonly refuse: (thrown: unknown, request: IncomingMessage, response: ServerResponse) => void;
  /** Answers a request with an `Expect` that HTTP does not define. */
  readonly refuseExpectation: (request: IncomingMessage, response: ServerResponse) => void;
};

/** A client that stops sending or reading is not waited for longer than this. */
const stalledMs = 60_000;
/** How often Node looks for requests that are late. */
const lateCheckMs = 1_000;

export function createHttpServer(options: HttpServerOptions): Server {
  const { limits, warn, accept, refuse, refuseExpectation } = options;
  const server = createServer({
    requestTimeout: limits.requestMs,
    headersTimeout: Math.min(20_000, limits.requestMs),
    connectionsCheckingInterval: lateCheckMs,
  });
  const unmet = new WeakSet<IncomingMessage>();
  const onRequest = oneAtATime((request, response) => {
    try {
      if (unmet.has(request)) refuseExpectation(request, response);
      else accept(request, response);
    } catch (thrown) {
      // An error of a listener belongs to no request: it would end the process.
      refuse(thrown, request, response);
    }
  });
  server.on('request', onRequest);
  server.on('checkContinue', (request, response) => {
    noteExpectation(request);
    onRequest(request, response);
  });
  server.on('checkExpectation', (request, response) => {
    unmet.add(request);
    onRequest(request, response);
  });
  server.setTimeout(stalledMs);
  server.keepAliveTimeout = 30_000;
  limitConnections(server, limits.connectionsMax, warn);
  return server;
}

/** Connections that are refused for their number are logged once in this time. */
const warnMs = 60_000;

function limitConnections(
  server: Server,
  connectionsMax: number,
  warn: HttpServerOptions['warn'],
): void {
  server.maxConnections = connectionsMax;
  let refused = 0;
  const report = () => {
    warn({ refused, connections_max: connectionsMax }, 'too many HTTP connections');
    refused = 0;
  };
  server.on('drop', () => {
    if (refused++ === 0) setTimeout(report, warnMs).unref();
  });
}

const malformedStatuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Connections whose malformed request was answered, until their clients have read the answer. */
const answered = new WeakSet<Socket>();

/** Answers bytes that are not HTTP, are too many, or do not arrive in time. */
export function refuseMalformed(
  error: Error & { code?: string },
  socket: Socket,
  publicUrl: string,
): void {
  // Node reports each further piece of what it cannot parse.
  if (answered.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const failure = fail(
    'invalid_argument',
    isLate
      ? 'The request did not arrive in time.'
      : 'The request is not well-formed HTTP, or too large.',
  );
  const requestId = requestIdFrom(undefined);
  const status = malformedStatuses[error.code ?? ''] ?? failure.status;
  const context = { publicUrl, requestId, oauthErrors: false, status };
  const { headers, body } = problemOf(failure, context);
  const all = isHttps(publicUrl)
    ? [...Object.entries(headers), strictTransport]
    : Object.entries(headers);
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  const head = `${start}${lines.join('')}x-request-id: ${requestId}\r\n`;
  const length = Buffer.byteLength(body);
  socket.write(`${head}connection: close\r\ncontent-length: ${length}\r\n\r\n${body}`);
  if (status === 431) lingerOn(socket);
  // Not only our side: a request under way, such as an upload, ends with its connection.
  else socket.destroySoon();
}

/** How long a client that has sent something malformed may take to read the answer. */
const malformedMs = 2_000;

/** Sends no more, and lets a client that is still sending its headers read the answer. */
function lingerOn(socket: Socket): void {
  answered.add(socket);
  socket.end();
  const timer = setTimeout(() => socket.destroy(), malformedMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
