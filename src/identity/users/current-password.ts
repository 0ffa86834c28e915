// Users who set their own password give the current one: a stolen session must not become a stolen
// account.

import type { HandlerContext } from '@connectrpc/connect';
import { isUser, principalOf } from '../../api/principal.ts';
import { type Clock, minuteMs, secondMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { Failure, fail, invalid } from '../../base/errors/errors.ts';
import { type Passwords, passwordChangeQueue } from '../../credentials/passwords.ts';
import { transact } from '../../storage/database.ts';
import type { Database, UserRow } from '../../storage/schema/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';

const limits = {
  // Each session has its own counter, so that a stolen session cannot delay the others. The limits
  // are those of a sign-in from a known browser.
  session: { free: 5, firstWaitMs: secondMs, waitMsMax: 64 * secondMs, forgetMs: 10 * minuteMs },
} as const satisfies Record<string, ThrottleLimit>;

export type CurrentPasswordOptions = {
  readonly db: Database;
  readonly passwords: Passwords;
  readonly keys: DerivedKeys;
  readonly now: Clock;
};

export type GivenPasswords = {
  readonly currentPassword: string;
  readonly password: string;
};

/**
 * Throws `invalid_argument` or `identity.credential_invalid` if the caller is the user and does not
 * give the current password, `conflict` if the caller has none, or `rate_limited` after too many
 * wrong ones. The returned function throws `conflict` if the password has changed since.
 */
export type CheckCurrentPassword = (
  context: HandlerContext,
  user: UserRow,
  given: GivenPasswords,
) => Promise<(user: UserRow) => void>;

export function createCurrentPasswordCheck(options: CurrentPasswordOptions): CheckCurrentPassword {
  const { db, passwords } = options;
  const throttle = createThrottle({ ...options, limits, refusal: tooMany });

  return async (context, { id, password_hash }, { currentPassword, password }) => {
    const caller = principalOf(context);
    if (!isUser(caller) || caller.userId !== id) return () => {};
    if (password_hash === '') throw noPassword();
    if (currentPassword === '') throw invalid('current_password', 'is required');
    const matches = (text: string) =>
      passwords.verify(password_hash, text, passwordChangeQueue(id));
    const counter = throttle.counter('session', caller.sessionId);
    const counted = await throttle.count([counter]);
    try {
      // A client may repeat a change whose answer was lost. The new password is then the current
      // one.
      if (!(await matches(currentPassword)) && !(await matches(password))) {
        throw wrongCurrentPassword(id);
      }
    } catch (error) {
      const isWrong = error instanceof Failure && error.code === 'identity.credential_invalid';
      if (isWrong) throw error;
      await transact(db, (trx) => throttle.takeBack(trx, counted));
      throw error;
    }
    await transact(db, (trx) => throttle.clear(trx, counter));
    return (user) => {
      if (user.password_hash !== password_hash) throw passwordChanged();
    };
  };
}

/** Users of an identity provider must not get around it. */
const noPassword = () =>
  fail('conflict', 'You have no password. An administrator can set the first one.');

const wrongCurrentPassword = (target: string) =>
  fail('identity.credential_invalid', 'The current password is wrong.', {
    target,
    fields: [{ field: 'current_password', detail: 'is wrong' }],
  });

const passwordChanged = () => fail('conflict', 'The password changed at the same time. Try again.');

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many wrong passwords; wait before the next attempt.', {
    retryAfterSeconds,
  });
