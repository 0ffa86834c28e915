// Slows the guessing of links' passwords without letting anybody lock a link.
import { createHmac } from 'node:crypto';
import { fail } from '../../errors/errors.ts';
import { createCounters, type Lane } from '../../storage/counters.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor } from '../../storage/schema.ts';

const second = 1_000;
const minute = 60 * second;

const lanes = {
  // A browser that has shown the password before: only what is mistyped there counts.
  browser: { free: 10, firstWaitMs: second, waitMsMax: 64 * second, forgetMs: 10 * minute },
  // One network guessing: 1,350 guesses a day at the most.
  pair: { free: 10, firstWaitMs: second, waitMsMax: 64 * second, forgetMs: 10 * minute },
  // Many networks guessing: a short wait, as everybody who is new to the link shares it.
  link: { free: 100, firstWaitMs: second, waitMsMax: 4 * second, forgetMs: 30 * second },
} as const satisfies Record<string, Lane>;

export type Guess = {
  readonly linkId: string;
  readonly network: string;
  /** The browser, where the link's password was shown from it before. */
  readonly browser: string | undefined;
};

export type Guesses = {
  /**
   * Counts a guess before it is checked. Throws `rate_limited` where it comes too early. What it
   * returns takes the guess back, once it has turned out to be right.
   */
  count(guess: Guess): Promise<() => Promise<void>>;
  sweep(trx: Executor): Promise<void>;
};

export type GuessesOptions = {
  readonly db: Database;
  /** 32 bytes: what is counted is stored as digests that only its holder can make. */
  readonly key: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function createGuesses({ db, key, now }: GuessesOptions): Guesses {
  const counters = createCounters({ db, table: 'gate_counters', refusal: tooEarly, now });
  const counter = (lane: keyof typeof lanes, ...parts: string[]) => ({
    lane: lanes[lane],
    key: createHmac('sha256', key)
      .update(JSON.stringify([lane, ...parts]))
      .digest('base64url'),
  });
  return {
    sweep: counters.sweep,
    async count({ linkId, network, browser }) {
      const own =
        browser === undefined
          ? counter('pair', linkId, network)
          : counter('browser', linkId, browser);
      const shared = browser === undefined ? [counter('link', linkId)] : [];
      const counted = await counters.count([own, ...shared]);
      return () =>
        transact(db, async (trx) => {
          for (const one of counted) {
            await (one.key === own.key ? counters.clear(trx, one) : counters.takeBack(trx, one));
          }
        });
    },
  };
}

const tooEarly = (retryAfterSeconds: number) =>
  fail('rate_limited', 'There were too many wrong passwords.', { retryAfterSeconds });
