import { useQuery } from '@connectrpc/connect-query';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';

/** Whether users can have passwords; undefined until the answer arrives. */
export function useLocalPasswords(): boolean | undefined {
  return useQuery(SessionService.method.getSignInOptions, {}).data?.passwords;
}
