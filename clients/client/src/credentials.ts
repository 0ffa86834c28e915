// The credentials that a client of this package may have.
import type { Client } from '@connectrpc/connect';
import type {
  ExchangeApiKeyResponse,
  IssuanceService,
  IssueTokenResponse,
} from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import type { Prover } from './dpop.ts';
import { LatchkeyError } from './errors.ts';
import { requireOption } from './options.ts';
import { type AccessToken, fixedToken, keptToken, type TokenSource } from './token-source.ts';

/**
 * One of:
 * - `clientId`, `clientSecret`, `scope`: a service client. Node only: a secret in a browser is
 *   public.
 * - `clientId`, `assertion`, `scope`: a service client without a secret. `assertion` is a function
 *   that returns a JWT: a token of a trusted issuer, such as GitHub Actions or Kubernetes, or one
 *   that the client signed with its key. It is called for each token. `assertionFromFile` reads a
 *   file.
 * - `apiKey`: the API key of a customer (`lk_ck_…`), which is exchanged for tokens of at most 60
 *   seconds, or of a workspace (`lk_wk_…`), which is sent as it is. `scope` limits the tokens of a
 *   customer; by default they have all scopes of the key.
 * - `resource`, for a service client or a customer: the identifier of the audience of the tokens.
 *   Required if there are several. Only tokens for the audience of Latchkey work with its methods.
 * - `token`: a function that returns a token, for tokens that another program fetches. It is
 *   called again when the token ends, or when the server refuses it. A plain string is not kept.
 */
export type Credentials =
  | {
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string;
      readonly resource?: string;
    }
  | {
      readonly clientId: string;
      readonly assertion: () => Promise<string> | string;
      readonly scope: string;
      readonly resource?: string;
    }
  | { readonly apiKey: string; readonly scope?: string; readonly resource?: string }
  | { readonly token: () => Promise<AccessToken | string> | AccessToken | string };

/** A service client whose certificate replaces the secret. Only over gRPC with mutual TLS. */
export type CertificateCredentials = {
  readonly scope: string;
  readonly clientId?: string;
  readonly resource?: string;
};

type AnyCredentials = Credentials | CertificateCredentials;

export function usesCertificate(credentials: AnyCredentials): boolean {
  const isObject = typeof credentials === 'object' && credentials !== null;
  requireOption(isObject, 'credentials', credentials, complete);
  return !['token', 'apiKey', 'clientSecret', 'assertion'].some((name) => name in credentials);
}

const complete =
  'must be an object with apiKey, or token, or clientId, scope and clientSecret or assertion.';

/** For transports without client certificates. */
export function requireSecret(credentials: Credentials): void {
  if (usesCertificate(credentials))
    throw new TypeError(`credentials is incomplete. It ${complete}`);
}

const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Throws a TypeError if the credentials cannot work. The message never contains a secret. */
export function tokenSourceOf(
  credentials: AnyCredentials,
  issuance: Client<typeof IssuanceService>,
  prover: Prover | undefined,
): TokenSource {
  if ('token' in credentials) {
    const { token } = credentials;
    if (prover?.hasNewKey) {
      throw new TypeError(
        'dpop must be the key pair of the tokens that credentials.token returns.',
      );
    }
    requireOption(typeof token === 'function', 'credentials.token', token, 'must be a function.');
    return keptToken(async () => {
      const found = await token();
      return typeof found === 'string' ? { accessToken: found } : found;
    });
  }
  if ('apiKey' in credentials) return sourceOfApiKey(credentials, issuance, prover);
  const { clientId = '', scope, resource = '' } = credentials;
  const clientSecret = 'clientSecret' in credentials ? credentials.clientSecret : '';
  const assertion = 'assertion' in credentials ? credentials.assertion : undefined;
  const secret = 'clientSecret' in credentials ? { clientSecret } : {};
  const needed = usesCertificate(credentials) ? { scope } : { clientId, scope, ...secret };
  for (const [name, value] of Object.entries(needed)) {
    const isText = typeof value === 'string' && value !== '';
    requireOption(isText, `credentials.${name}`, value, 'must be a string.');
  }
  if ('assertion' in credentials) {
    const isFunction = typeof assertion === 'function';
    requireOption(isFunction, 'credentials.assertion', assertion, 'must be a function.');
  }
  if ('document' in globalThis) {
    throw new TypeError('A client secret must not be used in a browser. Use a token provider.');
  }
  return keptToken(async () => {
    const request = { clientId, scope, resource };
    const issued = await issuance.issueToken(
      assertion === undefined
        ? { ...request, clientSecret }
        : { ...request, clientAssertionType, clientAssertion: await assertion() },
    );
    return issuedToken(issued, prover);
  });
}

function sourceOfApiKey(
  { apiKey, scope = '', resource = '' }: Extract<Credentials, { apiKey: string }>,
  issuance: Client<typeof IssuanceService>,
  prover: Prover | undefined,
): TokenSource {
  // An error of `fetch` for another character would contain the key.
  const isKey = typeof apiKey === 'string' && /^lk_[cw]k_[!-~]+$/.test(apiKey);
  const prefixes = 'lk_ck_ (customer) or lk_wk_ (workspace)';
  const accepted = `must begin with ${prefixes}, without spaces or line breaks.`;
  requireOption(isKey, 'credentials.apiKey', apiKey, accepted);
  if (apiKey.startsWith('lk_wk_')) {
    if (prover === undefined) return fixedToken(apiKey);
    throw new TypeError('dpop must be unset: the API key of a workspace cannot be bound to a key.');
  }
  return keptToken(async () => {
    const issued = await issuance.exchangeApiKey({ apiKey, scope, resource });
    return issuedToken(issued, prover);
  });
}

/** An older server ignores a proof. Its token must not be used as if it were bound. */
function issuedToken(
  { accessToken, expiresIn, tokenType }: IssueTokenResponse | ExchangeApiKeyResponse,
  prover: Prover | undefined,
): AccessToken {
  if (prover !== undefined && tokenType !== 'DPoP') {
    throw new LatchkeyError('unexpected_answer', 'The server did not bind the token to the key.');
  }
  return { accessToken, expiresInSeconds: expiresIn };
}
