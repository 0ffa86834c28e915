// The access rule of a route or a method.
import { coversAccount, coversScopes, type PrincipalType, type TokenClaims } from './claims.ts';
import { forbidden } from './errors.ts';

/** The requirements for a token. A rule must name the scopes. */
export type TokenRule = {
  /** The required scopes. `[]` accepts every valid token. */
  readonly scope: string | readonly string[];
  /** The accepted kinds of caller. By default all. */
  readonly principals?: readonly PrincipalType[];
};

/** A rule with an account, which is in the request. */
export type RequestRule<Request> = TokenRule & {
  /** Returns the account that the request accesses. Undefined or empty refuses the request. */
  readonly account?: (request: Request) => string | undefined;
};

/** A route without a rule is refused. `public` needs no token. */
export type Rule<Request> = RequestRule<Request> | { readonly public: true };

const scopePattern = /^[a-z][a-z0-9_]{0,63}:(?:read|write)$/;

/** Throws a TypeError for a malformed scope, so that a typing mistake stops the start. */
export function scopesOf({ scope }: TokenRule): readonly string[] {
  const scopes = typeof scope === 'string' ? [scope] : scope;
  for (const one of scopes) {
    if (!scopePattern.test(one)) throw new TypeError(`"${one}" is not <area>:<read|write>.`);
  }
  return scopes;
}

/** Throws a VerifyError with the code `forbidden` if the token does not satisfy the rule. */
export function authorize<Request>(
  claims: TokenClaims,
  rule: RequestRule<Request>,
  request: Request,
): void {
  const scopes = scopesOf(rule);
  const { principals, account } = rule;
  if (principals !== undefined && !principals.includes(claims.principal_type)) {
    throw forbidden(scopes);
  }
  if (!coversScopes(claims, scopes)) throw forbidden(scopes);
  if (account === undefined) return;
  const accountId = account(request);
  if (!accountId || !coversAccount(claims, accountId)) throw forbidden(scopes);
}
