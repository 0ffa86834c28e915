// The JWK sets of trusted issuers (RFC 7517 §5). A set may contain keys for other purposes, which
// are left out.
import { invalid } from '../../base/errors/errors.ts';
import { isPrintable, isWellFormed } from '../../base/net/printable.ts';
import {
  type CheckedJwk,
  type ClientPublicKey,
  findPrivateMember,
  openJwk,
  readPublicJwk,
  type StoredJwk,
} from './client-jwk.ts';

const keysMax = 50;
const bytesMax = 65_536;
const kidMax = 255;

/** `jwt-svid` is the use of keys for JWT-SVIDs (SPIFFE Trust Domain and Bundle §4.2.2). */
const uses: readonly unknown[] = [undefined, 'sig', 'jwt-svid'];

type AnyJwk = Readonly<Record<string, unknown>>;

/** Returns undefined unless it is a set with at most 50 keys. */
function keysOf(jwks: unknown): readonly AnyJwk[] | undefined {
  const { keys } = Object(jwks) as { readonly keys?: unknown };
  if (!Array.isArray(keys) || keys.length > keysMax) return undefined;
  return keys.map((key) => Object(key) as AnyJwk);
}

/** The stored form would have another `kid`, or the console would show it as another. */
const isDisguised = (kid: unknown) =>
  typeof kid === 'string' && !(isPrintable(kid) && isWellFormed(kid));

function acceptedKey(jwk: AnyJwk): CheckedJwk | undefined {
  const { kid } = jwk;
  const isShort = kid === undefined || (typeof kid === 'string' && kid.length <= kidMax);
  return isShort && !isDisguised(kid) && uses.includes(jwk.use) ? readPublicJwk(jwk) : undefined;
}

const stored = (keys: readonly AnyJwk[]) =>
  JSON.stringify({
    keys: keys.flatMap((key) => {
      const accepted = acceptedKey(key);
      return accepted === undefined ? [] : [accepted.jwk];
    }),
  });

/** Returns the accepted keys in the stored form; undefined if it is not a set. */
export function storedKeys(jwks: unknown): string | undefined {
  const keys = keysOf(jwks);
  return keys === undefined ? undefined : stored(keys);
}

/** Returns the accepted keys in the stored form. Throws `invalid_argument`, naming the member. */
export function pinnedKeys(jwks: object): string {
  const keys = keysOf(jwks);
  if (keys === undefined) throw invalid('jwks.keys', `must be a list of at most ${keysMax} keys`);
  if (Buffer.byteLength(JSON.stringify(jwks)) > bytesMax) {
    throw invalid('jwks', `must have at most ${bytesMax} bytes as JSON`);
  }
  for (const [i, key] of keys.entries()) {
    const name = findPrivateMember(key);
    if (name !== undefined) {
      throw invalid(`jwks.keys[${i}].${name}`, 'must not be part of a public key');
    }
    if (!isDisguised(key.kid)) continue;
    throw invalid(`jwks.keys[${i}].kid`, 'must not contain control characters or lone surrogates');
  }
  if (!keys.some((key) => acceptedKey(key) !== undefined)) {
    throw invalid('jwks.keys', 'must contain an Ed25519, P-256 or RSA key for signatures');
  }
  return stored(keys);
}

export function openKeys(text: string): readonly ClientPublicKey[] {
  const { keys } = JSON.parse(text) as { readonly keys: readonly StoredJwk[] };
  return keys.map((jwk) => openJwk(jwk));
}
