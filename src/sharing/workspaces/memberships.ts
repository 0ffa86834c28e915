// What users may do in which workspaces: kept in memory until something changes.
import { LRUCache } from 'lru-cache';
import type { MembershipsOf } from '../../api/principal.ts';
import type { Changes } from '../../storage/invalidation.ts';
import type { Database, Executor } from '../../storage/schema.ts';
import { roleScopes } from './roles.ts';
import { findAllRoles, findRoles } from './store.ts';

const cachedMax = 50_000;

export type MembershipOptions = { readonly db: Database; readonly changes: Changes };

/** Nothing for a user who is disabled, or who is staff. */
export function createMemberships({ db, changes }: MembershipOptions): MembershipsOf {
  const cache = new LRUCache<string, ReadonlyMap<string, ReadonlySet<string>>>({ max: cachedMax });
  let generation = 0;
  changes.onChange('access', () => {
    generation++;
    cache.clear();
  });
  return async (userId) => {
    const stale = changes.ensureFresh();
    if (stale !== undefined) await stale;
    const cached = cache.get(userId);
    if (cached !== undefined) return cached;
    const before = generation;
    const rows = await findRoles(db, userId);
    const found = new Map(rows.map((row) => [row.workspace_id, roleScopes[row.role]]));
    // What was read before a change must not outlive it.
    if (before === generation) cache.set(userId, found);
    return found;
  };
}

/** The scopes of each of a user's roles, whether or not the user is enabled; not cached. */
export async function rolesOf(db: Executor, userId: string): Promise<ReadonlySet<string>[]> {
  return (await findAllRoles(db, userId)).map(({ role }) => roleScopes[role]);
}
