// Tells whether a token is good. The key comes from our own set, never from the token: a token's
// header has to be, byte for byte, the header that one of our keys writes, which settles `alg`,
// `typ` and `kid` at once.
import { type KeyObject, verify } from 'node:crypto';
import type { Changes } from '../../storage/changes.ts';
import type { Keyring } from '../keys/keyring.ts';
import { type Claims, readClaims } from './claims.ts';
import type { Revocations } from './revocations.ts';

export type Verifier = {
  /** The claims of a good token; undefined for any other, whatever is wrong with it. */
  verify(token: string): Promise<Claims | undefined>;
};

export type VerifierOptions = {
  readonly keyring: Keyring;
  readonly revocations: Revocations;
  readonly changes: Changes;
  readonly issuer: () => string;
  readonly audience: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

const tokenPattern = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;
const tokenLengthMax = 16_384;

export function createVerifier(options: VerifierOptions): Verifier {
  const { keyring, revocations, changes, issuer, audience, now } = options;

  function isCurrent(claims: Claims): boolean {
    return (
      claims.iss === issuer() &&
      claims.aud === audience() &&
      now() < claims.exp * 1000 &&
      !revocations.has(claims.jti)
    );
  }

  return {
    async verify(token) {
      if (token.length > tokenLengthMax) return undefined;
      const [, header, payload, signature] = tokenPattern.exec(token) ?? [];
      if (header === undefined || payload === undefined || signature === undefined) {
        return undefined;
      }
      const stale = changes.ensureFresh();
      if (stale !== undefined) await stale;
      const key = keyring.byHeader(header);
      if (key === undefined) return undefined;
      const bytes = Buffer.from(signature, 'base64url');
      // 86 characters carry 4 bits more than 64 bytes: only one way to write them is taken.
      if (bytes.toString('base64url') !== signature) return undefined;
      if (!(await signatureIsGood(`${header}.${payload}`, key.publicKey, bytes))) return undefined;
      const claims = readClaims(Buffer.from(payload, 'base64url').toString());
      return claims !== undefined && isCurrent(claims) ? claims : undefined;
    },
  };
}

function signatureIsGood(input: string, key: KeyObject, signature: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(null, Buffer.from(input), key, signature, (error, good) =>
      error === null ? resolve(good) : reject(error),
    );
  });
}
