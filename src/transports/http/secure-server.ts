// The HTTP listener with TLS: HTTP/2 or HTTP/1.1, as the client negotiates (RFC 7301).
import type { Server } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import type { Tls } from '../tls/tls.ts';
import { connectionLimits } from './connections.ts';
import { createHttp2, type Http2, type Http2Options } from './http2.ts';
import { createHttpServer, type HttpServerOptions, type PendingResponses } from './server.ts';

export type SecureHttpServer = { readonly server: Server; readonly http2: Http2 };

export function createSecureHttpServer(
  tls: Tls,
  options: HttpServerOptions & Pick<Http2Options, 'isExtended'>,
): SecureHttpServer {
  const http2 = createHttp2(options);
  const create = (times: object): Server => {
    const tlsOptions = tls.optionsOf('http');
    const server = createServer({ ...times, ...tlsOptions });
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
    tls.keepCurrent(server, 'http');
    if (tlsOptions.requestCert === true) {
      const certified = trackCertified(server);
      // Later connections have a certificate of the new CA, or none.
      tls.onClientCaChange('http', () => {
        void http2.retire();
        for (const socket of certified) retire(socket, options.pendingResponses);
      });
    }
    // node:https serves HTTP like node:http, but the types do not say so.
    return server as unknown as Server;
  };
  const server = createHttpServer({ ...options, create });
  server.once('close', http2.end);
  return { server, http2 };
}

function trackCertified(server: TlsServer): ReadonlySet<TLSSocket> {
  const certified = new Set<TLSSocket>();
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.getPeerX509Certificate() === undefined) return;
    certified.add(socket);
    socket.once('close', () => certified.delete(socket));
  });
  return certified;
}

/** Ends a connection after its response in progress, or after a time. */
function retire(socket: TLSSocket, pendingResponses: PendingResponses): void {
  const isHttp2 = socket.alpnProtocol === 'h2';
  const response = pendingResponses.get(socket);
  if (!isHttp2 && response === undefined) {
    socket.destroy();
    return;
  }
  if (response?.headersSent === false) response.setHeader('connection', 'close');
  response?.once('close', () => socket.destroySoon());
  setTimeout(() => socket.destroy(), connectionLimits.graceMs).unref();
}
