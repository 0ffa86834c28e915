// Slows down the guessing of users' passwords. An attacker cannot lock a user out: known browsers
// and networks have separate counters.

import { createHmac } from 'node:crypto';
import { type Clock, dayMs, minuteMs, secondMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { noteSeen, wasSeen } from '../../storage/queries/seen-times.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { type Counter, createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';
import { networkLimit, tooManySignIns, userLimit } from './network-throttle.ts';

const limits = {
  // A browser in which the user has signed in before: only typing errors count.
  device: { free: 5, firstWaitMs: secondMs, waitMsMax: 64 * secondMs, forgetMs: 10 * minuteMs },
  // One network that guesses at one user: at most 1,350 guesses a day.
  pair: { free: 5, firstWaitMs: secondMs, waitMsMax: 64 * secondMs, forgetMs: 10 * minuteMs },
  // One network that guesses at many users. In an office network, a failure a minute is normal.
  network: networkLimit,
  // Many networks that guess at one user: at most 1,350 guesses a day in total.
  user: userLimit,
} as const satisfies Record<string, ThrottleLimit>;

export const familiarMs = 90 * dayMs;

export type Attempt = {
  readonly email: string;
  readonly network: string;
  readonly device: string | undefined;
};

export type CountedAttempt = {
  forgive(trx: Executor): Promise<void>;
  takeBack(trx: Executor): Promise<void>;
};

export type SignInThrottle = {
  /** Throws `rate_limited`, and counts nothing, if the attempt comes too early. */
  count(attempt: Attempt): Promise<CountedAttempt>;
};

export type SignInThrottleOptions = {
  readonly db: Database;
  readonly keys: DerivedKeys;
  readonly now: Clock;
};

export function createSignInThrottle({ db, keys, now }: SignInThrottleOptions): SignInThrottle {
  const throttle = createThrottle({ db, keys, limits, refusal: tooManySignIns, now });
  const { counter } = throttle;
  const familiarKey = ({ network, email }: Attempt, key: Uint8Array) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['familiar', network, email]))
      .digest('base64url');

  async function countersOf(attempt: Attempt): Promise<{ own: Counter; shared: Counter[] }> {
    const { email, network, device } = attempt;
    if (device !== undefined) return { own: counter('device', device, email), shared: [] };
    const own = counter('pair', network, email);
    const ofNetwork = counter('network', network);
    // An address without a user causes the same queries and counters, so it cannot be detected.
    const since = now() - familiarMs;
    const familiarKeys = keys.map((key) => familiarKey(attempt, key));
    const isKnown = await wasSeen(db, 'familiar_networks', familiarKeys, since);
    return { own, shared: isKnown ? [ofNetwork] : [ofNetwork, counter('user', email)] };
  }

  return {
    async count(attempt) {
      const { own, shared } = await countersOf(attempt);
      const counted = await throttle.count([own, ...shared]);
      return {
        takeBack: (trx) => throttle.takeBack(trx, counted),
        async forgive(trx) {
          await throttle.takeBack(trx, counted, own);
          await noteSeen(trx, 'familiar_networks', familiarKey(attempt, keys[0]), now());
        },
      };
    },
  };
}
