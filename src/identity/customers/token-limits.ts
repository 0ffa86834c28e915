// Limits what a customer's tokens contain. Every token carries the accounts and scopes, and it must
// fit in the request headers (16 KiB in total).

import { isManagementScope } from '../../api/access/scopes.ts';
import { invalid } from '../../base/errors/errors.ts';

const idsLengthMax = 6_000;
const scopesLengthMax = 4_000;

export function readAccountIds(ids: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(ids);
  // In the token's JSON, each id has two quotes and a comma.
  const length = [...wanted].reduce((sum, id) => sum + id.length + 3, 0);
  if (length > idsLengthMax) {
    const detail = `must have at most ${idsLengthMax} characters in total, with 3 more for each id`;
    throw invalid('account_ids', detail);
  }
  return wanted;
}

/** Throws `invalid_argument` for scopes that a customer must not have, or too many. */
export function readKeyScopes(scopes: readonly string[]): string {
  // A customer's token sees only its own accounts, and no other management method accepts it.
  const managing = scopes.find(
    (scope) => isManagementScope(scope) && !scope.startsWith('accounts:'),
  );
  if (managing !== undefined) throw invalid('scopes', `${managing} cannot be granted to customers`);
  const text = [...new Set(scopes)].join(' ');
  if (text.length > scopesLengthMax) {
    throw invalid('scopes', `must have at most ${scopesLengthMax} characters in total`);
  }
  return text;
}
