// Bounds the sign-ins of one network that involve no password: with a passkey, with a provider, or
// with a device code. Also bounds the codes that one user enters.
import { type Clock, secondMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail } from '../../base/errors/errors.ts';
import { networkOf, siteOf } from '../../base/net/network.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';

/** A success takes its attempt back, so that a whole office can sign in within a minute. */
export const networkLimit: ThrottleLimit = {
  free: 50,
  firstWaitMs: secondMs,
  waitMsMax: 8 * secondMs,
  forgetMs: 60 * secondMs,
};

/** Many networks that guess at one user, or one user who guesses: at most 1,350 guesses a day. */
export const userLimit: ThrottleLimit = {
  free: 20,
  firstWaitMs: secondMs,
  waitMsMax: 64 * secondMs,
  forgetMs: 5 * 60 * secondMs,
};

/** All networks of a site together: at most about 560 attempts in ten minutes. */
const siteLimit: ThrottleLimit = {
  free: 500,
  firstWaitMs: secondMs,
  waitMsMax: 64 * secondMs,
  forgetMs: 10 * secondMs,
};

export type NetworkAttempt = { takeBack(trx: Executor): Promise<void> };

export type NetworkThrottle = {
  /**
   * Throws `rate_limited`, and counts nothing, if the attempt comes too early for the network,
   * the site or the user.
   */
  count(peer: string, userId?: string): Promise<NetworkAttempt>;
};

export type NetworkThrottleOptions = {
  /** Whether the attempts of a site are bounded, too: one site has many networks. */
  readonly countsSites?: boolean;
  readonly db: Database;
  /** Used by one throttle only. */
  readonly keys: DerivedKeys;
  readonly now: Clock;
};

export function createNetworkThrottle(options: NetworkThrottleOptions): NetworkThrottle {
  const limits = { network: networkLimit, user: userLimit, site: siteLimit };
  const throttle = createThrottle({ ...options, limits, refusal: tooManySignIns });
  return {
    async count(peer, userId) {
      const counted = await throttle.count([
        throttle.counter('network', networkOf(peer)),
        ...(options.countsSites ? [throttle.counter('site', siteOf(peer))] : []),
        ...(userId === undefined ? [] : [throttle.counter('user', userId)]),
      ]);
      return { takeBack: (trx) => throttle.takeBack(trx, counted) };
    },
  };
}

export const tooManySignIns = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many attempts to sign in; wait before the next.', {
    retryAfterSeconds,
  });
