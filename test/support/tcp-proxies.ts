// TCP servers that forward each connection to another server, until the end of the test.
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

/** Forwards the requests to a port of this machine, and drops the answers. Returns its own port. */
export const startSilentProxy = (port: number): Promise<number> =>
  startForwarding({
    target: () => ({ port, host: '127.0.0.1' }),
    join: (client, upstream) => void client.pipe(upstream).resume(),
  });

export type ClosedProxy = {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Resolves when the first client waits. */
  readonly tried: Promise<void>;
  open(): void;
};

/** Accepts connections, but forwards no byte before it is open. */
export async function startClosedProxy(databaseUrl: string): Promise<ClosedProxy> {
  const { port, hostname: host } = new URL(databaseUrl);
  let reportTry = () => {};
  const tried = new Promise<void>((resolve) => {
    reportTry = resolve;
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const proxyPort = await startForwarding({
    target: () => ({ port: Number(port), host }),
    async join(client, upstream) {
      reportTry();
      await opened;
      client.pipe(upstream).pipe(client);
    },
  });
  const url = new URL(databaseUrl);
  url.port = String(proxyPort);
  return { url: url.href, tried, open };
}

export type HoldingProxy = {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Sends nothing more to the database, on any connection. */
  hold(): void;
  /** Sends everything that was held. */
  release(): void;
};

export async function startHoldingProxy(databaseUrl: string): Promise<HoldingProxy> {
  const { port, hostname: host } = new URL(databaseUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isHeld = false;
  const proxyPort = await startForwarding({
    target: () => ({ port: Number(port), host }),
    join(client, upstream) {
      pairs.add([client, upstream]);
      upstream.pipe(client);
      if (!isHeld) client.pipe(upstream);
    },
  });
  const url = new URL(databaseUrl);
  url.port = String(proxyPort);
  return {
    url: url.href,
    hold() {
      isHeld = true;
      for (const [client, upstream] of pairs) client.unpipe(upstream);
    },
    release() {
      isHeld = false;
      for (const [client, upstream] of pairs) client.pipe(upstream);
    },
  };
}

export type SwitchedProxy = {
  /** The URL of the database at this address. */
  readonly url: string;
  /** New connections lead to the server of this URL. Existing ones stay open. */
  switchTo(databaseUrl: string): void;
};

export async function startSwitchedProxy(databaseUrl: string): Promise<SwitchedProxy> {
  let target = new URL(databaseUrl);
  const port = await startForwarding({
    target: () => ({ port: Number(target.port), host: target.hostname }),
    join: (client, upstream) => void client.pipe(upstream).pipe(client),
  });
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    switchTo(other) {
      target = new URL(other);
    },
  };
}
