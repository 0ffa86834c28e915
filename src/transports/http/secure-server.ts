// The HTTP listener with TLS: HTTP/2 or HTTP/1.1, as the client negotiates (RFC 7301).
import type { Server } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Tls } from '../tls/tls.ts';
import { createHttp2, type Http2, type Http2Options } from './http2.ts';
import { createHttpServer, type HttpServerOptions } from './server.ts';

export type SecureHttpServer = { readonly server: Server; readonly http2: Http2 };

export function createSecureHttpServer(
  tls: Tls,
  options: HttpServerOptions & Pick<Http2Options, 'isExtended'>,
): SecureHttpServer {
  const http2 = createHttp2(options);
  const create = (times: object): Server => {
    const server = createServer({ ...times, ...tls.optionsOf('http') });
    tls.keepCurrent(server, 'http');
    const serveHttp1 = server.listeners('secureConnection');
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', () => {});
      if (socket.alpnProtocol === 'h2') http2.serve(socket);
      else for (const serve of serveHttp1) serve.call(server, socket);
    });
    // A failed handshake is not malformed HTTP, which node:https reports it as.
    server.removeAllListeners('tlsClientError');
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    // node:https serves HTTP like node:http, but the types do not say so.
    return server as unknown as Server;
  };
  const server = createHttpServer({ ...options, create });
  server.once('close', http2.end);
  return { server, http2 };
}
