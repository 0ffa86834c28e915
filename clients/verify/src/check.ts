// The check that every middleware makes.
import type { TokenClaims } from './claims.ts';
import { forbidden } from './errors.ts';
import { authorize, type Rule } from './rule.ts';
import type { Verifier } from './verifier.ts';

/**
 * Returns the claims, or undefined on a public route. Throws a VerifyError. A missing rule is
 * refused, so that a forgotten route is closed. Errors of the functions of a rule pass through.
 */
export async function check<Request>(
  verifier: Verifier,
  rule: Rule<Request> | undefined,
  authorization: string | null | undefined,
  request: Request,
): Promise<TokenClaims | undefined> {
  if (rule !== undefined && 'public' in rule && rule.public) return undefined;
  const claims = await verifier.verifyHeader(authorization);
  if (rule === undefined || 'public' in rule) throw forbidden([]);
  authorize(claims, rule, request);
  return claims;
}
