/** Whether the session lacks a second factor that a rule requires. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { SignedInUser } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { useSignIn, useUser } from './session-context.tsx';

/** Whether the session can only add a second factor. */
export function isLimited({ secondFactorDueTime }: SignedInUser): boolean {
  return secondFactorDueTime !== undefined && timestampMs(secondFactorDueTime) <= Date.now();
}

/**
 * Returns a function to call after a factor was added. It gets the new state of the session, unless
 * that would replace the page on which the user reads the recovery codes.
 */
export function useFactorAdded(): () => Promise<void> {
  const { session } = useSignIn();
  const user = useUser();
  return async () => {
    if (user.secondFactorDueTime !== undefined && !isLimited(user)) await session.refreshNow();
  };
}
