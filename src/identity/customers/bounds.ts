// What a customer's tokens can carry: accounts and scopes travel in each of them, and a token has
// to fit in a header (16 KiB, with all of its neighbours).

import { isManagementScope } from '../../access/scopes.ts';
import { invalid } from '../../errors/errors.ts';

const idsLengthMax = 6_000;
const scopesLengthMax = 4_000;

/** The accounts' ids without repetitions. */
export function readAccountIds(ids: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(ids);
  // Each with its quotes and a comma.
  const length = [...wanted].reduce((sum, id) => sum + id.length + 3, 0);
  if (length > idsLengthMax) {
    const detail = `must have at most ${idsLengthMax} characters in total, with 3 more for each id`;
    throw invalid('account_ids', detail);
  }
  return wanted;
}

/** A key's scopes without repetitions, as they are stored. */
export function readKeyScopes(scopes: readonly string[]): string {
  // A customer's token is confined to its own accounts there, and is taken nowhere else.
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
