// Who may add a second factor without one.
import type { HandlerContext } from '@connectrpc/connect';
import { isUser, principalOf } from '../../api/principal.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Executor } from '../../storage/schema.ts';
import { hasSecondFactor } from './store.ts';

/**
 * Throws `second_factor_required` if the user has a factor, and the session lacks a required one:
 * a person who knows only the password must not add a factor.
 */
export type RequireEnrolment = (
  trx: Executor,
  context: HandlerContext,
  userId: string,
) => Promise<void>;

export const requireEnrolment: RequireEnrolment = async (trx, context, userId) => {
  const caller = principalOf(context);
  if (!isUser(caller) || caller.lacksSecondFactor !== true) return;
  if (!(await hasSecondFactor(trx, userId))) return;
  throw fail('second_factor_required', 'Sign in with your second factor to continue.');
};
