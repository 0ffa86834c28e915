// Imported secrets of clients. They have no lookup id, so they are found by the id of the client.
// At its first use, the hash of a secret of at least 16 characters is replaced with a digest,
// because a fast check is enough for a random secret.
import { type Clock, secondMs } from '../../base/clock.ts';
import {
  digestMatches,
  digestOf,
  parseAnyCredentialId,
} from '../../base/crypto/credential-format.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { networkOf } from '../../base/net/network.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { transact } from '../../storage/database.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';
import { isLiveCredential, type ValidCredential } from '../directory.ts';
import type { Passwords } from '../passwords.ts';
import { checkImportedHash, matchesImportedHash } from './hash.ts';
import { findImportedSecrets, type ImportedSecret, storeImportedDigest } from './store.ts';

/** A shorter secret may be guessed from its digest. */
const lengthMin = 16;

/** The limit of `client_secret` in a token request. */
const lengthMax = 256;

const cachedMax = 10_000;

const limits = {
  /** Wrong secrets for a client from a network. Secrets that match a digest never wait. */
  secret: { free: 20, firstWaitMs: secondMs, waitMsMax: 64 * secondMs, forgetMs: 60 * secondMs },
} as const satisfies Record<string, ThrottleLimit>;

/** Returns the columns of a given secret. Throws `invalid_argument`, without the secret. */
export function storedImport(
  field: string,
  { hash, value }: { readonly hash: string; readonly value: string },
): { readonly digest: string; readonly importedHash: string } {
  if ((hash === '') === (value === '')) throw invalid(field, 'must have either hash or value');
  if (hash !== '') {
    checkImportedHash(`${field}.hash`, hash);
    // No known text has this digest.
    return { digest: '0'.repeat(64), importedHash: hash };
  }
  if (value.length < lengthMin) {
    throw invalid(`${field}.value`, `must have at least ${lengthMin} characters`);
  }
  if (!/^[ -~]+$/.test(value) || parseAnyCredentialId(value) !== undefined) {
    throw invalid(
      `${field}.value`,
      'must be printable ASCII, and not a credential of this service',
    );
  }
  return { digest: digestOf(value), importedHash: '' };
}

export type ImportedSecrets = {
  /**
   * Returns undefined if the secret is wrong. Throws `rate_limited` after too many wrong ones, or
   * if too many are being checked.
   */
  authenticate(clientId: string, text: string, peer: string): Promise<ValidCredential | undefined>;
};

export type ImportedSecretsOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly passwords: Passwords;
  readonly masterKey: MasterKey;
  readonly recordUse: (id: string) => void;
  readonly now: Clock;
};

export function createImportedSecrets(options: ImportedSecretsOptions): ImportedSecrets {
  const { db, invalidations, passwords, masterKey, recordUse, now } = options;
  const keys = masterKey.derive('imported secrets');
  const throttle = createThrottle({ db, keys, limits, refusal: tooManySecrets, now });
  const cache = createRevocationSafeCache<ImportedSecret | undefined>({
    invalidations,
    dependsOn: (found) =>
      found === undefined
        ? []
        : [entityKey('credential', found.id), entityKey('client', found.ownerId)],
    entriesMax: cachedMax,
    isCached: (found) => found !== undefined,
  });
  /** Programs of one client often start together, with the same secret. */
  const checks = new Map<string, Promise<ImportedSecret | undefined>>();

  async function findByDigest(clientId: string, text: string) {
    const key = `${clientId} ${digestOf(text)}`;
    const isGood = (found: ImportedSecret) =>
      digestMatches(text, found.digest) && isLiveCredential(found, clientId, now());
    const cached = await cache.find(key);
    if (cached !== undefined && isGood(cached))
      return { good: cached, hashed: [], isImported: true };
    let isImported = false;
    let hashed: readonly ImportedSecret[] = [];
    const good = await cache.load(key, async () => {
      const all = await findImportedSecrets(db, clientId);
      // A client whose secrets have ended, or that was deleted, is like one that never existed.
      const live = all.filter((one) => isLiveCredential(one, clientId, now()));
      isImported = live.length > 0;
      hashed = live.filter(({ importedHash }) => importedHash !== '');
      return all.find(isGood);
    });
    return { good, hashed, isImported };
  }

  async function findByHash(
    hashed: readonly ImportedSecret[],
    { clientId, text, peer }: { clientId: string; text: string; peer: string },
  ): Promise<ImportedSecret | undefined> {
    const network = networkOf(peer);
    const counter = throttle.counter('secret', clientId, network);
    let counted: Awaited<ReturnType<typeof throttle.count>> = [];
    const queue = {
      kind: 'secrets',
      owner: [clientId, network],
      // Counted when the queue reaches the attempt, so that a flood does not fill the queue of the
      // database.
      first: async () => {
        counted = await throttle.count([counter]);
      },
    } as const;
    const found = await passwords.run(queue, async () => {
      for (const one of hashed) {
        if (await matchesImportedHash(one.importedHash, text)) return one;
      }
      return undefined;
    });
    if (found === undefined) return undefined;
    await transact(db, async (trx) => {
      await throttle.takeBack(trx, counted);
      if (text.length >= lengthMin) await storeImportedDigest(trx, found, digestOf(text));
    });
    // Not found if it was revoked in the meantime.
    if (text.length >= lengthMin) return (await findByDigest(clientId, text)).good;
    const all = await findImportedSecrets(db, clientId);
    return all.find(
      (one) =>
        one.id === found.id &&
        one.importedHash === found.importedHash &&
        isLiveCredential(one, clientId, now()),
    );
  }

  return {
    async authenticate(clientId, text, peer) {
      const isGenerated = parseAnyCredentialId(text) !== undefined;
      if (isGenerated || text.length > lengthMax) return undefined;
      const { good, hashed, isImported } = await findByDigest(clientId, text);
      let found = good;
      if (found === undefined && hashed.length > 0) {
        const key = `${clientId} ${digestOf(text)}`;
        const check =
          checks.get(key) ??
          findByHash(hashed, { clientId, text, peer }).finally(() => checks.delete(key));
        checks.set(key, check);
        found = await check;
      } else if (found === undefined && isImported) {
        // People chose some of these secrets, so guesses are slowed down after the first use, too.
        await throttle.count([throttle.counter('secret', clientId, networkOf(peer))]);
      }
      if (found === undefined) return undefined;
      recordUse(found.id);
      return { ...found, accounts: [] };
    },
  };
}

const tooManySecrets = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many wrong secrets; wait before the next attempt.', {
    retryAfterSeconds,
  });
