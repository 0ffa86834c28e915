// How long a request may take to arrive. Node ends a request that has not arrived in full within
// the time of the server; an upload has its own, longer time.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Deadlines = {
  /** Gives a request the time of an upload. */
  extend(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the request under way on the connection has the time of an upload. */
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
