// Whether a session may change the second factors of its user.
import type { HandlerContext } from '@connectrpc/connect';
import { isUser, principalOf } from '../../api/principal.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { type FactorRules, provesFactor } from './factor-rules.ts';
import { findSessionMethods, secondFactorsOf } from './store.ts';

/**
 * Throws `second_factor_required` if users change their own factors in a session that has proven
 * none of them: a person who knows only the password could replace the factors. Users who have only
 * passkeys may sign in with the password, unless a rule requires a second factor. They can then
 * replace a lost passkey.
 */
export type RequireFactor = (
  trx: Executor,
  context: HandlerContext,
  userId: string,
) => Promise<void>;

export function createFactorCheck({ dueTimeOf }: FactorRules): RequireFactor {
  return async (trx, context, userId) => {
    const caller = principalOf(context);
    if (!isUser(caller) || caller.userId !== userId) return;
    const amr = await findSessionMethods(trx, caller.sessionId);
    if (provesFactor(amr)) return;
    const { passkey, code } = await secondFactorsOf(trx, userId);
    if (!passkey && !code) return;
    // The session is older than the app: a sign-in with the password now asks for a code.
    const isOlder = code && amr.split(' ').includes('pwd');
    const user = { id: userId, kind: caller.type };
    if (!isOlder && (await dueTimeOf({ amr }, user, trx)) === undefined) return;
    throw fail('second_factor_required', 'Sign in with your second factor to continue.');
  };
}
