// Verifies tokens and limits them to the current grants.
import type { Clock } from '../../base/clock.ts';
import type { Audience, Audiences } from '../audiences/audiences.ts';
import type { Claims } from './claims.ts';
import type { LimitToGrants } from './current-grants.ts';
import type { Revocations } from './revocations.ts';
import type { Signatures } from './signatures.ts';

export type Verifier = {
  /**
   * Returns the claims of a valid token for this service, limited to its current scopes and
   * accounts. Returns undefined for any invalid token, without a reason. `validAt` is the time at
   * which the token and its API key must not have expired, by default now. Revocations are
   * forgotten 5 minutes after `exp`, so a caller that repeats the check with the same time must
   * repeat it more often.
   */
  verify(token: string, validAt?: number): Promise<Claims | undefined>;
  /** Does the same for a token whose audience is known and accepted. */
  verifyFor(token: string, accepts: (audience: Audience) => boolean): Promise<Claims | undefined>;
  /**
   * Returns the claims as signed, for any audience, without checking the current grants. A token of
   * a disabled client can thus be revoked too: the client might be enabled again.
   */
  readSigned(token: string): Promise<Claims | undefined>;
};

export type VerifierOptions = {
  readonly signatures: Signatures;
  readonly revocations: Revocations;
  readonly limitToGrants: LimitToGrants;
  readonly audiences: Audiences;
  readonly issuer: string;
  readonly now: Clock;
};

export function createVerifier(options: VerifierOptions): Verifier {
  const { signatures, revocations, limitToGrants, audiences, issuer, now } = options;

  async function readSignedAt(token: string, validAt: number): Promise<Claims | undefined> {
    const claims = await signatures.claimsOf(token);
    if (claims === undefined || claims.iss !== issuer || validAt >= claims.exp * 1000) {
      return undefined;
    }
    return (await isRevoked(claims)) ? undefined : claims;
  }

  async function isRevoked({ jti, act, parent_ids: parentIds }: Claims): Promise<boolean> {
    if (await revocations.has(jti)) return true;
    if (act === undefined) return false;
    for (const id of parentIds ?? []) if (await revocations.has(id)) return true;
    return false;
  }

  return {
    readSigned: (token) => readSignedAt(token, now()),
    async verify(token, validAt = now()) {
      const claims = await readSignedAt(token, validAt);
      if (claims === undefined || claims.aud !== audiences.own.identifier) return undefined;
      return limitToGrants(claims, validAt);
    },
    async verifyFor(token, accepts) {
      const validAt = now();
      const claims = await readSignedAt(token, validAt);
      if (claims === undefined) return undefined;
      const audience = await audiences.find(claims.aud);
      return audience !== undefined && accepts(audience)
        ? limitToGrants(claims, validAt)
        : undefined;
    },
  };
}
