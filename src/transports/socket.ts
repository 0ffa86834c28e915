// Binds sockets before their servers exist, so that all addresses are known from the start.
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type BoundSocket = {
  readonly port: number;
  /** `<host>:<port>` */
  readonly address: string;
  /** Hands the socket over to a server, including connections that are already waiting. */
  handTo(server: Server): Promise<void>;
  close(): Promise<void>;
};

/** Connections that may wait until their server exists. */
const waitingMax = 1_000;

/** Connections that the kernel keeps until the service accepts them, if its own limit allows. */
export const backlog = 4_096;

/** Binds a port, 0 for a free one. Throws `EADDRINUSE` if it is in use. */
export async function bindSocket(options: {
  readonly host: string;
  readonly port: number;
}): Promise<BoundSocket> {
  const { host } = options;
  const waiting = new Set<Socket>();
  // Paused connections are accepted but not read.
  const holder = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    waiting.add(socket);
    socket.on('error', () => {}).once('close', () => waiting.delete(socket));
  });
  holder.maxConnections = waitingMax;
  await listen(holder, () => holder.listen({ ...options, backlog }));
  const bound = holder.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    port,
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    async handTo(server) {
      // The server takes over the handle. The holder then receives no more connections.
      await listen(server, () => server.listen(holder));
      for (const socket of waiting) {
        server.emit('connection', socket);
        socket.resume();
      }
      waiting.clear();
    },
    close() {
      for (const socket of waiting) socket.destroy();
      return new Promise((resolve) => void holder.close(() => resolve()));
    },
  };
}

export function listen(server: Server, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    start();
  });
}

/** A limit for `acceptWaiting`, because further connections may arrive. */
const acceptMs = 1_000;

/** Accepts the connections that wait in the kernel, which would be reset if the server closed. */
export async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = true;
  const onAccepted = () => {
    hasAccepted = true;
  };
  server.on('connection', onAccepted).on('drop', onAccepted);
  const lastTime = performance.now() + acceptMs;
  while (hasAccepted && performance.now() < lastTime) {
    hasAccepted = false;
    // Node accepts one connection in each turn. A whole turn is between two immediates.
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', onAccepted).off('drop', onAccepted);
}
