// The access of a user in workspaces, for the method that ends all access of a user.
import type { SharedAccess } from '../../api/access/access-source.ts';
import { fail } from '../../base/errors/errors.ts';
import { findOwnerless, lockOwned, sources } from './store.ts';

export const sharedAccess: SharedAccess = {
  sources,
  lockOwned,
  async requireOwners(trx, workspaceIds) {
    if (workspaceIds.length === 0) return;
    const [first] = await findOwnerless(trx, workspaceIds);
    if (first === undefined) return;
    const workspace = `“${first.name}” (${first.id})`;
    const detail =
      `The user is the last enabled owner of the workspace ${workspace}. ` +
      'Add another owner first.';
    throw fail('conflict', detail, { target: first.id });
  },
};
