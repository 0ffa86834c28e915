// The public keys of clients (RFC 7517).
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { PublicJwk } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { invalid } from '../../base/errors/errors.ts';

/** The algorithms of an assertion (RFC 7518, RFC 8037). */
export const assertionAlgorithms = ['EdDSA', 'ES256', 'RS256', 'PS256'] as const;

export type AssertionAlgorithm = (typeof assertionAlgorithms)[number];

type KeyType = {
  readonly crv?: string;
  /** The members that define the key, in the order of the thumbprint (RFC 7638 §3.2). */
  readonly members: readonly ('crv' | 'e' | 'kty' | 'n' | 'x' | 'y')[];
  readonly algorithms: readonly AssertionAlgorithm[];
};

const keyTypes: Readonly<Record<string, KeyType>> = {
  OKP: { crv: 'Ed25519', members: ['crv', 'kty', 'x'], algorithms: ['EdDSA'] },
  EC: { crv: 'P-256', members: ['crv', 'kty', 'x', 'y'], algorithms: ['ES256'] },
  RSA: { members: ['e', 'kty', 'n'], algorithms: ['RS256', 'PS256'] },
};

const rsaBits = { min: 2048, max: 4096 };

/** A checked key, as it is stored. */
export type StoredJwk = Readonly<Record<string, string>>;

/** The members of a given key that are read. */
export type GivenJwk = Pick<PublicJwk, 'kty' | 'crv' | 'x' | 'y' | 'n' | 'e' | 'kid' | 'alg'>;

export type CheckedJwk = { readonly jwk: StoredJwk; readonly thumbprint: string };

/** The members of private and symmetric keys (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Returns the name of a member that a public key must not have. */
export const findPrivateMember = (jwk: object): string | undefined =>
  privateMembers.find((name) => Object.hasOwn(jwk, name));

/** Returns undefined unless it is a public key that `checkJwk` accepts. */
export function readPublicJwk(jwk: unknown): CheckedJwk | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  if (findPrivateMember(jwk) !== undefined) return undefined;
  try {
    // A member of another type throws a TypeError.
    return checkJwk(jwk as GivenJwk);
  } catch {
    return undefined;
  }
}

/** Throws `invalid_argument`, which names the member. */
export function checkJwk(given: GivenJwk): CheckedJwk {
  const type = Object.hasOwn(keyTypes, given.kty) ? keyTypes[given.kty] : undefined;
  if (type === undefined) throw invalid('jwk.kty', 'must be OKP, EC or RSA');
  if (type.crv !== given.crv) {
    throw invalid('jwk.crv', type.crv === undefined ? 'must be unset' : `must be ${type.crv}`);
  }
  const { alg } = given;
  if (alg !== undefined && !type.algorithms.some((name) => name === alg)) {
    throw invalid('jwk.alg', `must be ${type.algorithms.join(' or ')}, or unset`);
  }
  const own = Object.fromEntries(
    type.members.map((name) => {
      const value = given[name];
      if (value === undefined || !/^[\w-]+$/.test(value)) {
        const form = name === 'kty' || name === 'crv' ? '' : ' in base64url';
        throw invalid(`jwk.${name}`, `is required${form}`);
      }
      return [name, value];
    }),
  );
  const key = importKey(own);
  if (key === undefined) throw invalid('jwk', 'is not a valid public key');
  checkRsa(key);
  const thumbprint = createHash('sha256').update(JSON.stringify(own)).digest('base64url');
  const { kid = '' } = given;
  const names = { ...(kid === '' ? {} : { kid }), ...(alg === undefined ? {} : { alg }) };
  return { jwk: { ...own, ...names }, thumbprint };
}

function importKey(jwk: StoredJwk): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    // Another encoding of the same members, such as a leading zero, would change the thumbprint.
    const exported: Record<string, unknown> = key.export({ format: 'jwk' });
    if (!Object.entries(jwk).every(([name, value]) => exported[name] === value)) return undefined;
    const { crv, x = '' } = jwk;
    return crv !== 'Ed25519' || isStrongPublicKey(Buffer.from(x, 'base64url')) ? key : undefined;
  } catch {
    return undefined;
  }
}

function checkRsa(key: KeyObject): void {
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength === undefined) return;
  if (modulusLength < rsaBits.min || modulusLength > rsaBits.max) {
    throw invalid('jwk.n', `must have ${rsaBits.min} to ${rsaBits.max} bits`);
  }
  // Small exponents are weak, and large ones make verification slow.
  if (publicExponent !== 65537n) throw invalid('jwk.e', 'must be AQAB');
}

/** A stored key, ready to verify signatures. */
export type ClientPublicKey = {
  readonly key: KeyObject;
  readonly algorithms: readonly AssertionAlgorithm[];
  /** The values of `kid` by which an assertion may refer to the key. */
  readonly names: readonly string[];
};

export function openJwk(jwk: StoredJwk, thumbprint?: string): ClientPublicKey {
  const { alg, kid, kty = '', ...rest } = jwk;
  const { algorithms } = keyTypes[kty] ?? { algorithms: [] };
  return {
    key: createPublicKey({ key: { kty, ...rest }, format: 'jwk' }),
    algorithms: alg === undefined ? algorithms : algorithms.filter((name) => name === alg),
    names: [thumbprint, kid].filter((name) => name !== undefined),
  };
}

// The points of Ed25519 that are public keys (RFC 8032 §5.1).

const prime = 2n ** 255n - 19n;
const orderEight = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/** The y coordinates of the points whose order divides 8. */
const smallOrder = new Set([0n, 1n, prime - 1n, orderEight, prime - orderEight]);

/**
 * Whether only the holder of a private key can sign for a public key of 32 bytes. Anyone can sign
 * for a point of small order: such a signature does not depend on the message. node:crypto accepts
 * these keys, and also second encodings of a point, which RFC 8032 §5.1.3 excludes.
 */
function isStrongPublicKey(bytes: Uint8Array): boolean {
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const y = BigInt.asUintN(255, number);
  return y < prime && !smallOrder.has(y);
}
