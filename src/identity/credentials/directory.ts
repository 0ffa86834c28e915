// Finds out whose a generated credential is. Nothing slow on the token path: a credential that was
// seen before costs a hash and no query, until something changes (see storage/changes.ts).
import { LRUCache } from 'lru-cache';
import type { Changes } from '../../storage/changes.ts';
import type { Database } from '../../storage/schema.ts';
import { type CredentialKind, credentialId, digestMatches } from './format.ts';
import { findCredential, type StoredCredential } from './store.ts';

const cachedMax = 50_000;

/** What an unknown credential is compared with, so that it costs what a known one costs. */
const decoyDigest = '0'.repeat(64);

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
  ): Promise<StoredCredential | undefined>;
};

export type DirectoryOptions = {
  readonly db: Database;
  readonly changes: Changes;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function createDirectory({ db, changes, now }: DirectoryOptions): Directory {
  const cache = new LRUCache<string, StoredCredential>({ max: cachedMax });
  let generation = 0;
  changes.onChange(() => {
    generation++;
    cache.clear();
  });

  async function read(id: string): Promise<StoredCredential | undefined> {
    const before = generation;
    const credential = await findCredential(db, id);
    // What was read before a change must not outlive it.
    if (credential !== undefined && before === generation) cache.set(id, credential);
    return credential;
  }

  return {
    async authenticate(kind, text, ownerId) {
      const id = credentialId(kind, text);
      if (id === undefined) return undefined;
      const stale = changes.ensureFresh();
      if (stale !== undefined) await stale;
      const cached = cache.get(id);
      const credential = cached ?? (await read(id));
      const matches = digestMatches(text, credential?.digest ?? decoyDigest);
      if (credential !== undefined && matches && isGood(credential, ownerId, now())) {
        return credential;
      }
      // A refusal always takes one query, so that its time does not tell a known id from another.
      if (cached !== undefined) await findCredential(db, id);
      return undefined;
    },
  };
}

function isGood(credential: StoredCredential, ownerId: string | undefined, now: number): boolean {
  if (!credential.enabled) return false;
  if (credential.expireTime !== undefined && credential.expireTime <= now) return false;
  return ownerId === undefined || ownerId === credential.ownerId;
}
