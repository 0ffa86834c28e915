// Nobody can give what they do not hold: otherwise whoever may manage clients could make one that
// may do anything, and act as that one.
import { bearerChallenge } from '../../rpc/challenge.ts';
import { fail } from '../../rpc/errors.ts';
import type { Caller } from '../../rpc/principal.ts';
import { isManagementScope } from '../scopes.ts';

/**
 * Throws `forbidden` where one of the scopes is of this service's own areas and the caller does not
 * hold it. Any other scope is granted freely.
 */
export function requireMayGrant(
  { principal, method }: Caller,
  scopes: Iterable<string>,
  clientId = '',
): void {
  const held: ReadonlySet<string> = principal.type === 'anonymous' ? new Set() : principal.scopes;
  const missing = [...scopes].filter((scope) => isManagementScope(scope) && !held.has(scope));
  if (missing.length === 0) return;
  // RFC 6750 §3: all that the call needs.
  const scope = [method.access.scope, ...missing].join(' ');
  throw fail('forbidden', `Only a caller that holds ${missing.join(' ')} can grant it.`, {
    target: clientId,
    challenge: bearerChallenge('insufficient_scope', { scope }),
  });
}
