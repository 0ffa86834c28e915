// The challenges of passkeys. A challenge is a signed value, so that a start writes nothing. It
// works once, in the session or browser for which it was made.
import type { Clock } from '../../base/clock.ts';
import { type Random, randomText } from '../../base/crypto/ids.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { createSignedValues } from '../../base/crypto/signed-value.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import type { UseOnce } from '../tokens/single-use.ts';

const challengeSeconds = 300;

export type ChallengeUse = {
  readonly purpose: 'registration' | 'sign-in';
  /** The id of the session or of the browser. */
  readonly place: string;
};

type Signed = {
  readonly nonce: string;
  /** The only user who may sign in; empty for any. */
  readonly userId: string;
};

/** A challenge that the service made. */
export type Redeemed = {
  /** The only user who may answer it; empty for any. */
  readonly userId: string;
  /** False if another answer was accepted. */
  settle(trx: Executor): Promise<boolean>;
};

export type Challenges = {
  create(use: ChallengeUse, userId: string): string;
  /** Undefined unless the base64url text is a challenge for this use that has not expired. */
  redeem(challenge: string, use: ChallengeUse): Redeemed | undefined;
};

export type ChallengesOptions = {
  readonly keys: DerivedKeys;
  readonly useOnce: UseOnce;
  readonly random: Random;
  readonly now: Clock;
};

export function createChallenges({ keys, useOnce, random, now }: ChallengesOptions): Challenges {
  const values = createSignedValues<Signed>({ keys, now });
  const contextOf = ({ purpose, place }: ChallengeUse) => JSON.stringify([purpose, place]);
  return {
    create: (use, userId) =>
      values.sign({ nonce: randomText(random), userId }, challengeSeconds, contextOf(use)),
    redeem(challenge, use) {
      const text = Buffer.from(challenge, 'base64url').toString();
      const signed = values.verify(text, contextOf(use));
      if (signed === undefined) return undefined;
      const expireTime = now() + challengeSeconds * 1000;
      const settle = (trx: Executor) => useOnce(['passkey challenge', text], expireTime, trx);
      return { userId: signed.userId, settle };
    },
  };
}
