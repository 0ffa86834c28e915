// The current grants behind a token. A token stops working with its client, key or session, and
// never covers more than their current grants. The same holds for each client that acts for the
// subject of an exchanged token. Only this service checks the grants: a verifier that
// only uses the published keys accepts a token until its `exp`.
import type { Clock } from '../../base/clock.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import type { Database } from '../../storage/schema/schema.ts';
import type { Audiences } from '../audiences/audiences.ts';
import { actorsOf, apiKeyIdOf, type Claims } from './claims.ts';
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

  /** Limits the token of a subject to the grants of a client that acts for it. */
  async function limitToActor(claims: Claims, clientId: string): Promise<Claims | undefined> {
    const { grants } = await cache.get(clientId, () => findClientGrants(db, clientId));
    if (grants === undefined || !mayActFor(grants.mayAct, claims)) return undefined;
    if (!(await audiences.isGranted(grants.audienceIds, claims.aud))) return undefined;
    const scopes = claims.scope.split(' ');
    const kept = scopes.filter((scope) => grants.scopes.has(scope));
    return kept.length === scopes.length ? claims : { ...claims, scope: kept.join(' ') };
  }

  async function limitToSubject(claims: Claims, validAt: number): Promise<Claims | undefined> {
    const { principal_type: type } = claims;
    if (type === 'staff' || type === 'member') {
      return claims.aud === audiences.own.identifier
        ? limitToUserGrants(claims, validAt)
        : undefined;
    }
    const [read, id] =
      type === 'service'
        ? ([findClientGrants, claims.sub] as const)
        : ([findKeyGrants, apiKeyIdOf(claims)] as const);
    const { grants } = await cache.get(id, () => read(db, id));
    if (grants === undefined || grants.ownerId !== claims.sub) return undefined;
    const { expireTime, audienceIds } = grants;
    if (!(await audiences.isGranted(audienceIds, claims.aud))) return undefined;
    if (expireTime !== undefined && expireTime <= validAt) return undefined;
    return limited(claims, grants);
  }

  return async (claims, validAt = now()) => {
    if (claims.act === undefined) return limitToSubject(claims, validAt);
    let limitedClaims = await limitToSubject(claims, validAt);
    for (const clientId of actorsOf(claims)) {
      if (limitedClaims === undefined) return undefined;
      limitedClaims = await limitToActor(limitedClaims, clientId);
    }
    return limitedClaims;
  };
}

/** Returns whether a client with these rules may act for the subject of a token. */
export function mayActFor(
  mayAct: ReadonlySet<string>,
  { sub, principal_type: type }: Pick<Claims, 'sub' | 'principal_type'>,
): boolean {
  return mayAct.has(sub) || mayAct.has(type);
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
