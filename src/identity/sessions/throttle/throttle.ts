// Slows the guessing of passwords without letting anybody lock a user out: attempts are counted by
// what they have in common, and those who are known have a counter of their own.
import { createHmac } from 'node:crypto';
import { fail } from '../../../rpc/errors.ts';
import { transact } from '../../../storage/database.ts';
import type { Database, Executor, SignInCounterRow } from '../../../storage/schema.ts';
import {
  deleteCounter,
  findCounters,
  forget,
  isFamiliar,
  lockCounter,
  rememberNetwork,
  takeBack,
  updateCounter,
} from './store.ts';

type Lane = {
  /** So many attempts in a row do not wait. */
  readonly free: number;
  /** The wait after the last of those; each further attempt doubles it. */
  readonly firstWaitMs: number;
  readonly waitMsMax: number;
  /** An attempt is forgotten in this time, one after the other. */
  readonly forgetMs: number;
};

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

type Counter = { readonly lane: keyof typeof lanes; readonly key: string };

export function createThrottle({ db, key, now }: ThrottleOptions): Throttle {
  const digest = (...parts: string[]) =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');

  async function countersOf({ email, network, device }: Attempt): Promise<Counter[]> {
    if (device !== undefined) return [{ lane: 'device', key: digest('device', device, email) }];
    const own: Counter[] = [
      { lane: 'network', key: digest('network', network) },
      { lane: 'pair', key: digest('pair', network, email) },
    ];
    // The same look-up and the same counters for an address that nobody has.
    const familiar = await isFamiliar(db, digest('familiar', network, email));
    return familiar ? own : [...own, { lane: 'user', key: digest('user', email) }];
  }

  return {
    sweep: (trx) => forget(trx, now(), now() - familiarMs),
    async count(attempt) {
      // In one order, so that attempts do not wait for each other crosswise.
      const counters = (await countersOf(attempt)).sort((a, b) => (a.key < b.key ? -1 : 1));
      // A flood costs a read, no write.
      const keys = counters.map((counter) => counter.key);
      for (const row of await findCounters(db, keys)) refuseEarly(row, now());
      const added = await transact(db, async (trx) => {
        const all: Added[] = [];
        for (const counter of counters) {
          const row = await lockCounter(trx, counter.key);
          const time = now();
          refuseEarly(row, time);
          const next = afterAttempt(lanes[counter.lane], row, time);
          await updateCounter(trx, next);
          all.push({ ...counter, next, addedMs: next.level_time - Math.max(row.level_time, time) });
        }
        return all;
      });
      return {
        async forgive(trx) {
          for (const { lane, key, next, addedMs } of added) {
            // Who has just shown the password need not wait for it; others of the network do.
            if (lane === 'device' || lane === 'pair') await deleteCounter(trx, key);
            else await takeBack(trx, next, addedMs, now());
          }
          const { email, network } = attempt;
          await rememberNetwork(trx, digest('familiar', network, email), now());
        },
      };
    },
  };
}

type Added = Counter & { readonly next: SignInCounterRow; readonly addedMs: number };

function refuseEarly({ next_time }: SignInCounterRow, now: number): void {
  if (next_time <= now) return;
  throw fail('rate_limited', 'Too many attempts to sign in; wait before the next.', {
    retryAfterSeconds: Math.ceil((next_time - now) / 1000),
  });
}

function afterAttempt(lane: Lane, row: SignInCounterRow, now: number): SignInCounterRow {
  const { free, firstWaitMs, waitMsMax, forgetMs } = lane;
  const levelMax = free + Math.log2(waitMsMax / firstWaitMs);
  const level = Math.min(Math.max(0, (row.level_time - now) / forgetMs) + 1, levelMax);
  const doublings = Math.ceil(level) - free;
  const waitMs = doublings < 0 ? 0 : Math.min(firstWaitMs * 2 ** doublings, waitMsMax);
  return {
    key: row.key,
    level_time: Math.ceil(now + level * forgetMs),
    next_time: now + waitMs,
  };
}
