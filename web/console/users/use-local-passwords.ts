import { useQuery } from '@connectrpc/connect-query';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';

/** Whether users can have passwords. True until the answer arrives. */
export function useLocalPasswords(): boolean {
  const { data } = useQuery(SessionService.method.getSignInOptions, {});
  return data?.passwords ?? true;
}
