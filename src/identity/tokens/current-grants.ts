// Whether what a token was issued for still stands. A token never outlives its client, its key or
// its session, and never covers more than they do now. Only our own verification can know that:
// who verifies by the published keys alone takes a token until its `exp`.
import { LRUCache } from 'lru-cache';
import type { Changes } from '../../storage/invalidation.ts';
import type { Database } from '../../storage/schema.ts';
import type { Claims } from './claims.ts';
import { findClientStanding, findKeyStanding } from './store.ts';

/** What the tokens of a client or a key may cover, while it stands. */
export type Standing = {
  readonly ownerId: string;
  readonly scopes: ReadonlySet<string>;
  /** The customer's; none for a client, whose tokens are not restricted to accounts. */
  readonly accounts: ReadonlySet<string>;
  /** Milliseconds since 1970; undefined for never. */
  readonly expireTime: number | undefined;
};

/** The claims with what they still cover; undefined where the token has outlived its ground. */
export type Narrow = (claims: Claims) => Promise<Claims | undefined>;

export type StandingOptions = {
  readonly db: Database;
  readonly changes: Changes;
  /** For the tokens of staff and members. */
  readonly narrowUser: Narrow;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** How many clients, keys and accounts together are kept. */
const keptMax = 200_000;

export function createStanding(options: StandingOptions): Narrow {
  const { db, changes, narrowUser, now } = options;
  const fallen = 'fallen';
  const kept = new LRUCache<string, Standing | typeof fallen>({
    maxSize: keptMax,
    sizeCalculation: (found) => 1 + (found === fallen ? 0 : found.accounts.size),
  });
  let generation = 0;
  changes.onChange('access', () => {
    generation++;
    kept.clear();
  });

  async function find(claims: Claims): Promise<Standing | undefined> {
    const id = claims.client_id;
    const known = kept.get(id);
    if (known !== undefined) return known === fallen ? undefined : known;
    const before = generation;
    const found =
      claims.principal_type === 'service'
        ? await findClientStanding(db, id)
        : await findKeyStanding(db, id);
    // What was read before a change must not outlive it.
    if (before === generation) kept.set(id, found ?? fallen);
    return found;
  }

  return async (claims) => {
    switch (claims.principal_type) {
      case 'service':
      case 'customer': {
        const standing = await find(claims);
        if (standing === undefined || standing.ownerId !== claims.sub) return undefined;
        const { expireTime } = standing;
        if (expireTime !== undefined && expireTime <= now()) return undefined;
        return narrowed(claims, standing);
      }
      case 'staff':
      case 'member':
        return narrowUser(claims);
    }
  };
}

function narrowed(claims: Claims, standing: Standing): Claims {
  const scope = claims.scope
    .split(' ')
    .filter((one) => standing.scopes.has(one))
    .join(' ');
  const accounts = claims.accounts?.filter((one) => standing.accounts.has(one));
  if (scope === claims.scope && accounts?.length === claims.accounts?.length) return claims;
  return { ...claims, scope, ...(accounts === undefined ? {} : { accounts }) };
}
