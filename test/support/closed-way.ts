// A way to a PostgreSQL server that stays closed until a test opens it.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type ClosedWay = {
  /** The URL of the database through this way. */
  readonly url: string;
  /** Resolves when the first client waits. */
  readonly tried: Promise<void>;
  open(): void;
};

/** Accepts connections, but forwards no byte before it is open. */
export async function closedWayTo(databaseUrl: string): Promise<ClosedWay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let noteTry = () => {};
  const tried = new Promise<void>((resolve) => {
    noteTry = resolve;
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = createServer(async (client) => {
    noteTry();
    await opened;
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
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
  return { url: url.href, tried, open };
}
