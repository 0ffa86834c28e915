// The current grants of users. A user's token stops working when its session ends or the user is
// disabled, and covers only the user's current scopes. The session's expiry is not checked, because
// no token outlives it.
import type { MembershipsOf } from '../../api/principal.ts';
import type { Clock } from '../../base/clock.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { type EntityKey, entityKey } from '../../storage/schema/change.ts';
import type { Database, UserRow } from '../../storage/schema/schema.ts';
import type { FactorRules } from '../factor-rules/factor-rules.ts';
import type { LimitToGrants } from '../tokens/current-grants.ts';
import type { ScopesOf } from './scopes.ts';
import { findSession } from './store.ts';

export type UserGrantsOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly scopesOf: ScopesOf;
  readonly factorRules: FactorRules;
  readonly membershipsOf: MembershipsOf;
  readonly now: Clock;
};

type UserGrants = {
  readonly userId: string;
  readonly kind: UserRow['kind'];
  readonly scopes: ReadonlySet<string>;
  /** See `FactorRules`. */
  readonly factorDueTime: number | undefined;
};

type StoredGrants = {
  /** Undefined if the session has ended or the user is disabled. */
  readonly grants: UserGrants | undefined;
  readonly entities: readonly EntityKey[];
};

const cachedMax = 50_000;

export function createLimitToUserGrants(options: UserGrantsOptions): LimitToGrants {
  const { db, invalidations, scopesOf, factorRules, membershipsOf, now } = options;
  const cache = createRevocationSafeCache<StoredGrants>({
    invalidations,
    dependsOn: ({ entities }) => entities,
    entriesMax: cachedMax,
  });

  async function read(sessionId: string): Promise<StoredGrants> {
    const found = await findSession(db, sessionId);
    const key = entityKey('session', sessionId);
    if (found === undefined) return { grants: undefined, entities: [key] };
    const { session, user } = found;
    const entities = [key, entityKey('user', user.id)];
    if (session.revoke_time !== null || user.disable_time !== null) {
      return { grants: undefined, entities };
    }
    const factorDueTime = await factorRules.dueTimeOf(session, user);
    const scopes = await scopesOf(user);
    const workspaces = [...(await membershipsOf(user.id)).keys()];
    entities.push(...workspaces.map((id) => entityKey('workspace', id)));
    return { grants: { userId: user.id, kind: user.kind, scopes, factorDueTime }, entities };
  }

  return async (claims) => {
    const sessionId = claims.sid ?? '';
    const { grants } = await cache.get(sessionId, () => read(sessionId));
    if (grants === undefined) return undefined;
    const { userId, kind, scopes, factorDueTime = Number.POSITIVE_INFINITY } = grants;
    if (userId !== claims.sub || kind !== claims.principal_type) return undefined;
    if (now() >= factorDueTime) return { ...claims, scope: '', lacksSecondFactor: true };
    const claimed = claims.scope.split(' ');
    const kept = claimed.filter((scope) => scopes.has(scope));
    return kept.length === claimed.length ? claims : { ...claims, scope: kept.join(' ') };
  };
}
