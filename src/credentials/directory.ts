// Finds the owner of a generated credential. Nothing slow on the token path: a credential that was
// seen before costs a hash and no query, until something changes (see storage/invalidation.ts).
import type { Clock } from '../clock.ts';
import { type CredentialKind, credentialId, digestMatches } from '../crypto/credential-format.ts';
import type { Invalidations } from '../storage/invalidation.ts';
import { createRevocationSafeCache } from '../storage/revocation-safe-cache.ts';
import type { Database } from '../storage/schema.ts';
import { findAccounts, findCredential, type StoredCredential } from './store.ts';

const cachedMax = 50_000;

/** What an unknown credential is compared with, so that it costs what a known one costs. */
const decoyDigest = '0'.repeat(64);

/** A credential that was found good. */
export type GoodCredential = StoredCredential & {
  /** The customer's accounts; empty for other owners. */
  readonly accounts: readonly string[];
};

export type Directory = {
  /**
   * The credential's row where the credential is good: known, unrevoked, unexpired, of an enabled
   * owner, who is `ownerId` where that is given. Otherwise undefined, for any reason in the same
   * way and the same time.
   */
  authenticate(
    kind: CredentialKind,
    text: string,
    ownerId?: string,
  ): Promise<GoodCredential | undefined>;
};

export type DirectoryOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  /** Called with the id of a credential that was found good. */
  readonly noteUse: (id: string) => void;
  readonly now: Clock;
};

export function createDirectory({ db, invalidations, noteUse, now }: DirectoryOptions): Directory {
  const cache = createRevocationSafeCache<GoodCredential | undefined>({
    invalidations,
    topic: 'access',
    entriesMax: cachedMax,
    isCached: (credential) => credential !== undefined,
  });

  return {
    async authenticate(kind, text, ownerId) {
      const id = credentialId(kind, text);
      if (id === undefined) return undefined;
      const isGood = (credential: StoredCredential | undefined) => {
        const matches = digestMatches(text, credential?.digest ?? decoyDigest);
        return matches && credential !== undefined && isLive(credential, ownerId, now());
      };

      const cached = await cache.find(id);
      if (cached !== undefined && isGood(cached)) {
        noteUse(id);
        return cached;
      }
      // A refusal always costs this one query: its time does not show whether the id is known.
      const good = await cache.load(id, async () => {
        const credential = await findCredential(db, id);
        if (!isGood(credential) || credential === undefined) return undefined;
        const accounts = kind === 'ck' ? await findAccounts(db, credential.ownerId) : [];
        return { ...credential, accounts };
      });
      if (good !== undefined) noteUse(id);
      return good;
    },
  };
}

function isLive(credential: StoredCredential, ownerId: string | undefined, now: number): boolean {
  if (!credential.enabled) return false;
  if (credential.expireTime !== undefined && credential.expireTime <= now) return false;
  return ownerId === undefined || ownerId === credential.ownerId;
}
