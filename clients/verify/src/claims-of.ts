// Where middleware leaves the claims of a request.
import type { TokenClaims } from './claims.ts';

const claimsByRequest = new WeakMap<object, TokenClaims>();

export function keepClaims(request: object, claims: TokenClaims): void {
  claimsByRequest.set(request, claims);
}

/**
 * Returns the claims of a request that middleware of this package has accepted: a request of
 * Fastify, Express or Node, the context of a Connect handler, or the metadata of a call of grpc-js.
 * Throws if there are none, as on a public route.
 */
export function claimsOf(request: object): TokenClaims {
  const claims = claimsByRequest.get(request);
  if (claims === undefined) throw new Error('The request has no verified token.');
  return claims;
}
