// Authenticates the caller by a bearer token or key (RFC 6750 §2.1) or a session cookie.
import { parseCookie } from 'cookie';
import { PrincipalType } from '../../gen/latchkey/options/v1/access_pb.js';
import { parseAnyCredentialId } from '../base/crypto/credential-format.ts';
import { bearerChallenge } from '../base/errors/challenge.ts';
import { type Failure, fail } from '../base/errors/errors.ts';
import type { Call } from './call.ts';
import type { Principal } from './principal.ts';

/** Undefined if the credential is invalid at `validAt`, in milliseconds since 1970. */
export type Authenticate = (credential: string, validAt: number) => Promise<Principal | undefined>;

/** The parts of a call with which it presents a token. */
export type TokenCarrier = Pick<Call, 'header' | 'clientCertificate'> & {
  readonly context: Pick<Call['context'], 'requestMethod' | 'url'>;
  /** The origin of the request, if it is not that of the service: the one of a custom domain. */
  readonly origin?: string | undefined;
};

/**
 * Does the same for a token. `isDpop` is whether the scheme is DPoP (RFC 9449 §7.1). Throws
 * `unauthenticated` if the token is bound to a key that the caller does not have.
 */
export type AuthenticateToken = (
  token: string,
  validAt: number,
  carrier: TokenCarrier,
  isDpop: boolean,
) => Promise<Principal | undefined>;

export type BearerAuthentication = {
  readonly authenticateToken: AuthenticateToken;
  readonly authenticateWorkspaceKey: Authenticate;
};

export type AuthenticationOptions = BearerAuthentication & {
  readonly authenticateSession: (cookie: string) => Promise<Principal | undefined>;
  readonly sessionCookie: string;
  /** The origin of the service. Requests from other origins cannot use the cookie. */
  readonly publicUrl: string;
};

/** The scheme's name is case-insensitive (RFC 9110 §11.1). */
const bearerPattern = /^(bearer|dpop) +([A-Za-z0-9._~+/-]+=*)$/i;

export async function authenticateBearer(
  options: BearerAuthentication,
  call: TokenCarrier,
  principals: ReadonlySet<PrincipalType>,
  validAt: number,
): Promise<Principal> {
  const header = call.header('authorization');
  if (header === undefined) throw refusal('A bearer credential is required.');
  const [, scheme = '', credential] = bearerPattern.exec(header) ?? [];
  if (credential === undefined) {
    const error = /^bearer +./i.test(header) ? 'invalid_token' : undefined;
    throw refusal('The Authorization header must be `Bearer <credential>`.', error);
  }
  const isDpop = scheme.toLowerCase() === 'dpop';
  const isKey = credential.startsWith('lk_') && !isDpop;
  if (isKey && !principals.has(PrincipalType.WORKSPACE_KEY)) {
    throw refusal('This method accepts tokens, not API keys.', 'invalid_token', credential);
  }
  const principal = isKey
    ? await options.authenticateWorkspaceKey(credential, validAt)
    : await options.authenticateToken(credential, validAt, call, isDpop);
  if (principal === undefined) {
    throw refusal('The credential is invalid, expired or revoked.', 'invalid_token', credential);
  }
  return principal;
}

/** Throws `unauthenticated` if the cookie is missing or invalid, or comes from another origin. */
export async function authenticateCookie(
  options: AuthenticationOptions,
  call: Call,
): Promise<Principal> {
  const cookie = parseCookie(call.header('cookie') ?? '')[options.sessionCookie];
  if (cookie === undefined) throw refusal('A session cookie is required.');
  const origin = call.header('origin');
  if (origin !== undefined && origin !== options.publicUrl) {
    throw refusal('The session cookie is accepted only from the origin of the service.');
  }
  const principal = await options.authenticateSession(cookie);
  if (principal === undefined) throw refusal('The session has ended.');
  return principal;
}

/** Only the audit log receives the credential's id. */
function refusal(detail: string, error?: string, credential = ''): Failure {
  const target = parseAnyCredentialId(credential) ?? '';
  return fail('unauthenticated', detail, { challenge: bearerChallenge(error), target });
}
