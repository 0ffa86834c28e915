// Signing in with a passkey.
import type { ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { callerOf } from '../../api/principal.ts';
import { type Random, randomText } from '../../base/crypto/ids.ts';
import { invalid } from '../../base/errors/errors.ts';
import type { PasskeySignIn } from '../passkeys/sign-in.ts';
import type { Cookies } from './cookies.ts';
import type { NetworkThrottle } from './network-throttle.ts';
import type { SessionStarter } from './start-session.ts';

export type PasskeyMethodOptions = {
  readonly passkeySignIn: PasskeySignIn;
  /** A passkey cannot be guessed. This bounds the work for one network. */
  readonly passkeyThrottle: NetworkThrottle;
  readonly cookies: Cookies;
  readonly random: Random;
};

type PasskeyMethods = Pick<
  ServiceImpl<typeof SessionService>,
  'startPasskeySignIn' | 'signInWithPasskey'
>;

export function createPasskeyMethods(
  options: PasskeyMethodOptions,
  { start }: SessionStarter,
): PasskeyMethods {
  const { passkeySignIn, passkeyThrottle, cookies, random } = options;
  return {
    async startPasskeySignIn({ userId }, context) {
      // Several tabs of a browser share the cookie.
      const browserId = cookies.readPasskeyBrowser(context) ?? randomText(random);
      cookies.writePasskeyBrowser(context, browserId);
      return { options: await passkeySignIn.start(browserId, userId) };
    },

    async signInWithPasskey({ credential }, context) {
      if (credential === undefined) throw invalid('credential', 'is required');
      const counted = await passkeyThrottle.count(callerOf(context).call.peer);
      const browserId = cookies.readPasskeyBrowser(context);
      const { user, amr, settle } = await passkeySignIn.check(browserId, credential);
      const device = cookies.readDevice(context, user.email);
      return start(context, {
        ...{ user, amr, device },
        async settle(trx) {
          await settle(trx);
          await counted.takeBack(trx);
        },
      });
    },
  };
}
