// Verifies the signatures of tokens. The key comes from our keyring, never from the token: a
// token's header must equal, byte for byte, the header of one of our keys, which fixes `alg`, `typ`
// and `kid`. A token that was verified before costs only a hash.

import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { LoadedKey } from '../keys/signing-key.ts';
import { type Claims, readClaims } from './claims.ts';

export type Signatures = {
  /** Undefined for a text that none of our keys has signed. */
  claimsOf(token: string): Promise<Claims | undefined>;
};

export type SignaturesOptions = {
  readonly keyring: Keyring;
  readonly invalidations: Invalidations;
  readonly now: Clock;
  readonly cachedMax?: number;
};

type Verified = {
  readonly claims: Claims;
  readonly key: LoadedKey;
  readonly length: number;
};

/** The signature has 64 bytes, or 256 with RSA. */
const tokenPattern = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86}|[A-Za-z0-9_-]{342})$/;
const tokenLengthMax = 16_384;

const keyEntity = ({ kid }: LoadedKey) => entityKey('signing_key', kid);

const cachedLengthMax = 64 * 1024 * 1024;

export function createSignatures(options: SignaturesOptions): Signatures {
  const { keyring, invalidations, now, cachedMax = 50_000 } = options;
  const cache = createRevocationSafeCache<Verified | undefined>({
    invalidations,
    dependsOn: (verified) => (verified === undefined ? [] : [keyEntity(verified.key)]),
    entriesMax: cachedMax,
    sizeMax: cachedLengthMax,
    sizeOf: (verified) => verified?.length ?? 1,
    // Only valid tokens are cached, so invalid ones cannot evict them.
    isCached: (verified) => verified !== undefined && isUnexpired(verified.claims),
  });

  return {
    async claimsOf(token) {
      if (token.length > tokenLengthMax) return undefined;
      const digest = hash('sha256', token, 'base64');
      const cached = await cache.find(digest);
      if (cached !== undefined) {
        // If a key has left the keyring or was replaced, its cached tokens are invalid.
        const isCurrent = (await keyring.byHeader(cached.key.header)) === cached.key;
        if (isCurrent && isUnexpired(cached.claims)) return cached.claims;
        cache.delete(digest);
      }
      const parts = split(token);
      if (parts === undefined) return undefined;
      return (await cache.load(digest, () => check(keyring, parts, token.length)))?.claims;
    },
  };

  function isUnexpired({ exp }: Claims): boolean {
    return now() < exp * 1000;
  }
}

type Parts = { header: string; payload: string; signature: Buffer };

function split(token: string): Parts | undefined {
  const [, header, payload, text] = tokenPattern.exec(token) ?? [];
  if (header === undefined || payload === undefined || text === undefined) return undefined;
  const signature = Buffer.from(text, 'base64url');
  // The characters hold 4 bits more than the bytes. Only the canonical encoding is accepted.
  return signature.toString('base64url') === text ? { header, payload, signature } : undefined;
}

async function check(
  keyring: Keyring,
  { header, payload, signature }: Parts,
  length: number,
): Promise<Verified | undefined> {
  const key = await keyring.byHeader(header);
  if (key === undefined) return undefined;
  const message = Buffer.from(`${header}.${payload}`);
  if (!(await key.publicKey.verify(message, signature))) return undefined;
  const claims = readClaims(Buffer.from(payload, 'base64url').toString());
  return claims === undefined ? undefined : { claims, key, length };
}
