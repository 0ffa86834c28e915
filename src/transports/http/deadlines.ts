// Time limits for requests to arrive. Node ends a request that does not arrive in full within the
// server's time limit. Uploads have a longer limit.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Deadlines = {
  /** Gives a request the time of an upload. */
  extend(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the request in progress on the connection has the time of an upload. */
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
