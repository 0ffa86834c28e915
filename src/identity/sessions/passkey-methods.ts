// Signing in with a passkey.
import type { ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { callerOf } from '../../api/principal.ts';
import type { Clock } from '../../base/clock.ts';
import { type Random, randomText } from '../../base/crypto/ids.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { networkOf } from '../../base/net/network.ts';
import type { Database } from '../../storage/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';
import type { PasskeySignIn } from '../passkeys/sign-in.ts';
import type { Cookies } from './cookies.ts';
import type { SessionStarter } from './start-session.ts';

const second = 1_000;

const limits = {
  // A passkey cannot be guessed. This bounds the work for one network.
  network: { free: 50, firstWaitMs: second, waitMsMax: 8 * second, forgetMs: 60 * second },
} as const satisfies Record<string, ThrottleLimit>;

export type PasskeyMethodOptions = {
  readonly db: Database;
  readonly passkeySignIn: PasskeySignIn;
  readonly passkeyThrottleKeys: DerivedKeys;
  readonly cookies: Cookies;
  readonly random: Random;
  readonly now: Clock;
};

type PasskeyMethods = Pick<
  ServiceImpl<typeof SessionService>,
  'startPasskeySignIn' | 'signInWithPasskey'
>;

export function createPasskeyMethods(
  options: PasskeyMethodOptions,
  { start }: SessionStarter,
): PasskeyMethods {
  const { db, passkeySignIn, passkeyThrottleKeys: keys, cookies, random, now } = options;
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });
  return {
    async startPasskeySignIn({ userId }, context) {
      // Several tabs of a browser share the cookie.
      const browserId = cookies.readPasskeyBrowser(context) ?? randomText(random);
      cookies.writePasskeyBrowser(context, browserId);
      return { options: await passkeySignIn.start(browserId, userId) };
    },

    async signInWithPasskey({ credential }, context) {
      if (credential === undefined) throw invalid('credential', 'is required');
      const network = networkOf(callerOf(context).call.peer);
      const counted = await throttle.count([throttle.counter('network', network)]);
      const browserId = cookies.readPasskeyBrowser(context);
      const { user, amr, settle } = await passkeySignIn.check(browserId, credential);
      const device = cookies.readDevice(context, user.email);
      return start(context, {
        ...{ user, amr, device },
        async settle(trx) {
          await settle(trx);
          for (const attempt of counted) await throttle.takeBack(trx, attempt);
        },
      });
    },
  };
}

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many attempts to sign in; wait before the next.', {
    retryAfterSeconds,
  });
