/** The second factors of the signed-in user. */
import { useQuery } from '@connectrpc/connect-query';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from '../session/session-context.tsx';

export function useOwnFactors() {
  const { id: userId } = useUser();
  const { data } = useQuery(UserService.method.getUser, { userId });
  const keys = useQuery(PasskeyService.method.listPasskeys, { userId });
  const hasPasskey = (keys.data?.passkeys.length ?? 0) > 0;
  return {
    isLoaded: data !== undefined && keys.data !== undefined,
    hasPasskey,
    /** Whether the user has a passkey or an authenticator app. */
    hasFactor: hasPasskey || data?.user?.totpEnabled === true,
  };
}
