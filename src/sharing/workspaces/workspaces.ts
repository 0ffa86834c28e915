import type { IsWorkspaceDeleted } from '../../api/principal.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Database, Executor, WorkspaceRow } from '../../storage/schema/schema.ts';
import type { MembershipOptions } from './memberships.ts';
import { findWorkspace } from './store.ts';

export type Workspaces = {
  require(id: string): Promise<void>;
};

export function createWorkspaces(db: Database): Workspaces {
  return {
    async require(id) {
      await requireWorkspace(db, id);
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

function workspaceNotFound(id: string): Failure {
  return fail('not_found', 'The workspace does not exist.', { target: id });
}

/** Throws `not_found`. */
export async function requireWorkspace(db: Executor, id: string): Promise<WorkspaceRow> {
  const row = await findWorkspace(db, id);
  if (row === undefined) throw workspaceNotFound(id);
  return row;
}

/** Returns the locked workspace. Throws `not_found`. */
export async function lockWorkspace(trx: Executor, id: string): Promise<WorkspaceRow> {
  const row = await lockRow(trx, 'workspaces', 'id', id);
  if (row === undefined) throw workspaceNotFound(id);
  return row;
}
