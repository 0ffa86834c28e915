// Each management scope stays with an enabled staff user, and each workspace with an owner.
import type { SharedAccess } from '../../api/access/access-source.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { fail } from '../../base/errors/errors.ts';
import { lockRows } from '../../storage/queries/row-locks.ts';
import type { Executor, UserRow } from '../../storage/schema/schema.ts';
import { hasStaffWithScope, type User } from './store.ts';
import { lockUser } from './users.ts';

type Holder = Pick<UserRow, 'kind' | 'disable_time' | 'scopes'>;

function managedBy({ kind, disable_time, scopes }: Holder): string[] {
  if (kind !== 'staff' || disable_time !== null) return [];
  return [...parseStoredScopes(scopes)].filter(isManagementScope);
}

/** Throws `conflict` if the change would leave a management scope without an enabled staff user. */
export async function requireHoldersLeft(
  trx: Executor,
  before: Holder,
  after: Holder,
  who = 'The user',
): Promise<void> {
  const kept = new Set(managedBy(after));
  for (const scope of managedBy(before)) {
    if (kept.has(scope) || (await hasStaffWithScope(trx, scope))) continue;
    throw fail('conflict', `${who} is the last enabled staff user with ${scope}.`);
  }
}

export type RequireHoldersLeft = typeof requireHoldersLeft;

/**
 * Locks the workspaces of an owner, all staff, and the user: in the order in which changes of
 * members lock them; a deadlock is retried. Returns the ids of the workspaces, whose owners then
 * cannot change.
 */
export async function lockOwner(
  trx: Executor,
  { lockOwned }: Pick<SharedAccess, 'lockOwned'>,
  userId: string,
): Promise<{ readonly user: User; readonly owned: readonly string[] }> {
  await lockOwned(trx, userId);
  await lockRows(trx, 'users', 'kind', ['staff']);
  const user = await lockUser(trx, userId);
  // Until the lock of the user, other calls can make the user an owner of more workspaces.
  return { user, owned: await lockOwned(trx, userId) };
}
