// Each management scope stays with at least one enabled staff user.
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Executor, UserRow } from '../../storage/schema.ts';
import { hasStaffWithScope, type User } from './store.ts';

function managedBy({ kind, disable_time, scopes }: UserRow): string[] {
  if (kind !== 'staff' || disable_time !== null) return [];
  return [...parseStoredScopes(scopes)].filter(isManagementScope);
}

/** Throws `conflict` if the change would leave a management scope without an enabled staff user. */
export async function requireHoldersLeft(trx: Executor, before: User, after: User): Promise<void> {
  const kept = new Set(managedBy(after));
  for (const scope of managedBy(before)) {
    if (kept.has(scope) || (await hasStaffWithScope(trx, scope))) continue;
    throw fail('conflict', `The user is the last enabled staff user with ${scope}.`);
  }
}
