// A TLS server for the gRPC listener, in front of its HTTP/2 server, which has no port. So the
// limits of connections are the same with and without TLS.
import type { Http2Server } from 'node:http2';
import { createServer, type Server } from 'node:tls';
import type { Tls } from './tls.ts';

export function createSecureListener(tls: Tls, server: Http2Server): Server {
  const listener = createServer({ ...tls.optionsOf('grpc'), noDelay: true });
  tls.keepCurrent(listener, 'grpc');
  listener.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    if (socket.alpnProtocol === 'h2') server.emit('connection', socket);
    else socket.destroy();
  });
  listener.on('tlsClientError', (_error, socket) => socket.destroy());
  return listener;
}
