import { fail } from '../../base/errors/errors.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema/schema.ts';
import { findLink, findShared, type Shared } from './store.ts';

export type { Shared, SharedDocument, SharedFolder } from './store.ts';

export type Links = {
  /** From a cache: changes by other processes take up to a second. `view_count` may be older. */
  findShared(slug: string): Promise<Shared | undefined>;
  require(workspaceId: string, id: string): Promise<LinkRow>;
};

const cachedMax = 10_000;

export type LinksOptions = {
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
};

export function createLinks({ db, invalidations }: LinksOptions): Links {
  const cache = createRevocationSafeCache<Shared | undefined>({
    invalidations,
    dependsOn(shared) {
      if (shared === undefined) return [];
      const target =
        'document' in shared
          ? entityKey('document', shared.document.id)
          : entityKey('folder', shared.folder.id);
      const { id, workspace_id } = shared.link;
      return [entityKey('link', id), entityKey('workspace', workspace_id), target];
    },
    entriesMax: cachedMax,
    isCached: (shared) => shared !== undefined,
  });
  return {
    findShared: (slug) => cache.get(slug, () => findShared(db, slug)),

    require: (workspaceId, id) => requireLink(db, workspaceId, id),
  };
}

/** Throws `not_found` if the workspace has no such link. */
export async function requireLink(db: Executor, workspaceId: string, id: string): Promise<LinkRow> {
  const row = await findLink(db, workspaceId, id);
  if (row === undefined) throw fail('not_found', 'The workspace has no such link.');
  return row;
}
