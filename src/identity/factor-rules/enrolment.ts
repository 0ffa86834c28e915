// Who may change second factors without one.
import type { HandlerContext } from '@connectrpc/connect';
import { isUser, principalOf } from '../../api/principal.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Executor } from '../../storage/schema.ts';
import type { FactorRules } from './factor-rules.ts';
import { findSessionMethods, secondFactorsOf } from './store.ts';

/**
 * Throws `second_factor_required` if users change their own factors, have one, and signed in
 * without it: a person who knows only the password must not change them. Without a rule, a password
 * alone signs in a user of passkeys, so that a lost passkey can be replaced.
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
    if (amr.split(' ').includes('mfa')) return;
    const factors = await secondFactorsOf(trx, userId);
    const isBypassed = factors.code && amr.split(' ').includes('pwd');
    const isRuled = async () =>
      (factors.code || factors.passkey) &&
      (await dueTimeOf({ amr }, { id: userId, kind: caller.type }, trx)) !== undefined;
    if (!isBypassed && !(await isRuled())) return;
    throw fail('second_factor_required', 'Sign in with your second factor to continue.');
  };
}
