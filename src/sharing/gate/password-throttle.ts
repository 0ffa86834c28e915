// Slows the guessing of links' passwords. Known browsers have separate limits, so that an attacker
// cannot lock out readers.
import { type Clock, minuteMs, secondMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail } from '../../base/errors/errors.ts';
import { transact } from '../../storage/database.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';

const limits = {
  // A browser in which the password was entered before. Readers mistype it.
  browser: { free: 10, firstWaitMs: secondMs, waitMsMax: 64 * secondMs, forgetMs: 10 * minuteMs },
  // One network and one link: at most 1,350 guesses a day.
  pair: { free: 10, firstWaitMs: secondMs, waitMsMax: 64 * secondMs, forgetMs: 10 * minuteMs },
  // All networks together. New visitors of the link share this limit, so its wait is short.
  link: { free: 100, firstWaitMs: secondMs, waitMsMax: 4 * secondMs, forgetMs: 30 * secondMs },
} as const satisfies Record<string, ThrottleLimit>;

export type PasswordAttempt = {
  readonly linkId: string;
  readonly network: string;
  readonly browser: string | undefined;
};

export type PasswordThrottle = {
  /** Throws `rate_limited` if it comes too early. Call the result if the password was right. */
  count(attempt: PasswordAttempt): Promise<() => Promise<void>>;
};

export type PasswordThrottleOptions = {
  readonly db: Database;
  readonly keys: DerivedKeys;
  readonly now: Clock;
};

export function createPasswordThrottle(options: PasswordThrottleOptions): PasswordThrottle {
  const throttle = createThrottle({ ...options, limits, refusal });
  const { counter } = throttle;
  return {
    async count({ linkId, network, browser }) {
      const own =
        browser === undefined
          ? counter('pair', linkId, network)
          : counter('browser', linkId, browser);
      const shared = browser === undefined ? [counter('link', linkId)] : [];
      const counted = await throttle.count([own, ...shared]);
      return () => transact(options.db, (trx) => throttle.takeBack(trx, counted, own));
    },
  };
}

const refusal = (retryAfterSeconds: number) =>
  fail('rate_limited', 'There were too many wrong passwords.', { retryAfterSeconds });
