// A proxy in front of PostgreSQL that drops connections around a COMMIT, or holds it back.
import { connect, createServer, type Socket } from 'node:net';

/**
 * `answer-lost`: PostgreSQL commits, but its answer is lost. `commit-lost`: PostgreSQL never
 * receives the COMMIT. `held`: PostgreSQL receives the COMMIT after the loss has changed.
 */
export type Loss = 'none' | 'answer-lost' | 'commit-lost' | 'held';

export type CommitProxy = {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Sets what happens to every later COMMIT of a transaction with a statement that matches. */
  lose(loss: Loss, statement?: RegExp): void;
  /** Loses only the next COMMIT of a transaction with a statement that matches. */
  loseNext(loss: Loss, statement: RegExp): void;
  /** The number of lost and held COMMITs. */
  lost(): number;
  close(): void;
};

const anyStatement = /^/;

export async function startCommitProxy(databaseUrl: string): Promise<CommitProxy> {
  const target = new URL(databaseUrl);
  let loss: Loss = 'none';
  let statement = anyStatement;
  let isOnce = false;
  let count = 0;
  const sockets = new Set<Socket>();
  let held: (() => void)[] = [];
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    let isLosing = false;
    let transaction = '';
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    near.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      transaction = /begin;/i.test(text) ? text : transaction + text;
      if (loss !== 'none' && /commit\0/i.test(text) && statement.test(transaction)) {
        count++;
        const current = loss;
        if (isOnce) loss = 'none';
        if (current === 'commit-lost') return cut();
        if (current === 'held') return void held.push(() => far.write(bytes));
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
    lose(next, pattern = anyStatement) {
      [loss, statement, isOnce] = [next, pattern, false];
      for (const release of held) release();
      held = [];
    },
    loseNext(next, pattern) {
      [loss, statement, isOnce] = [next, pattern, true];
    },
    lost: () => count,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
