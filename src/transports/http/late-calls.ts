// The errors of late, canceled and cut calls, and the limit of their deadlines.
import { Code } from '@connectrpc/connect';
import { type Failure, fail } from '../../base/errors/errors.ts';

/** The maximum duration of a call with any deadline: the time limit of a request. */
export const timeoutMsMax = 30 * 60_000;

export function lateRequest(limitMs: number): Failure {
  const detail = `The request did not arrive in full within ${Math.round(limitMs / 1000)} seconds.`;
  return fail('canceled', detail, { grpc: Code.DeadlineExceeded });
}

export function canceledCall(isLate = false): Failure {
  return isLate
    ? fail('canceled', 'The deadline of the call has passed.', { grpc: Code.DeadlineExceeded })
    : fail('canceled', 'The caller closed the connection.');
}

export const incompleteMessage = () =>
  fail('invalid_argument', 'The request ends in the middle of a message.');
