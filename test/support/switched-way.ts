// An address of PostgreSQL servers that a failover moves from one server to another.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type SwitchedWay = {
  /** The URL of the database at this address. */
  readonly url: string;
  /** New connections lead to the server of this URL. Existing ones stay open. */
  switchTo(databaseUrl: string): void;
};

export async function switchedWayTo(databaseUrl: string): Promise<SwitchedWay> {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    switchTo(other) {
      target = new URL(other);
    },
  };
}
