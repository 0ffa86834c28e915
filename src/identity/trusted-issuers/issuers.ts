// Holds all trusted issuers and their keys in memory, so that an assertion needs no query for its
// issuer and no request to it.
import type { Clock } from '../../base/clock.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { keepLoaded } from '../../storage/cache/loaded-rows.ts';
import type { Database, TrustedIssuerRow } from '../../storage/schema/schema.ts';
import { findAllIssuers } from './store.ts';

export type TrustedIssuer<Key> = {
  readonly id: string;
  /** The `aud` of its assertions. */
  readonly audience: string;
  readonly enabled: boolean;
  readonly isPinned: boolean;
  /** Empty if the keys could not be read for a day. */
  readonly keys: readonly Key[];
};

export type TrustedIssuers<Key> = {
  /** Returns the issuers with this `iss`. Throws `unavailable` as a keyring does. */
  find(issuer: string): Promise<readonly TrustedIssuer<Key>[]>;
};

export type TrustedIssuersOptions<Key> = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly openKeys: (jwks: string) => readonly Key[];
  readonly publicUrl: string;
  readonly now: Clock;
};

/** An issuer may be unreachable for this long. */
const keysMsMax = 86_400_000;

type Loaded<Key> = { readonly row: TrustedIssuerRow; readonly keys: readonly Key[] };

export async function openTrustedIssuers<Key>(
  options: TrustedIssuersOptions<Key>,
): Promise<TrustedIssuers<Key>> {
  const { db, invalidations, openKeys, publicUrl, now } = options;
  let loaded: readonly Loaded<Key>[] = [];
  const rows = await keepLoaded(invalidations, 'trusted_issuer', async () => {
    // Most reads bring the same keys, which need not be opened again.
    const earlier = new Map(loaded.map(({ row, keys }) => [jwksOf(row), keys]));
    loaded = (await findAllIssuers(db)).map((row) => {
      const jwks = jwksOf(row);
      return { row, keys: earlier.get(jwks) ?? (jwks === null ? [] : openKeys(jwks)) };
    });
  });

  const issuerOf = ({ row, keys }: Loaded<Key>): TrustedIssuer<Key> => ({
    id: row.id,
    audience: row.audience || publicUrl,
    enabled: row.enabled === 1,
    isPinned: row.jwks !== null,
    keys: row.jwks === null && (row.read_time ?? 0) <= now() - keysMsMax ? [] : keys,
  });
  return {
    async find(issuer) {
      await rows.ensureCurrent();
      return loaded.filter(({ row }) => row.issuer === issuer).map(issuerOf);
    },
  };
}

const jwksOf = (row: TrustedIssuerRow) => row.jwks ?? row.read_jwks;
