// Nobody can give what they do not hold: who grants a scope, or could become whoever has it, has to
// hold it. Otherwise one scope for managing users would be as good as all.
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf } from '../api/principal.ts';
import { bearerChallenge } from '../errors/challenge.ts';
import { fail } from '../errors/errors.ts';

/**
 * Throws `forbidden`, naming what is missing, unless the caller holds all of the scopes. `target`
 * is what the audit log names.
 */
export type RequireHeld = (scopes: Iterable<string>, target?: string) => void;

/**
 * Finds out which scopes the caller holds, of a member: in one workspace. Not within a transaction,
 * as it may have to read them.
 */
export async function privilegeOf(context: HandlerContext, workspaceId = ''): Promise<RequireHeld> {
  const held = await scopesHeld(context, workspaceId);
  const own = callerOf(context).method.access.scope;
  return (scopes, target = '') => {
    const missing = [...scopes].filter((scope) => !held.has(scope));
    if (missing.length === 0) return;
    // RFC 6750 §3: all that the call needs.
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
