// Caches what an assertion of a client is checked against: the client, its keys and its federated
// identities.
import type { Clock } from '../../base/clock.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type {
  ClientKeyRow,
  ClientRow,
  Database,
  Executor,
  FederatedIdentityRow,
} from '../../storage/schema/schema.ts';
import { type ClientPublicKey, openJwk } from './client-jwk.ts';

export type ClientKey = ClientPublicKey & {
  readonly id: string;
  readonly expireTime: number | null;
};

export type FederatedIdentity = {
  readonly id: string;
  readonly issuerId: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, string>>;
};

export type AssertingClient = {
  readonly client: ClientRow;
  readonly keys: readonly ClientKey[];
  readonly identities: readonly FederatedIdentity[];
};

/** A client with the id of its key or federated identity that an assertion has proven. */
export type ProvenClient = Pick<AssertingClient, 'client'> & { readonly credentialId: string };

/** Returns undefined if the client is disabled or does not exist. */
export type FindAssertingClient = (id: string) => Promise<AssertingClient | undefined>;

export type AssertingClientOptions = {
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
  readonly findClient: (db: Executor, id: string) => Promise<ClientRow | undefined>;
  /** Returns the keys that are neither revoked nor expired. */
  readonly findLiveKeys: (db: Executor, id: string, time: number) => Promise<ClientKeyRow[]>;
  readonly findIdentities: (db: Executor, id: string) => Promise<FederatedIdentityRow[]>;
  readonly now: Clock;
};

export function createAssertingClients(options: AssertingClientOptions): FindAssertingClient {
  const { db, invalidations, now } = options;
  const cache = createRevocationSafeCache<AssertingClient | undefined>({
    invalidations,
    dependsOn: (_, id) => [entityKey('client', id)],
    entriesMax: 10_000,
    // A new client causes no change.
    isCached: (found) => found !== undefined,
  });

  async function read(id: string): Promise<AssertingClient | undefined> {
    const client = await options.findClient(db, id);
    if (client === undefined) return undefined;
    const keys = await options.findLiveKeys(db, id, now());
    const identities = await options.findIdentities(db, id);
    return {
      client,
      keys: keys.map((row) => ({
        ...openJwk(JSON.parse(row.jwk), row.thumbprint),
        id: row.id,
        expireTime: row.expire_time,
      })),
      identities: identities.map(({ id, issuer_id, subject, claims }) => ({
        id,
        issuerId: issuer_id,
        subject,
        claims: JSON.parse(claims),
      })),
    };
  }

  return async (id) => {
    const found = await cache.get(id, () => read(id));
    return found?.client.disable_time === null ? found : undefined;
  };
}
