// Tells whether a token is good, and what it is good for now.
import type { Clock } from '../../clock.ts';
import type { Claims } from './claims.ts';
import type { LimitToGrants } from './current-grants.ts';
import type { Revocations } from './revocations.ts';
import type { Signatures } from './signatures.ts';

export type Verifier = {
  /**
   * The claims of a good token, with the scopes and accounts that it still covers; undefined for
   * any other, whatever is wrong with it.
   */
  verify(token: string): Promise<Claims | undefined>;
  /**
   * The claims as they were signed. Tells nothing of whether what the token was issued for still
   * stands: it is also for who disables a client and enables it again.
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
