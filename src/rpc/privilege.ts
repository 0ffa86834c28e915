// Nobody can give what they do not hold: who grants a scope, or could become whoever has it, has to
// hold it. Otherwise one scope for managing users would be as good as all.
import type { HandlerContext } from '@connectrpc/connect';
import { bearerChallenge } from './challenge.ts';
import { fail } from './errors.ts';
import { callerOf } from './principal.ts';

/** The scopes that the caller holds; of a member, in one workspace. */
export async function scopesHeld(
  context: HandlerContext,
  workspaceId = '',
): Promise<ReadonlySet<string>> {
  const { principal, membershipsOf } = callerOf(context);
  if (principal.type === 'anonymous') return new Set();
  if (principal.type !== 'member') return principal.scopes;
  const inRole = (await membershipsOf(principal.userId)).get(workspaceId);
  return new Set([...principal.scopes].filter((scope) => inRole?.has(scope)));
}

/** Throws `forbidden`, naming what is missing, unless all of the scopes are held. */
export function requireHeld(held: ReadonlySet<string>, scopes: Iterable<string>): void {
  const missing = [...scopes].filter((scope) => !held.has(scope));
  if (missing.length === 0) return;
  const scope = missing.join(' ');
  throw fail('forbidden', `The caller has to hold ${scope}, too.`, {
    challenge: bearerChallenge('insufficient_scope', { scope }),
  });
}
