// The claims of Latchkey's tokens: those of RFC 9068 §2.2 and some that Latchkey defines.

/** A client that acts for the subject, and the client whose token it exchanged (RFC 8693 §4.1). */
export type Actor = { readonly sub: string; readonly act?: Actor };

/** The thumbprint of the key of DPoP proofs, or the digest of a certificate. */
export type Confirmation = { readonly jkt?: string; readonly 'x5t#S256'?: string };

type CommonClaims = {
  readonly iss: string;
  /** One audience, or several (RFC 7519 §4.1.3). */
  readonly aud: string | readonly string[];
  /** The id of the client, customer or user. */
  readonly sub: string;
  /**
   * The client's id; for a customer, the id of the API key; for a user, `latchkey`. With `act`, the
   * id of the client that acts.
   */
  readonly client_id: string;
  /** The key to which the token is bound (RFC 9449 §6.1, RFC 8705 §3.1). */
  readonly cnf?: Confirmation;
  /** The client that acts for `sub`, if the token is from a token exchange. */
  readonly act?: Actor;
  /** Seconds since 1970, like every time in this type. */
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  /** The scopes, separated by single spaces. May be empty. */
  readonly scope: string;
};

/** A service client: a program of the platform. */
export type ServiceClaims = CommonClaims & { readonly principal_type: 'service' };

export type CustomerClaims = CommonClaims & {
  readonly principal_type: 'customer';
  /** The accounts to which the token is limited. */
  readonly accounts: readonly string[];
};

/** A person who has signed in. */
export type UserClaims = CommonClaims & {
  readonly principal_type: 'staff' | 'member';
  /** When the user signed in. Unset with `act`: it is not the sign-in of the actor. */
  readonly auth_time?: number;
  /** The authentication methods of the sign-in (RFC 8176). Unset with `act`. */
  readonly amr?: readonly string[];
  readonly sid: string;
};

export type TokenClaims = ServiceClaims | CustomerClaims | UserClaims;
export type PrincipalType = TokenClaims['principal_type'];

const isText = (value: unknown) => typeof value === 'string';
const isTime = (value: unknown) => Number.isSafeInteger(value);
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  iss: isText,
  aud: (value) => isText(value) || (areTexts(value) && (value as unknown[]).length > 0),
  sub: isText,
  client_id: isText,
  jti: isText,
  scope: isText,
  iat: isTime,
  exp: isTime,
};

function isConfirmation(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { jkt, 'x5t#S256': x5t } = value as Record<string, unknown>;
  return (isText(jkt) && x5t === undefined) || (isText(x5t) && jkt === undefined);
}

const actorsMax = 5;

function isActor(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null || depth > actorsMax) return false;
  const { sub, act } = value as { readonly sub?: unknown; readonly act?: unknown };
  return isText(sub) && (act === undefined || isActor(act, depth + 1));
}

/** The claims of a sign-in, which an exchanged token does not have. */
const signInChecks = { auth_time: isTime, amr: areTexts };

/** The claims that only a kind of caller has. */
const checksOfPrincipal: Readonly<Record<string, typeof checks>> = {
  service: {},
  customer: { accounts: areTexts },
  staff: { sid: isText },
  member: { sid: isText },
};

/** Returns the claims, or undefined if they are not those of a token of Latchkey. */
export function readClaims(payload: Readonly<Record<string, unknown>>): TokenClaims | undefined {
  const type = payload.principal_type;
  if (typeof type !== 'string' || !Object.hasOwn(checksOfPrincipal, type)) return undefined;
  const isUser = type === 'staff' || type === 'member';
  const all = {
    ...checks,
    ...checksOfPrincipal[type],
    ...(payload.cnf !== undefined ? { cnf: isConfirmation } : {}),
    ...(payload.act !== undefined ? { act: (value: unknown) => isActor(value) } : {}),
    ...(isUser && payload.act === undefined ? signInChecks : {}),
  };
  const isComplete = Object.entries(all).every(([name, check]) => check(payload[name]));
  // The checks cover every claim of the type.
  return isComplete ? (payload as unknown as TokenClaims) : undefined;
}

/** Whether the token covers all of the scopes. `write` does not include `read`. */
export function coversScopes({ scope }: TokenClaims, required: readonly string[]): boolean {
  const held = new Set(scope.split(' '));
  return required.every((one) => held.has(one));
}

/** Whether the token covers the account. Only tokens of customers are limited to accounts. */
export function coversAccount(claims: TokenClaims, accountId: string): boolean {
  return claims.principal_type !== 'customer' || claims.accounts.includes(accountId);
}
