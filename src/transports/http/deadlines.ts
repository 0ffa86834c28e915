// Time limits for receiving requests. Node ends a request that does not arrive in full within the
// server's time limit. Uploads have a longer limit.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Deadlines = {
  /** Applies the time limit of uploads to a request. */
  extend(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the time limit of uploads applies to the connection's current request. */
  isExtended(socket: Socket): boolean;
};

export function createDeadlines({ uploadMs }: { readonly uploadMs: number }): Deadlines {
  const extended = new WeakSet<Socket>();
  return {
    isExtended: (socket) => extended.has(socket),
    extend({ socket }, response) {
      extended.add(socket);
      const timer = setTimeout(() => socket.destroy(), uploadMs);
      timer.unref();
      response.once('close', () => {
        clearTimeout(timer);
        extended.delete(socket);
      });
    },
  };
}
