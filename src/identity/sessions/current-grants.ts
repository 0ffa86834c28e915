// Whether the user behind a token still stands: a token is no good once its session was ended or
// its user disabled, and covers no more than the user may do now. That the session runs out in time
// is no concern here: no token is made to outlive it.
import { LRUCache } from 'lru-cache';
import type { Changes } from '../../storage/invalidation.ts';
import type { Database, UserRow } from '../../storage/schema.ts';
import type { Claims } from '../tokens/claims.ts';
import type { ScopesOf } from './scopes.ts';
import { findSession } from './store.ts';

export type StandingOptions = {
  readonly db: Database;
  readonly changes: Changes;
  readonly scopesOf: ScopesOf;
};

type Standing = {
  readonly userId: string;
  readonly kind: UserRow['kind'];
  readonly scopes: ReadonlySet<string>;
};

const fallen = 'fallen';
const cachedMax = 50_000;

/** The claims with the scopes that the user still has; undefined where the token has fallen. */
export function createUserStanding({ db, changes, scopesOf }: StandingOptions) {
  const cache = new LRUCache<string, Standing | typeof fallen>({ max: cachedMax });
  let generation = 0;
  changes.onChange('access', () => {
    generation++;
    cache.clear();
  });

  async function find(sessionId: string): Promise<Standing | typeof fallen> {
    const cached = cache.get(sessionId);
    if (cached !== undefined) return cached;
    const before = generation;
    const found = await read(sessionId);
    // What was read before a change must not outlive it.
    if (before === generation) cache.set(sessionId, found);
    return found;
  }

  async function read(sessionId: string): Promise<Standing | typeof fallen> {
    const found = await findSession(db, sessionId);
    if (found === undefined) return fallen;
    const { session, user } = found;
    if (session.revoke_time !== null || user.disable_time !== null) return fallen;
    return { userId: user.id, kind: user.kind, scopes: await scopesOf(user) };
  }

  return async (claims: Claims): Promise<Claims | undefined> => {
    const standing = await find(claims.sid ?? '');
    if (standing === fallen) return undefined;
    const { userId, kind, scopes } = standing;
    if (userId !== claims.sub || kind !== claims.principal_type) return undefined;
    const asked = claims.scope.split(' ');
    const kept = asked.filter((scope) => scopes.has(scope));
    return kept.length === asked.length ? claims : { ...claims, scope: kept.join(' ') };
  };
}
