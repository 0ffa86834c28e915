// Slows the guessing of passwords without letting anybody lock a user out: attempts are counted by
// what they have in common, and those who are known have a counter of their own.
import { createHmac } from 'node:crypto';
import { fail } from '../../../errors/errors.ts';
import { createCounters, type Lane } from '../../../storage/counters.ts';
import type { Database, Executor } from '../../../storage/schema.ts';
import { forgetNetworks, isFamiliar, rememberNetwork } from './store.ts';

const second = 1_000;
const minute = 60 * second;

const lanes = {
  // A browser that the user has signed in from: only what is mistyped there counts.
  device: { free: 5, firstWaitMs: second, waitMsMax: 64 * second, forgetMs: 10 * minute },
  // One network guessing at one user: 1,350 guesses a day at the most.
  pair: { free: 5, firstWaitMs: second, waitMsMax: 64 * second, forgetMs: 10 * minute },
  // One network guessing at many users. It may be an office, where a failure a minute is ordinary.
  network: { free: 50, firstWaitMs: second, waitMsMax: 8 * second, forgetMs: minute },
  // Many networks guessing at one user: 1,350 guesses a day for all of them together.
  user: { free: 20, firstWaitMs: second, waitMsMax: 64 * second, forgetMs: 5 * minute },
} as const satisfies Record<string, Lane>;

/** How long a network stays familiar after a sign-in. */
const familiarMs = 90 * 24 * 60 * minute;

export type Attempt = {
  /** In lower case. */
  readonly email: string;
  readonly network: string;
  /** The browser, where the user has signed in from it before. */
  readonly device: string | undefined;
};

/** An attempt that was counted. */
export type Counted = {
  /** Takes the attempt back, once it has turned out to be the user's. */
  forgive(trx: Executor): Promise<void>;
  /** Takes the attempt back, where its password was not checked. */
  takeBack(trx: Executor): Promise<void>;
};

export type Throttle = {
  /**
   * Counts an attempt, before it is checked: of those that come at the same time none slips
   * through. Throws `rate_limited` where it comes too early; then it does not count.
   */
  count(attempt: Attempt): Promise<Counted>;
  /** Forgets what no longer counts. */
  sweep(trx: Executor): Promise<void>;
};

export type ThrottleOptions = {
  readonly db: Database;
  /** 32 bytes: what is counted is stored as digests that only its holder can make. */
  readonly key: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

type LaneCounter = { readonly name: keyof typeof lanes; readonly lane: Lane; readonly key: string };

export function createThrottle({ db, key, now }: ThrottleOptions): Throttle {
  const counters = createCounters({ db, table: 'sign_in_counters', refusal: tooEarly, now });
  const digest = (...parts: string[]) =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
  const counter = (name: keyof typeof lanes, ...parts: string[]): LaneCounter => ({
    name,
    lane: lanes[name],
    key: digest(name, ...parts),
  });

  async function countersOf({ email, network, device }: Attempt): Promise<LaneCounter[]> {
    if (device !== undefined) return [counter('device', device, email)];
    const own = [counter('network', network), counter('pair', network, email)];
    // The same look-up and the same counters for an address that nobody has.
    const familiar = await isFamiliar(db, digest('familiar', network, email));
    return familiar ? own : [...own, counter('user', email)];
  }

  return {
    async sweep(trx) {
      await counters.sweep(trx);
      await forgetNetworks(trx, now() - familiarMs);
    },
    async count(attempt) {
      const lanesOf = await countersOf(attempt);
      // Who has just shown the password need not wait for it; others of the network do.
      const own = new Set(lanesOf.filter(({ name }) => isOwn(name)).map(({ key }) => key));
      const counted = await counters.count(lanesOf);
      return {
        async takeBack(trx) {
          for (const one of counted) await counters.takeBack(trx, one);
        },
        async forgive(trx) {
          for (const one of counted) {
            await (own.has(one.key) ? counters.clear(trx, one) : counters.takeBack(trx, one));
          }
          const { email, network } = attempt;
          await rememberNetwork(trx, digest('familiar', network, email), now());
        },
      };
    },
  };
}

const isOwn = (name: keyof typeof lanes) => name === 'device' || name === 'pair';

const tooEarly = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many attempts to sign in; wait before the next.', {
    retryAfterSeconds,
  });
