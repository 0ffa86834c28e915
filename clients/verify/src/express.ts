// Middleware for Express, and for any server with `(request, response, next)`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { certificateDigestOf, check, onlyAuthorization, onlyValue } from './check.ts';
import { keepClaims } from './claims-of.ts';
import { httpRefusalOf, VerifyError } from './errors.ts';
import { type RequestRule, scopesOf } from './rule.ts';
import type { Verifier } from './verifier.ts';

export { claimsOf } from './claims-of.ts';

export type Middleware<Request> = (
  request: Request,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Express removes the path of a router from `url`. */
type Mounted = { readonly originalUrl?: string };

/**
 * Calls `next` only with a valid token that satisfies the rule. Answers 401, 403 or 503 itself.
 * Throws a TypeError for a malformed scope.
 */
export function requireToken<Request extends IncomingMessage = IncomingMessage>(
  verifier: Verifier,
  rule: RequestRule<Request>,
): Middleware<Request> {
  scopesOf(rule);
  return (request, response, next) => {
    const { method, url: path = '', headers, originalUrl } = request as Request & Mounted;
    const authorization = onlyAuthorization(request);
    const dpop = onlyValue(headers.dpop);
    const presented = {
      ...{ authorization, dpop, method, path: originalUrl ?? path },
      certificateSha256: certificateDigestOf(request.socket),
    };
    check(verifier, rule, presented, request).then(
      (claims) => {
        if (claims !== undefined) keepClaims(request, claims);
        next();
      },
      (thrown: unknown) => {
        if (!(thrown instanceof VerifyError)) return next(thrown);
        const { status, headers, body } = httpRefusalOf(thrown);
        response.writeHead(status, headers).end(body);
      },
    );
  };
}
