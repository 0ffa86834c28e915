// Tells whether one of our keys has signed a token. The key comes from our own set, never from the
// token: a token's header has to be, byte for byte, the header that one of our keys writes, which
// settles `alg`, `typ` and `kid` at once. What was found good once costs a hash the next time.
import { hash, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Changes } from '../../storage/invalidation.ts';
import type { Keyring } from '../keys/keyring.ts';
import { type Claims, readClaims } from './claims.ts';

export type Signatures = {
  /** The claims that one of our keys has signed; undefined for any other text. */
  claimsOf(token: string): Promise<Claims | undefined>;
};

export type SignaturesOptions = {
  readonly keyring: Keyring;
  readonly changes: Changes;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How many good tokens are kept at most. */
  readonly keptMax?: number;
};

type LoadedKey = NonNullable<ReturnType<Keyring['byHeader']>>;

/** A token whose signature was found good, under the SHA-256 of all its characters. */
type Verified = { readonly claims: Claims; readonly key: LoadedKey };

const tokenPattern = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;
const tokenLengthMax = 16_384;

/** How many characters the tokens have together that are kept at most. */
const keptLengthMax = 64 * 1024 * 1024;

export function createSignatures(options: SignaturesOptions): Signatures {
  const { keyring, changes, now, keptMax = 50_000 } = options;
  // Only good tokens get in: no amount of garbage takes the place of one.
  const kept = new LRUCache<string, Verified>({ max: keptMax, maxSize: keptLengthMax });

  return {
    async claimsOf(token) {
      if (token.length > tokenLengthMax) return undefined;
      const digest = hash('sha256', token, 'base64');
      const known = kept.get(digest);
      const parts = known === undefined ? split(token) : undefined;
      if (known === undefined && parts === undefined) return undefined;

      const stale = changes.ensureFresh();
      if (stale !== undefined) await stale;
      if (known !== undefined) {
        // A key that left the ring, or came back as another, takes its tokens along.
        const isOfUse = keyring.byHeader(known.key.header) === known.key;
        if (isOfUse && isUnexpired(known.claims)) return known.claims;
        kept.delete(digest);
      }
      const verified = await check(keyring, parts ?? split(token));
      if (verified !== undefined && isUnexpired(verified.claims)) {
        kept.set(digest, verified, { size: token.length });
      }
      return verified?.claims;
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
  // 86 characters carry 4 bits more than 64 bytes: only one way to write them is taken.
  return signature.toString('base64url') === text ? { header, payload, signature } : undefined;
}

async function check(keyring: Keyring, parts: Parts | undefined): Promise<Verified | undefined> {
  if (parts === undefined) return undefined;
  const { header, payload, signature } = parts;
  const key = keyring.byHeader(header);
  if (key === undefined) return undefined;
  if (!(await signatureIsGood(`${header}.${payload}`, key.publicKey, signature))) return undefined;
  const claims = readClaims(Buffer.from(payload, 'base64url').toString());
  return claims === undefined ? undefined : { claims, key };
}

/** Checks on the thread pool, not on the event loop. */
function signatureIsGood(input: string, key: KeyObject, signature: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, Buffer.from(input), key, signature, (error, good) =>
      error === null ? resolve(good) : reject(error),
    );
  });
}
