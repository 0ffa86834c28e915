// A TCP proxy in front of a PostgreSQL server that cuts a connection around a COMMIT.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * `answer`: the server commits and its answer is lost. `request`: the server never receives the
 * COMMIT.
 */
export type Cut = 'answer' | 'request';

export type CuttingProxy = {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Cuts the next COMMIT of a transaction in which the client sent `statement`. */
  cutNext(cut: Cut, statement: string): void;
  /** The number of cut connections. */
  cuts(): number;
  close(): Promise<void>;
};

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: { cut: Cut; statement: string } | undefined;
  let cuts = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const both = [client, upstream];
    const destroy = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          destroy();
        });
    }
    let isIn = false;
    let isLost = false;
    client.on('data', (chunk) => {
      if (armed !== undefined && chunk.includes(armed.statement)) isIn = true;
      if (isIn && chunk.includes('commit\0')) {
        const cut = armed?.cut;
        isIn = false;
        armed = undefined;
        cuts++;
        if (cut === 'request') return destroy();
        isLost = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      // The answer has arrived, so the transaction is committed.
      if (isLost) destroy();
      else client.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof bound === 'object' ? bound?.port : '');
  return {
    url: url.href,
    cutNext(cut, statement) {
      armed = { cut, statement };
    },
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
