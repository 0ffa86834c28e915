// The HTTP listener: the JSON gateway with the routes and the assets, and Connect.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { ResponseBudget } from '../api/response-budget.ts';
import { type Failure, fail } from '../base/errors/errors.ts';
import { networkOf } from '../base/net/network.ts';
import type { CallAdmission } from './admission.ts';
import { createConnectTransport } from './connect/handler.ts';
import { createAssets } from './gateway/assets.ts';
import type { GatewayOptions } from './gateway/exchange.ts';
import { createGateway, oauthPathsOf, refuseRequest } from './gateway/gateway.ts';
import type { Http2Options } from './http/http2.ts';
import { hasBody } from './http/request-body.ts';
import { findHeadProblem, pathOf, readAbsoluteForm } from './http/request-facts.ts';
import {
  createDeadlines,
  createHttpServer,
  defaultHttpLimits,
  type Handle,
  type HttpLimits,
  type HttpServerOptions,
  isHttps,
  type PendingResponses,
  refuseMalformed,
  strictTransportSecurity,
} from './http/server.ts';
import { createUnread } from './http/unread.ts';
import { acceptWaiting, type BoundSocket } from './socket.ts';
import type { Tls } from './tls/tls.ts';

export type HttpTransportOptions = Omit<GatewayOptions, 'deadlines' | 'unread'> & {
  readonly responses: ResponseBudget;
  readonly assetsDir: string;
  readonly socket: BoundSocket;
  /** Without it, the listener serves HTTP/1.1 without TLS. */
  readonly tls?: Tls | undefined;
  readonly corsOrigins?: readonly string[];
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly admission: CallAdmission;
  readonly warn: (facts: object, message: string) => void;
};

export type HttpTransport = {
  /** Asks clients to close their connections after the next response. */
  announceStop(): void;
  acceptWaiting(): Promise<void>;
  /** Refuses new connections and lets requests in progress finish. */
  drain(): Promise<void>;
  close(): void;
};

export async function startHttpTransport(options: HttpTransportOptions): Promise<HttpTransport> {
  const unread = createUnread(options.responses, options.peerOf);
  const connect = createConnectTransport({ ...options, unread });
  const limits = { ...defaultHttpLimits, ...options.limits };
  const deadlines = createDeadlines(limits);
  const gateway: GatewayOptions = { ...options, deadlines, unread };
  /** The kinds of the methods by their paths over Connect. */
  const kinds = new Map(options.endpoints.map(({ kind, name }) => [`/${name}`, kind]));
  const oauthPaths = oauthPathsOf(options.endpoints);
  const isOAuth = ({ url = '' }: IncomingMessage) => oauthPaths.has(pathOf(url));
  let isStopping = false;
  const isSecure = isHttps(options.publicUrl);
  const pendingResponses: PendingResponses = new Map();
  const { tls } = options;
  const secureServers = tls && (await import('./http/secure-server.ts'));
  const cors = await corsOf(options);
  const serve = createGateway(gateway, await createAssets(options.assetsDir, gateway));

  function route(request: IncomingMessage, response: ServerResponse): void {
    if (isStopping) response.setHeader('connection', 'close');
    if (isSecure) response.setHeader(...strictTransportSecurity);
    const headerProblem = findHeadProblem(request);
    const problem = readAbsoluteForm(request) ?? headerProblem;
    if (problem !== undefined) {
      refuseRequest(fail('invalid_argument', problem), request, response, gateway);
      return;
    }
    const path = pathOf(request.url ?? '');
    // Custom domains serve only routes and assets.
    const isOnDomain = options.findDomain(request.headers.host) !== undefined;
    if (!isOnDomain && cors?.handle(path, request, response)) return;
    const kind = isOnDomain ? undefined : kinds.get(path);
    if (kind === undefined) {
      unread.admit(request);
      begin(serve, request, response);
      return;
    }
    if (kind === 'client_streaming') deadlines.extend(request, response);
    begin(connect.handle, request, response);
  }

  /** Handles a request at once, or in a later turn if too many began in this one. */
  function begin(handle: Handle, request: IncomingMessage, response: ServerResponse): void {
    if (options.admission.tryBegin()) {
      handle(request, response);
      return;
    }
    const refuse = (failure: Failure) => {
      if (handle === connect.handle) connect.refuse(failure, request, response);
      else refuseRequest(failure, request, response, gateway, failure.status, isOAuth(request));
    };
    options.admission.wait({
      isFirst: isFirst(request),
      network: networkOf(options.peerOf(request)),
      bodyBytes: bufferedBytesMax(request),
      isGone: () => response.destroyed,
      begin() {
        try {
          handle(request, response);
        } catch (thrown) {
          // An uncaught error would end the process.
          refuse(gateway.failureOf(thrown));
        }
      },
      refuse,
    });
  }

  const serverOptions = {
    limits,
    pendingResponses,
    unread,
    warn: options.warn,
    accept: route,
    refuse: (thrown: unknown, request: IncomingMessage, response: ServerResponse) =>
      refuseRequest(gateway.failureOf(thrown), request, response, gateway),
    refuseExpectation(request: IncomingMessage, response: ServerResponse) {
      const failure = fail('invalid_argument', 'The value of the Expect header is not supported.');
      refuseRequest(failure, request, response, gateway, 417);
    },
    isExtended: ({ socket }: IncomingMessage) => deadlines.isExtended(socket),
  } satisfies HttpServerOptions & Pick<Http2Options, 'isExtended'>;
  const secure = tls && secureServers?.createSecureHttpServer(tls, serverOptions);
  const server = secure?.server ?? createHttpServer(serverOptions);
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && deadlines.isExtended(socket)) return;
    if (pendingResponses.get(socket)?.headersSent) socket.destroy();
    else refuseMalformed(error, socket, options.publicUrl);
  });
  options.admission.watch(server);
  await options.socket.handTo(server);

  function announceStop(): void {
    isStopping = true;
    for (const response of pendingResponses.values()) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }
  return {
    announceStop,
    acceptWaiting: () => acceptWaiting(server),
    async drain() {
      announceStop();
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([closed, secure?.http2.retire()]);
    },
    close() {
      server.closeAllConnections();
      secure?.http2.destroy();
    },
  };
}

function isFirst(request: IncomingMessage & { readonly stream?: ServerHttp2Stream }): boolean {
  return request.stream === undefined ? request.socket.bytesWritten === 0 : request.stream.id === 1;
}

/** The bytes of a body that Node reads before the service asks for them. */
const readAheadBytes = 64 * 1024;

function bufferedBytesMax(request: IncomingMessage): number {
  if (!hasBody(request)) return 0;
  const length = Number(request.headers['content-length'] ?? readAheadBytes);
  return Math.min(length, readAheadBytes);
}

/** Loads the code for other origins only if there are any. */
async function corsOf({ corsOrigins: origins = [], endpoints }: HttpTransportOptions) {
  if (origins.length === 0) return undefined;
  const { createCors } = await import('./gateway/cors.ts');
  return createCors({ origins, endpoints });
}
