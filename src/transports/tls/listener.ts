// A TLS server for the gRPC listener, in front of its HTTP/2 server, which has no port. So the
// limits of connections are the same with and without TLS.
import type { Http2Server } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { Tls } from './tls.ts';

export function createSecureListener(tls: Tls, server: Http2Server): Server {
  const listener = createServer({ ...tls.optionsOf('grpc'), noDelay: true });
  tls.keepCurrent(listener, 'grpc');
  const handshakes = trackHandshakes(listener);
  // A handshake that began before the change accepts certificates of the former CA.
  tls.onClientCaChange(() => {
    for (const socket of handshakes) socket.destroy();
  });
  listener.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    if (socket.alpnProtocol === 'h2') server.emit('connection', socket);
    else socket.destroy();
  });
  listener.on('tlsClientError', (_error, socket) => socket.destroy());
  return listener;
}

/** The sockets of connections whose handshake has not ended. */
function trackHandshakes(listener: Server): Iterable<Socket> {
  const handshakes = new Map<string, Socket>();
  // The two events below have different objects for one connection.
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  listener.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    handshakes.set(name, socket);
    socket.once('close', () => {
      if (handshakes.get(name) === socket) handshakes.delete(name);
    });
  });
  listener.on('secureConnection', (socket) => handshakes.delete(nameOf(socket)));
  return { [Symbol.iterator]: () => handshakes.values() };
}
