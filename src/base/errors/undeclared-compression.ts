import { Code } from '@connectrpc/connect';
import { fail } from './errors.ts';

/** Connect and gRPC require this status, but the mistake is the caller's. */
export const undeclaredCompression = () =>
  fail('invalid_argument', 'A message is compressed, and the headers name no compression.', {
    grpc: Code.Internal,
  });
