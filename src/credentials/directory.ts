// Finds out whose a generated credential is. Nothing slow on the token path: a credential that was
// seen before costs a hash and no query, until something changes (see storage/changes.ts).
import { LRUCache } from 'lru-cache';
import { type CredentialKind, credentialId, digestMatches } from '../crypto/credential-format.ts';
import type { Changes } from '../storage/invalidation.ts';
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
  readonly changes: Changes;
  /** Called with the id of a credential that was found good. */
  readonly noteUse: (id: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function createDirectory({ db, changes, noteUse, now }: DirectoryOptions): Directory {
  const cache = new LRUCache<string, GoodCredential>({ max: cachedMax });
  let generation = 0;
  changes.onChange('access', () => {
    generation++;
    cache.clear();
  });

  return {
    async authenticate(kind, text, ownerId) {
      const id = credentialId(kind, text);
      if (id === undefined) return undefined;
      const stale = changes.ensureFresh();
      if (stale !== undefined) await stale;
      const isGood = (credential: StoredCredential | undefined) => {
        const matches = digestMatches(text, credential?.digest ?? decoyDigest);
        return matches && credential !== undefined && isLive(credential, ownerId, now());
      };

      const cached = cache.get(id);
      if (cached !== undefined && isGood(cached)) {
        noteUse(id);
        return cached;
      }
      // A refusal always takes this one query, so that its time does not tell a known id from
      // another.
      const before = generation;
      const credential = await findCredential(db, id);
      if (!isGood(credential) || credential === undefined) return undefined;
      const accounts = kind === 'ck' ? await findAccounts(db, credential.ownerId) : [];
      const good = { ...credential, accounts };
      // What was read before a change must not outlive it.
      if (before === generation) cache.set(id, good);
      noteUse(id);
      return good;
    },
  };
}

function isLive(credential: StoredCredential, ownerId: string | undefined, now: number): boolean {
  if (!credential.enabled) return false;
  if (credential.expireTime !== undefined && credential.expireTime <= now) return false;
  return ownerId === undefined || ownerId === credential.ownerId;
}
