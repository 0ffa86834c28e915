// The algorithms that sign tokens of Latchkey.
import type { JWK } from 'jose';

/** RFC 7518 §3.1, RFC 8037 §3.1. */
export type SigningAlgorithm = 'EdDSA' | 'ES256' | 'RS256';

type Facts = {
  readonly kty: string;
  readonly crv?: string;
  /** The members of the public key (RFC 7518 §6, RFC 8037 §2). */
  readonly members: readonly ('e' | 'n' | 'x' | 'y')[];
  /**
   * The form of a token, as on the server: no padding, and one text for each signature, whose last
   * 4 bits are 0.
   */
  readonly token: RegExp;
};

const signature64 = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/;
const signature256 = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{341}[AQgw]$/;

const facts: Readonly<Record<SigningAlgorithm, Facts>> = {
  EdDSA: { kty: 'OKP', crv: 'Ed25519', members: ['x'], token: signature64 },
  ES256: { kty: 'EC', crv: 'P-256', members: ['x', 'y'], token: signature64 },
  RS256: { kty: 'RSA', members: ['e', 'n'], token: signature256 },
};

/** Throws a TypeError for an unknown algorithm, which comes from untyped code. */
export function factsOf(alg: SigningAlgorithm): Facts {
  if (Object.hasOwn(facts, alg)) return facts[alg];
  throw new TypeError(`signingAlg must be ${Object.keys(facts).join(', ')}.`);
}

/**
 * Returns the public part of a key, or undefined if the key does not verify tokens of the
 * algorithm. A private member would make it a signing key.
 */
export function publicKeyOf(jwk: JWK, alg: SigningAlgorithm): JWK | undefined {
  const { kty, crv, members } = factsOf(alg);
  const { use = 'sig', alg: own = alg } = jwk;
  if (jwk.kty !== kty || jwk.crv !== crv || use !== 'sig' || own !== alg) return undefined;
  if (!members.every((name) => typeof jwk[name] === 'string')) return undefined;
  const values = Object.fromEntries(members.map((name) => [name, jwk[name]]));
  return { kty, ...(crv === undefined ? {} : { crv }), ...values };
}
