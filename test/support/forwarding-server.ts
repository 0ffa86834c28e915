// A TCP server that forwards each connection to another server, until the end of the test.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Forwarding = {
  /** Returns the server for a new connection. */
  readonly target: () => { readonly port: number; readonly host: string };
  /** Passes the bytes on. */
  readonly join: (client: Socket, upstream: Socket) => void;
};

/** Returns the port of the server. */
export async function startForwarding({ target, join }: Forwarding): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    join(client, upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
