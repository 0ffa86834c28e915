// The TLS handshakes that a server has not finished.
import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

/** The sockets of connections whose handshake has not ended. */
export function trackHandshakes(listener: Server): Iterable<Socket> {
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
