// Finds the owner of a generated credential. Verifying a token must be fast: a credential that was
// seen before costs a hash and no query, until the cache is invalidated (see
// storage/cache/invalidation.ts).

import type { Authenticate } from '../api/authentication.ts';
import type { Clock } from '../base/clock.ts';
import {
  type CredentialKind,
  digestMatches,
  parseCredentialId,
} from '../base/crypto/credential-format.ts';
import type { Invalidations } from '../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../storage/cache/revocation-safe-cache.ts';
import { type EntityKey, entityKey } from '../storage/schema/change.ts';
import type { Database } from '../storage/schema/schema.ts';
import { findCredential, findCustomerAccountIds, type StoredCredential } from './store.ts';

const cachedMax = 50_000;

const ownerEntities = { cs: 'client', ck: 'customer', wk: 'workspace' } as const;

function dependsOn(credential: ValidCredential | undefined, id: string): EntityKey[] {
  const entities = [entityKey('credential', id)];
  if (credential !== undefined) {
    entities.push(entityKey(ownerEntities[credential.ownerKind], credential.ownerId));
  }
  return entities;
}

/** Compared with an unknown credential, so that the check takes as long as for a known one. */
const decoyDigest = '0'.repeat(64);

export type ValidCredential = StoredCredential & {
  readonly accounts: readonly string[];
};

export type CredentialDirectory = {
  /** Otherwise undefined, in the same time for every reason. `validAt` is now by default. */
  authenticate(
    kind: CredentialKind,
    text: string,
    options?: { readonly ownerId?: string; readonly validAt?: number },
  ): Promise<ValidCredential | undefined>;
};

export type CredentialDirectoryOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly recordUse: (id: string) => void;
  readonly now: Clock;
};

export function createCredentialDirectory({
  db,
  invalidations,
  recordUse,
  now,
}: CredentialDirectoryOptions): CredentialDirectory {
  const cache = createRevocationSafeCache<ValidCredential | undefined>({
    invalidations,
    dependsOn,
    entriesMax: cachedMax,
    isCached: (credential) => credential !== undefined,
  });

  return {
    async authenticate(kind, text, { ownerId, validAt = now() } = {}) {
      const id = parseCredentialId(kind, text);
      if (id === undefined) return undefined;
      const isGood = (credential: StoredCredential | undefined) => {
        const matches = digestMatches(text, credential?.digest ?? decoyDigest);
        return (
          matches && credential !== undefined && isLiveCredential(credential, ownerId, validAt)
        );
      };

      const cached = await cache.find(id);
      if (cached !== undefined && isGood(cached)) {
        recordUse(id);
        return cached;
      }
      // Every refusal costs this one query, so its duration does not show whether the id is known.
      const good = await cache.load(id, async () => {
        const credential = await findCredential(db, id);
        if (!isGood(credential) || credential === undefined) return undefined;
        const accounts = kind === 'ck' ? await findCustomerAccountIds(db, credential.ownerId) : [];
        return { ...credential, accounts };
      });
      if (good !== undefined) recordUse(id);
      return good;
    },
  };
}

export function isLiveCredential(
  credential: StoredCredential,
  ownerId: string | undefined,
  now: number,
): boolean {
  if (!credential.enabled) return false;
  if (credential.expireTime !== undefined && credential.expireTime <= now) return false;
  return ownerId === undefined || ownerId === credential.ownerId;
}

export function workspaceKeyAuthenticator(directory: CredentialDirectory): Authenticate {
  return async (text, validAt) => {
    const key = await directory.authenticate('wk', text, { validAt });
    if (key === undefined) return undefined;
    const { id, ownerId, scopes } = key;
    return { type: 'workspace_key', keyId: id, workspaceId: ownerId, scopes };
  };
}
