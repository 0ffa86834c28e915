// The scopes of users in their workspaces, cached until something changes.
import type { Membership, MembershipsOf } from '../../api/principal.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { factorDueTimeOf } from './factor-rule.ts';
import { type Role, roleScopes } from './roles.ts';
import { findAllRoles, findRoles } from './store.ts';

const cachedMax = 50_000;

export type MembershipOptions = { readonly db: Database; readonly invalidations: Invalidations };

/** Disabled users and staff have no scopes in workspaces. */
export function createMemberships({ db, invalidations }: MembershipOptions): MembershipsOf {
  const cache = createRevocationSafeCache<ReadonlyMap<string, Membership>>({
    invalidations,
    dependsOn: (memberships, userId) => [
      entityKey('user', userId),
      ...[...memberships.keys()].map((id) => entityKey('workspace', id)),
    ],
    entriesMax: cachedMax,
  });
  async function read(executor: Executor, userId: string) {
    const rows = await findRoles(executor, userId);
    return new Map(
      rows.map(({ workspace_id, role, joined, delete_time, ...rule }) => [
        workspace_id,
        {
          scopes: delete_time === null ? roleScopes[role] : managingScopes(role),
          isJoined: joined === 1,
          isDeleted: delete_time !== null,
          factorDueTime: delete_time === null ? factorDueTimeOf(rule) : undefined,
        },
      ]),
    );
  }
  return (userId, trx) =>
    trx === undefined ? cache.get(userId, () => read(db, userId)) : read(trx, userId);
}

/** The scopes with which members find and undelete a deleted workspace. */
const managingScopes = (role: Role) =>
  new Set([...roleScopes[role]].filter((scope) => scope.startsWith('workspaces:')));

/** Returns the scopes of each role of a user, even if the user is disabled. Not cached. */
export async function rolesOf(db: Executor, userId: string): Promise<ReadonlySet<string>[]> {
  return (await findAllRoles(db, userId)).map(({ role }) => roleScopes[role]);
}
