// Prevents privilege escalation. To grant a scope, or to change a user who has it, the caller must
// hold it. Otherwise the scope for managing users would include all others.
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf } from '../api/principal.ts';
import { bearerChallenge } from '../errors/challenge.ts';
import { fail } from '../errors/errors.ts';

/**
 * Throws `forbidden` and names the missing scopes unless the caller holds all of them. `target` is
 * the target of the audit event.
 */
export type RequireHeldScopes = (scopes: Iterable<string>, target?: string) => void;

/**
 * Returns a check against the scopes that the caller holds; for a member, in one workspace. Do not
 * call it within a transaction, because it may query the database.
 */
export async function createHeldScopesCheck(
  context: HandlerContext,
  workspaceId = '',
): Promise<RequireHeldScopes> {
  const held = await scopesHeld(context, workspaceId);
  const own = callerOf(context).method.access.scope;
  return (scopes, target = '') => {
    const missing = [...scopes].filter((scope) => !held.has(scope));
    if (missing.length === 0) return;
    // RFC 6750 §3: the challenge lists all scopes that the call needs.
    const scope = [...new Set([own, ...missing])].filter((name) => name !== '').join(' ');
    throw fail('forbidden', `The caller must also hold ${missing.join(' ')}.`, {
      target,
      challenge: bearerChallenge('insufficient_scope', { scope }),
    });
  };
}

async function scopesHeld(
  context: HandlerContext,
  workspaceId: string,
): Promise<ReadonlySet<string>> {
  const { principal, membershipsOf } = callerOf(context);
  if (principal.type === 'anonymous') return new Set();
  if (principal.type !== 'member') return principal.scopes;
  const inRole = (await membershipsOf(principal.userId)).get(workspaceId);
  return new Set([...principal.scopes].filter((scope) => inRole?.has(scope)));
}
