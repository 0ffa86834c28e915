// Exchanges a token of someone for a token with which the client acts for them (RFC 8693).
import type { Client } from '@connectrpc/connect';
import type { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { type AnyCredentials, issuedToken, secretFieldsOf } from './credentials.ts';
import type { Prover } from './dpop.ts';

export type TokenExchange = {
  /**
   * A live access token of Latchkey that is not bound to a key. `may_act` of the client must list
   * its subject, which becomes the subject of the new token.
   */
  readonly subjectToken: string;
  /** A live token of this client. The new token has only its scopes and ends with it. */
  readonly actorToken?: string;
  /** At most 100 scopes, separated by spaces. Default: all that the token and the client have. */
  readonly scope?: string;
  /** At most 1,000 accounts of a customer's token. Default: all of them. */
  readonly accounts?: readonly string[];
  /** The identifier of the audience, which must be that of the token. */
  readonly resource?: string;
  readonly signal?: AbortSignal;
};

export type ExchangedToken = {
  readonly accessToken: string;
  /** `DPoP` if the token is bound to the key of this client, otherwise `Bearer`. */
  readonly tokenType: string;
  /** The remaining lifetime. Never longer than that of the exchanged token. */
  readonly expiresInSeconds: number;
  /** The scopes of the token, separated by spaces. */
  readonly scope: string;
};

/**
 * Returns a token of the subject whose claim `act` names this client (RFC 8693 §2). It is not kept:
 * each call requests a new one. Throws a TypeError unless the credentials are those of a service
 * client, and a LatchkeyError with one of these codes, among others: `invalid_argument` if the
 * token has ended or the client may not act for its subject, `identity.scope_not_granted`,
 * `identity.invalid_target`.
 */
export type ExchangeToken = (exchange: TokenExchange) => Promise<ExchangedToken>;

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

export function createExchange(
  credentials: AnyCredentials,
  issuance: Client<typeof IssuanceService>,
  prover: Prover | undefined,
): ExchangeToken {
  return async ({ subjectToken, actorToken, scope = '', accounts = [], resource = '', signal }) => {
    if ('token' in credentials || 'apiKey' in credentials) {
      throw new TypeError('exchangeToken needs the credentials of a service client.');
    }
    const request = {
      ...{ grantType, scope, resource, subjectToken, subjectTokenType: accessTokenType },
      ...{ ...secretFieldsOf(credentials), accounts: [...accounts] },
      ...(actorToken === undefined ? {} : { actorToken, actorTokenType: accessTokenType }),
    };
    const options = signal === undefined ? {} : { signal };
    const issued = await issuance.issueToken(request, options);
    const { tokenType, scope: granted } = issued;
    return { ...issuedToken(issued, prover), tokenType, scope: granted };
  };
}
