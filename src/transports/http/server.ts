// Node's HTTP server with limits for time, connections, pipelining and malformed requests.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { requestIdFrom } from '../../api/call.ts';
import { fail } from '../../base/errors/errors.ts';
import { countedWarning } from '../../base/limits/counted-warning.ts';
import { problemOf } from './problem.ts';
import { rememberExpectation } from './request-body.ts';
import { countedResponses, type Unread } from './unread.ts';

/** For a year, a browser that used https uses only https for this host (RFC 6797). */
export const strictTransportSecurity = ['strict-transport-security', 'max-age=31536000'] as const;

export const isHttps = (publicUrl: string) => publicUrl.startsWith('https:');

export type HttpLimits = {
  /** The time limit for a request to arrive in full, except uploads. */
  readonly requestMs: number;
  readonly uploadMs: number;
  /** The maximum number of connections. Further ones are closed immediately. */
  readonly connectionsMax: number;
};

export const defaultHttpLimits: HttpLimits = {
  requestMs: 30_000,
  uploadMs: 30 * 60_000,
  connectionsMax: 4_096,
};

export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export type PendingResponses = Map<Socket, ServerResponse>;

export type HttpServerOptions = {
  readonly limits: HttpLimits;
  readonly pendingResponses: PendingResponses;
  readonly unread: Unread;
  readonly warn: (facts: object, message: string) => void;
  readonly accept: (request: IncomingMessage, response: ServerResponse) => void;
  /** Responds to a request if `accept` throws. */
  readonly refuse: (thrown: unknown, request: IncomingMessage, response: ServerResponse) => void;
  /** Responds to a request with an undefined `Expect`. */
  readonly refuseExpectation: (request: IncomingMessage, response: ServerResponse) => void;
  readonly create?: (options: ServerOptions) => Server;
};

/** How long to wait for a client that stops sending or reading. */
export const stalledMs = 60_000;
/** How often Node checks the time limits of requests. */
const lateCheckMs = 1_000;

export function createHttpServer(options: HttpServerOptions): Server {
  const { limits, pendingResponses, unread, warn, accept, refuse, refuseExpectation } = options;
  const server = (options.create ?? createServer)({
    requestTimeout: limits.requestMs,
    headersTimeout: Math.min(20_000, limits.requestMs),
    connectionsCheckingInterval: lateCheckMs,
    // Node would answer 400 with an empty body. `findHeadProblem` refuses the request with an
    // error.
    requireHostHeader: false,
    ServerResponse: countedResponses(unread),
  });
  const unsupportedExpectations = new WeakSet<IncomingMessage>();
  const onRequest = handleInSequence((request, response) => {
    if (isFramingDoubtful(request)) response.setHeader('connection', 'close');
    try {
      if (unsupportedExpectations.has(request)) refuseExpectation(request, response);
      else accept(request, response);
    } catch (thrown) {
      // An uncaught error of a listener would end the process.
      refuse(thrown, request, response);
    }
  }, pendingResponses);
  server.on('request', onRequest);
  server.on('checkContinue', (request, response) => {
    rememberExpectation(request);
    onRequest(request, response);
  });
  server.on('checkExpectation', (request, response) => {
    unsupportedExpectations.add(request);
    onRequest(request, response);
  });
  server.setTimeout(stalledMs);
  server.keepAliveTimeout = 30_000;
  limitConnections(server, limits.connectionsMax, warn);
  return server;
}

/** Requests of one connection that may wait for the responses to earlier ones. */
const waitingMax = 16;

/**
 * Limits pipelining: a client may send requests before it has received the responses to earlier
 * ones (RFC 9112 §9.3.2). Handles the requests of a connection one after another, and closes a
 * connection with too many waiting requests. One read can contain thousands of requests, and Node
 * emits them all. Keeps `pendingResponses` current.
 */
function handleInSequence(handle: Handle, pendingResponses: PendingResponses): Handle {
  const waiting = new Map<Socket, ServerResponse[]>();

  function begin(request: IncomingMessage, response: ServerResponse): void {
    pendingResponses.set(request.socket, response);
    response.on('close', beginNext);
    handle(request, response);
  }

  function beginNext(this: ServerResponse): void {
    const { socket } = this.req;
    pendingResponses.delete(socket);
    const next = waiting.get(socket)?.shift();
    if (next === undefined || socket.destroyed) waiting.delete(socket);
    else begin(next.req, next);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (!pendingResponses.has(socket)) {
      begin(request, response);
      return;
    }
    const later = waiting.get(socket) ?? [];
    waiting.set(socket, later);
    if (later.length < waitingMax) {
      later.push(response);
    } else {
      socket.destroy();
      stopParsing(socket);
    }
  };
}

type Parser = { onIncoming?: unknown };

/**
 * Node keeps parsing the bytes that it has read, even on a closed connection. There is no
 * documented way to stop it: 2 is Node's value for an upgrade, after which HTTP ends. If a version
 * of Node ignores it, the requests are dropped one by one, at a higher cost.
 */
function stopParsing(socket: Socket & { readonly parser?: Parser | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
}

/**
 * HTTP/1.0 does not define Transfer-Encoding, so a proxy may have seen another end of the body. No
 * further request is read from such a connection (RFC 9112 §6.1).
 */
function isFramingDoubtful({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

function limitConnections(
  server: Server,
  connectionsMax: number,
  warn: HttpServerOptions['warn'],
): void {
  server.maxConnections = connectionsMax;
  const warnOfDrop = countedWarning((refused) =>
    warn({ refused, connections_max: connectionsMax }, 'too many HTTP connections'),
  );
  server.on('drop', warnOfDrop);
}

/** The time limits of uploads. Node ends other requests at the time limit of its server. */
export type Deadlines = {
  extend(request: IncomingMessage, response: ServerResponse): void;
  isExtended(socket: Socket): boolean;
};

export function createDeadlines({ uploadMs }: { readonly uploadMs: number }): Deadlines {
  const extended = new WeakSet<Socket>();
  return {
    isExtended: (socket) => extended.has(socket),
    extend({ socket }, response) {
      extended.add(socket);
      const timer = setTimeout(() => socket.destroy(), uploadMs);
      timer.unref();
      response.once('close', () => {
        clearTimeout(timer);
        extended.delete(socket);
      });
    },
  };
}

const malformedStatuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Connections with a refused malformed request, until their clients have read the response. */
const answered = new WeakSet<Socket>();

/** Responds to bytes that are not valid HTTP, and to headers that are too large or too late. */
export function refuseMalformed(
  error: Error & { code?: string },
  socket: Socket,
  publicUrl: string,
): void {
  // Node emits an event for each further piece that it cannot parse.
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
  const all = [
    ['date', new Date().toUTCString()],
    ...Object.entries(headers),
    ...(isHttps(publicUrl) ? [strictTransportSecurity] : []),
  ];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  const head = `${start}${lines.join('')}x-request-id: ${requestId}\r\n`;
  const length = Buffer.byteLength(body);
  socket.write(`${head}connection: close\r\ncontent-length: ${length}\r\n\r\n${body}`);
  if (status === 431) lingerOn(socket);
  // Closes both sides: a request in progress, such as an upload, ends with its connection.
  else socket.destroySoon();
}

const malformedMs = 2_000;

/** Ends the sending side, so that a client that is still sending can read the response. */
function lingerOn(socket: Socket): void {
  answered.add(socket);
  socket.end();
  const timer = setTimeout(() => socket.destroy(), malformedMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
