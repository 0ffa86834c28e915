// Verifies tokens and limits them to the current grants.
import type { Clock } from '../../clock.ts';
import type { Claims } from './claims.ts';
import type { LimitToGrants } from './current-grants.ts';
import type { Revocations } from './revocations.ts';
import type { Signatures } from './signatures.ts';

export type Verifier = {
  /**
   * Returns the claims of a valid token, limited to its current scopes and accounts. Returns
   * undefined for any invalid token, without a reason.
   */
  verify(token: string): Promise<Claims | undefined>;
  /**
   * Returns the claims as signed, without checking the current grants. A token of a disabled client
   * can thus be revoked too: the client might be enabled again.
   */
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

  async function isCurrent(claims: Claims): Promise<boolean> {
    if (claims.iss !== issuer || claims.aud !== audience) return false;
    return now() < claims.exp * 1000 && !(await revocations.has(claims.jti));
  }

  async function readSigned(token: string): Promise<Claims | undefined> {
    const claims = await signatures.claimsOf(token);
    return claims !== undefined && (await isCurrent(claims)) ? claims : undefined;
  }

  return {
    readSigned,
    async verify(token) {
      const claims = await readSigned(token);
      return claims === undefined ? undefined : limitToGrants(claims);
    },
  };
}
