import type { IsWorkspaceDeleted } from '../../api/principal.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import { entityKey } from '../../storage/change.ts';
import { createRevocationSafeCache } from '../../storage/revocation-safe-cache.ts';
import type { Database } from '../../storage/schema.ts';
import type { MembershipOptions } from './memberships.ts';
import { findWorkspace } from './store.ts';

export type Workspaces = {
  require(id: string): Promise<void>;
};

export function createWorkspaces(db: Database): Workspaces {
  return {
    async require(id) {
      if ((await findWorkspace(db, id)) === undefined) throw workspaceNotFound(id);
    },
  };
}

const cachedMax = 10_000;

/** For callers who are no members. Cached until something changes. */
export function createDeletionCheck({ db, invalidations }: MembershipOptions): IsWorkspaceDeleted {
  const cache = createRevocationSafeCache<boolean>({
    invalidations,
    dependsOn: (_isDeleted, id) => [entityKey('workspace', id)],
    entriesMax: cachedMax,
  });
  return (id) =>
    cache.get(id, async () => ((await findWorkspace(db, id))?.delete_time ?? null) !== null);
}

export function workspaceNotFound(id: string): Failure {
  return fail('not_found', 'The workspace does not exist.', { target: id });
}
