// The current grants behind a token. A token stops working with its client, key or session, and
// never covers more than their current grants. Only this service checks the grants: a verifier that
// only uses the published keys accepts a token until its `exp`.
import type { Clock } from '../../base/clock.ts';
import type { Invalidations } from '../../storage/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/revocation-safe-cache.ts';
import type { Database } from '../../storage/schema.ts';
import type { Audiences } from '../audiences/audiences.ts';
import type { Claims } from './claims.ts';
import { findClientGrants, findKeyGrants, type Grants, type StoredGrants } from './store.ts';

/**
 * Limits claims to the current grants. Returns undefined if the client is disabled or has lost the
 * audience, the key is invalid or the session has ended. `validAt` is the time at which a key must
 * not have expired, by default now.
 */
export type LimitToGrants = (claims: Claims, validAt?: number) => Promise<Claims | undefined>;

export type GrantsOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly audiences: Audiences;
  /** Limits the tokens of staff and members. */
  readonly limitToUserGrants: LimitToGrants;
  readonly now: Clock;
};

const cachedMax = 200_000;

export function createLimitToGrants(options: GrantsOptions): LimitToGrants {
  const { db, invalidations, audiences, limitToUserGrants, now } = options;
  const cache = createRevocationSafeCache<StoredGrants>({
    invalidations,
    dependsOn: ({ entities }) => entities,
    sizeMax: cachedMax,
    sizeOf: ({ grants }) => 1 + (grants?.accounts.size ?? 0),
  });

  return async (claims, validAt = now()) => {
    const { principal_type: type, client_id: id } = claims;
    if (type === 'staff' || type === 'member') {
      return claims.aud === audiences.own.identifier
        ? limitToUserGrants(claims, validAt)
        : undefined;
    }
    const read = type === 'service' ? findClientGrants : findKeyGrants;
    const { grants } = await cache.get(id, () => read(db, id));
    if (grants === undefined || grants.ownerId !== claims.sub) return undefined;
    const { expireTime, audienceIds } = grants;
    if (!(await audiences.isGranted(audienceIds, claims.aud))) return undefined;
    if (expireTime !== undefined && expireTime <= validAt) return undefined;
    return limited(claims, grants);
  };
}

function limited(claims: Claims, grants: Grants): Claims {
  const scope = claims.scope
    .split(' ')
    .filter((one) => grants.scopes.has(one))
    .join(' ');
  const accounts = claims.accounts?.filter((one) => grants.accounts.has(one));
  if (scope === claims.scope && accounts?.length === claims.accounts?.length) return claims;
  return { ...claims, scope, ...(accounts === undefined ? {} : { accounts }) };
}
