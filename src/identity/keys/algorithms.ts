// The algorithms that sign tokens. EdDSA is the default, see ed25519.ts. The others are for
// verifiers that do not support it. node:crypto computes them on its thread pool: a signature with
// RS256 would stop the main thread for half a millisecond.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlgorithm } from '../../storage/schema/schema.ts';
import type { PrivateKey, PublicKey } from './ed25519.ts';

export const signingAlgorithms: readonly SigningAlgorithm[] = ['EdDSA', 'ES256', 'RS256'];

export type PoolAlgorithm = Exclude<SigningAlgorithm, 'EdDSA'>;

const generate = promisify(generateKeyPair);

type Facts = {
  /** The members that define the key, in the order of the thumbprint (RFC 7638 §3.2). */
  readonly members: readonly ('crv' | 'e' | 'kty' | 'n' | 'x' | 'y')[];
  readonly signatureBytes: number;
  generate(): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }>;
};

const facts: Readonly<Record<PoolAlgorithm, Facts>> = {
  ES256: {
    members: ['crv', 'kty', 'x', 'y'],
    signatureBytes: 64,
    generate: () => generate('ec', { namedCurve: 'P-256' }),
  },
  RS256: {
    members: ['e', 'kty', 'n'],
    signatureBytes: 256,
    generate: () => generate('rsa', { modulusLength: 2048 }),
  },
};

export type KeyMembers = Pick<JsonWebKey, Facts['members'][number]>;

/** Returns the members of the public JWK, and the private key in PKCS #8. */
export async function generatePoolKey(alg: PoolAlgorithm) {
  const { publicKey, privateKey } = await facts[alg].generate();
  const jwk = publicKey.export({ format: 'jwk' });
  const members: KeyMembers = Object.fromEntries(
    facts[alg].members.map((name) => [name, jwk[name]]),
  );
  return { members, pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

/** ECDSA signatures are r and s (RFC 7518 §3.4), not DER. RSA ignores the option. */
const withOptions = (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' }) as const;

/** Imports a key in PKCS #8. The caller may then erase it. */
export function openPoolPrivateKey(pkcs8: Buffer): PrivateKey {
  const key = withOptions(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
  return {
    sign: (message) =>
      new Promise((resolve, reject) => {
        sign('sha256', message, key, (error, bytes) =>
          error === null ? resolve(bytes) : reject(error),
        );
      }),
    retire() {},
  };
}

export function openPoolPublicKey(alg: PoolAlgorithm, members: KeyMembers): PublicKey {
  const key = withOptions(createPublicKey({ key: members, format: 'jwk' }));
  const { signatureBytes } = facts[alg];
  return {
    async verify(message, signature) {
      if (signature.length !== signatureBytes) return false;
      return new Promise((resolve, reject) => {
        verify('sha256', message, key, signature, (error, isValid) =>
          error === null ? resolve(isValid) : reject(error),
        );
      });
    },
  };
}
