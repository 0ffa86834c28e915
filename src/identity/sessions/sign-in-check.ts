// Checks an e-mail address, a password and a one-time code. Every wrong input gets the same answer
// in the same time.

import type { Passwords } from '../../credentials/passwords.ts';
import { fail } from '../../errors/errors.ts';
import type { Database, Executor, UserRow } from '../../storage/schema.ts';
import type { MatchSealedTotpStep } from '../users/totp.ts';
import { consumeTotpStep, findUserWithSeed, hasConfirmedSeed, lockUnchangedUser } from './store.ts';

export type SignInCheckOptions = {
  readonly db: Database;
  readonly passwords: Passwords;
  readonly matchTotpStep: MatchSealedTotpStep;
};

export type SignInInput = {
  readonly email: string;
  readonly password: string;
  readonly otp: string;
  /** The network that the request came from. */
  readonly network: string;
};

/** The result of a successful check. */
export type CheckedSignIn = {
  readonly user: UserRow;
  /** The authentication methods (RFC 8176), space-separated. */
  readonly amr: string;
  /**
   * Marks the code as used, so that it is accepted only once. Throws if the user or the second
   * factor has changed since the check.
   */
  settle(trx: Executor): Promise<void>;
};

/** Throws `identity.credential_invalid`, or `unavailable` if the password could not be checked. */
export function createSignInCheck({ db, passwords, matchTotpStep }: SignInCheckOptions) {
  return async ({ email, password, otp, network }: SignInInput): Promise<CheckedSignIn> => {
    const found = await findUserWithSeed(db, email);
    const refusal = () =>
      fail(
        'identity.credential_invalid',
        'The e-mail address, the password or the one-time code is wrong.',
        {
          ...(found === undefined ? {} : { target: found.user.id }),
        },
      );
    const enabled = found?.user.disable_time === null ? found : undefined;
    const queue = { kind: 'users', owner: [network, email] } as const;
    const isRight = await passwords.verify(enabled?.user.password_hash, password, queue);
    const seed = enabled?.seed;
    const step = seed === undefined ? undefined : matchTotpStep(seed, otp.replaceAll(' ', ''));
    if (!isRight || enabled === undefined) throw refusal();
    if (seed !== undefined && step === undefined) throw refusal();
    const { user } = enabled;
    return {
      user,
      amr: seed === undefined ? 'pwd' : 'pwd otp mfa',
      async settle(trx) {
        if (!(await lockUnchangedUser(trx, user))) throw refusal();
        const hasCurrentFactor =
          seed === undefined || step === undefined
            ? !(await hasConfirmedSeed(trx, user.id))
            : await consumeTotpStep(trx, seed, step);
        if (!hasCurrentFactor) throw refusal();
      },
    };
  };
}

export type CheckSignIn = ReturnType<typeof createSignInCheck>;
