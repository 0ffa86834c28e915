// The HTTP listener: the JSON gateway, the pages and their assets on Fastify; Connect beside it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastifyStatic from '@fastify/static';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Address } from '../config.ts';
import { type BodyBudget, unaryBodyBytesMax } from '../rpc/body-budget.ts';
import { requestIdFrom } from '../rpc/call.ts';
import { fail } from '../rpc/errors.ts';
import { createConnectFace } from './connect.ts';
import { type GatewayOptions, pathOf, registerGateway, sayError } from './gateway/gateway.ts';
import { problemOf } from './gateway/problem.ts';

export type HttpFaceOptions = GatewayOptions & {
  /** The folder of the built browser code; served at `/assets/`. */
  readonly assetsDir: string;
  readonly address: Address;
  readonly bodies: BodyBudget;
};

export type HttpFace = {
  readonly port: number;
  /** Refuses new connections, lets requests under way finish. */
  drain(): Promise<void>;
  /** Ends whatever is left. */
  close(): void;
};

/** A client that stops sending or reading is not waited for longer than this. */
const stalledMs = 60_000;
/** A request has to have come in whole by then, be it ever so large and the line ever so slow. */
const requestMs = 30 * 60_000;

export async function startHttpFace(options: HttpFaceOptions): Promise<HttpFace> {
  const connect = createConnectFace(options);
  let draining = false;
  const underWay = new Set<ServerResponse>();
  const app = Fastify({
    bodyLimit: unaryBodyBytesMax,
    exposeHeadRoutes: false,
    // A request that arrives on an open connection while we drain is still answered.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => sayError(error, request, reply, options),
    routerOptions: { maxParamLength: 1024 },
    serverFactory: (handle) => {
      const server = createServer({ requestTimeout: requestMs, headersTimeout: 20_000 });
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        if (draining) response.setHeader('connection', 'close');
        underWay.add(response);
        response.once('close', () => underWay.delete(response));
        request.url = originForm(request.url ?? '');
        if (connect.takes(pathOf(request.url))) connect.handle(request, response);
        else handle(request, response);
      });
      server.setTimeout(stalledMs);
      server.keepAliveTimeout = 30_000;
      return server;
    },
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, options.publicUrl()),
  });
  await registerAssets(app, options.assetsDir);
  registerGateway(app, options);
  await app.listen({ host: options.address.host, port: options.address.port });
  const bound = app.server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    async drain() {
      draining = true;
      for (const response of underWay) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      await app.close();
    },
    close: () => app.server.closeAllConnections(),
  };
}

/** RFC 9112 §3.2.2: a server has to take a target that comes with its origin, as to a proxy. */
function originForm(target: string): string {
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/i.exec(target) ?? [];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

// A worker runs under the policy of its own file; pdf.js decodes some images with WebAssembly.
const assetPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

async function registerAssets(app: FastifyInstance, root: string): Promise<void> {
  await app.register(fastifyStatic, {
    root,
    prefix: '/assets/',
    index: false,
    decorateReply: false,
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    setHeaders: (response) => {
      response.setHeader('x-content-type-options', 'nosniff');
      response.setHeader('content-security-policy', assetPolicy);
      response.setHeader('cross-origin-resource-policy', 'same-origin');
      response.setHeader('vary', 'accept-encoding');
    },
  });
}

const malformedStatuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what is not HTTP, or too much of it, where no request was made of it. */
function refuseMalformed(error: Error & { code?: string }, socket: Socket, publicUrl: string) {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = fail('invalid_argument', 'The request is not well-formed HTTP, or too large.');
  const requestId = requestIdFrom(undefined);
  const { headers, body } = problemOf(failure, { publicUrl, requestId, oauthErrors: false });
  const status = malformedStatuses[error.code ?? ''] ?? failure.status;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} Refused\r\n${lines.join('')}x-request-id: ${requestId}\r\n`;
  const length = Buffer.byteLength(body);
  socket.write(`${head}connection: close\r\ncontent-length: ${length}\r\n\r\n${body}`);
  // Not only our side: a request under way, such as an upload, ends with its connection.
  socket.destroySoon();
}
