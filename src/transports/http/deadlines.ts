// Time limits for receiving requests. Node ends a request that does not arrive in full within the
// server's time limit. Uploads have a longer limit. Also has the errors of late and canceled calls.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Code } from '@connectrpc/connect';
import { type Failure, fail } from '../../base/errors/errors.ts';

/** The maximum duration of a call with any deadline: the time limit of a request. */
export const timeoutMsMax = 30 * 60_000;

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

/** The error of a request that has not arrived in full within its time limit. */
export function lateRequest(limitMs: number): Failure {
  const detail = `The request did not arrive in full within ${Math.round(limitMs / 1000)} seconds.`;
  return fail('canceled', detail, { grpc: Code.DeadlineExceeded });
}

/** The error of a call that its caller has ended, or whose deadline has passed. */
export function canceledCall(isLate = false): Failure {
  return isLate
    ? fail('canceled', 'The deadline of the call has passed.', { grpc: Code.DeadlineExceeded })
    : fail('canceled', 'The caller closed the connection.');
}
