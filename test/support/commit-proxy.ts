// A proxy in front of PostgreSQL that drops connections around a COMMIT.
import { connect, createServer, type Socket } from 'node:net';

/**
 * `answer-lost`: PostgreSQL commits, but its answer is lost. `commit-lost`: PostgreSQL never
 * receives the COMMIT.
 */
export type Loss = 'none' | 'answer-lost' | 'commit-lost';

export type CommitProxy = {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Sets what happens to every later COMMIT. */
  lose(loss: Loss): void;
  /** The number of lost COMMITs. */
  lost(): number;
  close(): void;
};

export async function startCommitProxy(databaseUrl: string): Promise<CommitProxy> {
  const target = new URL(databaseUrl);
  let loss: Loss = 'none';
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    let isLosing = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    near.on('data', (bytes) => {
      if (loss !== 'none' && /commit\0/i.test(bytes.toString('latin1'))) {
        count++;
        if (loss === 'commit-lost') return cut();
        isLosing = true;
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => (isLosing ? cut() : near.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    lose(next) {
      loss = next;
    },
    lost: () => count,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
