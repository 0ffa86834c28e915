// Checks an email address, a password and a one-time code. Every wrong address or password gets
// the same answer in the same time. Only the right password reveals that a code is needed.

import { fail } from '../../base/errors/errors.ts';
import type { PasswordQueue, Passwords } from '../../credentials/passwords.ts';
import type { Database, Executor, UserRow } from '../../storage/schema/schema.ts';
import type { RecoveryCodeDigest } from '../users/recovery-codes.ts';
import type { MatchSealedTotpStep } from '../users/totp.ts';
import {
  consumeRecoveryCode,
  consumeTotpStep,
  findUserWithSeed,
  hasConfirmedSeed,
  hasRecoveryCode,
  hasRecoveryPassword,
  lockUnchangedUser,
} from './store.ts';

export type SignInCheckOptions = {
  readonly db: Database;
  readonly passwords: Passwords;
  readonly matchTotpStep: MatchSealedTotpStep;
  readonly recoveryCodeDigest: RecoveryCodeDigest;
  /** Whether users can sign in with a password. Passwords of `recover-staff` always work. */
  readonly localPasswords: boolean;
};

export type SignInInput = {
  readonly email: string;
  readonly password: string;
  readonly otp: string;
  readonly network: string;
  readonly isKnownBrowser: boolean;
};

export type CheckedSignIn = {
  readonly user: UserRow;
  readonly amr: string;
  readonly usesRecoveryCode: boolean;
  /** The code is then accepted only once. Throws if the user or the factor has changed. */
  settle(trx: Executor): Promise<void>;
};

/**
 * Throws `identity.credential_invalid`; for a right password `identity.code_required` or
 * `identity.code_invalid`; or `unavailable` if the password could not be checked.
 */
export function createSignInCheck(options: SignInCheckOptions) {
  const { db, passwords, matchTotpStep, recoveryCodeDigest, localPasswords } = options;

  /** The queries do not depend on the address, so their duration does not reveal a user. */
  async function hasUsablePassword(user: UserRow | undefined): Promise<boolean> {
    const { id = '', password_hash = '' } = user ?? {};
    const isAccepted = localPasswords || (await hasRecoveryPassword(db, { id, password_hash }));
    return isAccepted && password_hash !== '';
  }

  return async (input: SignInInput): Promise<CheckedSignIn> => {
    const { email, password, otp, network, isKnownBrowser } = input;
    const found = await findUserWithSeed(db, email);
    const refusal = () =>
      fail(
        'identity.credential_invalid',
        'The email address, the password or the one-time code is wrong.',
        {
          ...(found === undefined ? {} : { target: found.user.id }),
        },
      );
    const isUsable = await hasUsablePassword(found?.user);
    const enabled = isUsable && found?.user.disable_time === null ? found : undefined;
    const kind = isKnownBrowser ? 'known' : 'users';
    const queue: PasswordQueue = { kind, owner: [network, email] };
    const isRight = await passwords.verify(enabled?.user.password_hash, password, queue);
    const seed = enabled?.seed;
    const step = seed === undefined ? undefined : matchTotpStep(seed, otp.replaceAll(' ', ''));
    // The query does not depend on the address, so its duration does not reveal a user.
    const id = enabled?.user.id ?? '';
    const digest = recoveryCodeDigest(id, otp);
    const isRecoveryCode = digest !== undefined && (await hasRecoveryCode(db, id, digest));
    if (!isRight || enabled === undefined) throw refusal();
    if (seed !== undefined && step === undefined && !isRecoveryCode) {
      throw codeRefusal(otp, enabled.user.id);
    }
    const { user } = enabled;
    const usesRecoveryCode = seed !== undefined && step === undefined;
    return {
      user,
      amr: seed === undefined ? 'pwd' : 'pwd otp mfa',
      usesRecoveryCode,
      async settle(trx) {
        if (!(await lockUnchangedUser(trx, user))) throw refusal();
        const hasSeed = await hasConfirmedSeed(trx, user.id);
        const hasCurrentFactor =
          seed === undefined
            ? !hasSeed
            : step === undefined
              ? hasSeed && (await consumeRecoveryCode(trx, user.id, digest ?? ''))
              : await consumeTotpStep(trx, seed, step);
        if (!hasCurrentFactor) throw codeRefusal(otp, user.id);
      },
    };
  };
}

function codeRefusal(otp: string, target: string): Error {
  if (otp === '') return fail('identity.code_required', 'Enter your one-time code.');
  return fail('identity.code_invalid', 'The one-time code is wrong or was used.', { target });
}

export type CheckSignIn = ReturnType<typeof createSignInCheck>;
