// The claims of our tokens: those of RFC 9068 §2.2 and three that we define.

import type { JsonObject } from '@bufbuild/protobuf';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import {
  type Principal,
  type TokenPrincipalType,
  tokenPrincipalTypes,
} from '../../api/principal.ts';
import { ownClaimNames } from '../../credentials/claim-names.ts';

/** A client that acts for a subject, and the client whose token it exchanged (RFC 8693 §4.1). */
export type ActorClaim = { readonly sub: string; readonly act?: ActorClaim };

/** The key to which a token is bound (RFC 9449 §6.1, RFC 8705 §3.1): one of these members. */
export type KeyBinding = { readonly jkt?: string; readonly 'x5t#S256'?: string };

export type Claims = {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  /**
   * The client's id; for a customer, the id of the exchanged API key; for a user, `latchkey`. With
   * `act`, the id of the client that exchanged the token.
   */
  readonly client_id: string;
  /** Seconds since 1970, like every time in this type. */
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly scope: string;
  readonly principal_type: TokenPrincipalType;
  readonly accounts?: readonly string[];
  readonly auth_time?: number;
  /** The authentication methods of the sign-in (RFC 8176). */
  readonly amr?: readonly string[];
  /** The id of the user's session (OpenID Connect Front-Channel Logout 1.0 §3). */
  readonly sid?: string;
  readonly cnf?: KeyBinding;
  /** The actors of an exchanged token, the current one first. */
  readonly act?: ActorClaim;
  /** With `act`: the ids of the exchanged tokens. Revoking one of them revokes this token. */
  readonly parent_ids?: readonly string[];
  /** With `act`, for a customer: the id of the API key. */
  readonly key_id?: string;
  /** Whether the session lacks a required second factor. No token contains it. */
  readonly lacksSecondFactor?: boolean;
  /** The token's other claims, which the client chose. They are members of the token. */
  readonly custom?: JsonObject;
};

const ownNames: ReadonlySet<string> = new Set(ownClaimNames);

const texts = ['iss', 'aud', 'sub', 'client_id', 'jti', 'scope'] as const;
const times = ['iat', 'exp'] as const;

/** Undefined if the token is not ours. Its signature must be valid. */
export function readClaims(payload: string): Claims | undefined {
  let claims: Record<string, unknown>;
  try {
    claims = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (typeof claims !== 'object' || claims === null) return undefined;
  const isOurs =
    texts.every((name) => typeof claims[name] === 'string') &&
    times.every((name) => Number.isSafeInteger(claims[name])) &&
    tokenPrincipalTypes.some((type) => type === claims.principal_type);
  if (!isOurs) return undefined;
  const others = Object.entries(claims).filter(([name]) => !ownNames.has(name));
  // The checks above cover the required claims. Only this service writes the others.
  const own = claims as Claims;
  return others.length === 0 ? own : { ...own, custom: Object.fromEntries(others) as JsonObject };
}

/** A token that is bound to a certificate is presented like a bearer token (RFC 8705 §3). */
export const tokenTypeOf = (cnf: KeyBinding | undefined) =>
  cnf?.jkt === undefined ? 'Bearer' : 'DPoP';

/** The id of the customer's API key behind a customer's token. */
export const apiKeyIdOf = ({ act, client_id: id, key_id: keyId = '' }: Claims): string =>
  act === undefined ? id : keyId;

/** The ids of the clients that act for the subject, the current one first. */
export function actorsOf({ act }: Pick<Claims, 'act'>): string[] {
  return act === undefined ? [] : [act.sub, ...actorsOf(act)];
}

/** The fields that the answers about a token have in common. */
export const claimFields = (claims: Claims) => ({
  scope: claims.scope,
  clientId: claims.client_id,
  exp: claims.exp,
  iat: claims.iat,
  sub: claims.sub,
  aud: claims.aud,
  iss: claims.iss,
  jti: claims.jti,
  principalType: claims.principal_type,
  accounts: [...(claims.accounts ?? [])],
  ...(claims.custom === undefined ? {} : { claims: claims.custom }),
  ...(claims.act === undefined ? {} : { act: claims.act }),
  ...(claims.cnf === undefined ? {} : { cnf: claims.cnf }),
});

export function principalFrom(claims: Claims): Principal {
  const scopes = parseStoredScopes(claims.scope);
  const token = {
    tokenId: claims.jti,
    ...(claims.act === undefined ? {} : { actingClientId: claims.act.sub }),
  };
  switch (claims.principal_type) {
    case 'service':
      return { type: 'service', clientId: claims.sub, scopes, ...token };
    case 'customer':
      return {
        type: 'customer',
        customerId: claims.sub,
        keyId: apiKeyIdOf(claims),
        accounts: claims.accounts ?? [],
        scopes,
        ...token,
      };
    case 'staff':
    case 'member':
      return {
        type: claims.principal_type,
        userId: claims.sub,
        sessionId: claims.sid ?? '',
        authTime: claims.auth_time ?? 0,
        lacksSecondFactor: claims.lacksSecondFactor === true,
        scopes,
        ...token,
      };
  }
}
