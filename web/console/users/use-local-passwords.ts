import { useQuery } from '@connectrpc/connect-query';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';

/** Whether users can have passwords. Undefined while the call is pending; true if it fails. */
export function useLocalPasswords(): boolean | undefined {
  const { data, isPending } = useQuery(SessionService.method.getSignInOptions, {});
  return isPending ? undefined : (data?.passwords ?? true);
}
