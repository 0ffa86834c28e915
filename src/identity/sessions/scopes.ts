import { parseStoredScopes } from '../../api/access/scopes.ts';
import type { MembershipsOf } from '../../api/principal.ts';
import type { UserRow } from '../../storage/schema/schema.ts';

export type ScopesOf = (user: UserRow) => Promise<ReadonlySet<string>>;

export function createScopesOf(membershipsOf: MembershipsOf): ScopesOf {
  return async ({ id, kind, scopes }) => {
    if (kind === 'staff') return parseStoredScopes(scopes);
    const memberships = await membershipsOf(id);
    return new Set([...memberships.values()].flatMap(({ scopes: ofRole }) => [...ofRole]));
  };
}
