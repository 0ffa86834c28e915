// Verifies tokens and limits them to the current grants.
import type { Clock } from '../../base/clock.ts';
import type { Claims } from './claims.ts';
import type { LimitToGrants } from './current-grants.ts';
import type { Revocations } from './revocations.ts';
import type { Signatures } from './signatures.ts';

export type Verifier = {
  /**
   * Returns the claims of a valid token, limited to its current scopes and accounts. Returns
   * undefined for any invalid token, without a reason. `validAt` is the time at which the token and
   * its API key must not have expired, by default now. Revocations are forgotten 5 minutes after
   * `exp`, so a caller that repeats the check with the same time must repeat it more often.
   */
  verify(token: string, validAt?: number): Promise<Claims | undefined>;
  /** Without the current grants: the client of a revoked token might be enabled again. */
  readSigned(token: string): Promise<Claims | undefined>;
};

export type VerifierOptions = {
  readonly signatures: Signatures;
  readonly revocations: Revocations;
  readonly limitToGrants: LimitToGrants;
  readonly issuer: string;
  readonly audience: string;
  readonly now: Clock;
};

export function createVerifier(options: VerifierOptions): Verifier {
  const { signatures, revocations, limitToGrants, issuer, audience, now } = options;

  async function isCurrent(claims: Claims, validAt: number): Promise<boolean> {
    if (claims.iss !== issuer || claims.aud !== audience) return false;
    return validAt < claims.exp * 1000 && !(await revocations.has(claims.jti));
  }

  async function readSignedAt(token: string, validAt: number): Promise<Claims | undefined> {
    const claims = await signatures.claimsOf(token);
    return claims !== undefined && (await isCurrent(claims, validAt)) ? claims : undefined;
  }

  return {
    readSigned: (token) => readSignedAt(token, now()),
    async verify(token, validAt = now()) {
      const claims = await readSignedAt(token, validAt);
      return claims === undefined ? undefined : limitToGrants(claims, validAt);
    },
  };
}
