import { storedScopes } from '../../access/scopes.ts';
import type { MembershipsOf } from '../../api/principal.ts';
import type { UserRow } from '../../storage/schema.ts';

/** All that a user may do: staff what was granted, members what any of their roles includes. */
export type ScopesOf = (user: UserRow) => Promise<ReadonlySet<string>>;

export function createScopesOf(membershipsOf: MembershipsOf): ScopesOf {
  return async ({ id, kind, scopes }) => {
    if (kind === 'staff') return storedScopes(scopes);
    const memberships = await membershipsOf(id);
    return new Set([...memberships.values()].flatMap((ofRole) => [...ofRole]));
  };
}
