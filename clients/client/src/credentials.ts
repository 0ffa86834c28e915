// The credentials that a client of this package may have.
import type { Client } from '@connectrpc/connect';
import type {
  ExchangeApiKeyResponse,
  IssuanceService,
  IssueTokenResponse,
} from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { type ClientPrivateKey, createAssertions, type MakeAssertion } from './assertions.ts';
import type { Prover } from './dpop.ts';
import { LatchkeyError } from './errors.ts';
import { requireOption } from './options.ts';
import { type AccessToken, fixedToken, keptToken, type TokenSource } from './token-source.ts';

/**
 * One of:
 * - `clientId`, `clientSecret`, `scope`: a service client. Node only: a secret in a browser is
 *   public.
 * - `clientId`, `privateKey`, `scope`: a service client with a key instead of a secret. For each
 *   token request, the client signs an assertion (`private_key_jwt`, RFC 7523 §2.2) that lives 120
 *   seconds. Node only.
 * - `clientId`, `assertion`, `scope`: a service client without a secret. `assertion` is a function
 *   that returns a JWT: a token of a trusted issuer, such as GitHub Actions or Kubernetes, or one
 *   that was signed elsewhere. It is called for each token request. `assertionFromFile` reads a
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
      readonly privateKey: ClientPrivateKey;
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

/**
 * A service client whose certificate replaces the secret (RFC 8705 §2.1), over TLS. To present the
 * certificate, set `fetch` of `createClient` or `tls` of `createGrpcClient`.
 */
export type CertificateCredentials = {
  readonly scope: string;
  readonly clientId?: string;
  readonly resource?: string;
};

export type AnyCredentials = Credentials | CertificateCredentials;

export function usesCertificate(credentials: AnyCredentials): boolean {
  const isObject = typeof credentials === 'object' && credentials !== null;
  requireOption(isObject, 'credentials', credentials, complete);
  return !secretNames.some((name) => name in credentials);
}

const secretNames = ['token', 'apiKey', 'clientSecret', 'assertion', 'privateKey'];

const complete =
  'must be an object with apiKey, or token, or clientId, scope and clientSecret, privateKey or ' +
  'assertion.';

/** For transports without client certificates. */
export function requireSecret(credentials: AnyCredentials): void {
  if (usesCertificate(credentials))
    throw new TypeError(`credentials is incomplete. It ${complete}`);
}

/** Undefined for clients with a secret or a certificate. Throws a TypeError for a wrong option. */
export function assertionsOf(
  credentials: AnyCredentials,
  publicUrl: string,
): MakeAssertion | undefined {
  if ('privateKey' in credentials) return createAssertions(credentials, publicUrl);
  if (!('assertion' in credentials)) return undefined;
  const { assertion } = credentials;
  const isFunction = typeof assertion === 'function';
  requireOption(isFunction, 'credentials.assertion', assertion, 'must be a function.');
  return async () => assertion();
}

type ServiceCredentials = Exclude<AnyCredentials, { token: unknown } | { apiKey: string }>;

/** The fields of a token request. The interceptor adds the assertion. */
export function secretFieldsOf(credentials: ServiceCredentials) {
  const { clientId = '' } = credentials;
  return 'clientSecret' in credentials
    ? { clientId, clientSecret: credentials.clientSecret }
    : { clientId };
}

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
  const { scope, resource = '' } = credentials;
  const fields = secretFieldsOf(credentials);
  const needed = usesCertificate(credentials) ? { scope } : { ...fields, scope };
  for (const [name, value] of Object.entries(needed)) {
    const isText = typeof value === 'string' && value !== '';
    requireOption(isText, `credentials.${name}`, value, 'must be a string.');
  }
  if ('document' in globalThis) {
    throw new TypeError('A client secret must not be used in a browser. Use a token provider.');
  }
  return keptToken(async () => {
    const issued = await issuance.issueToken({ ...fields, scope, resource });
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
export function issuedToken(
  { accessToken, expiresIn, tokenType }: IssueTokenResponse | ExchangeApiKeyResponse,
  prover: Prover | undefined,
): Required<AccessToken> {
  if (prover !== undefined && tokenType !== 'DPoP') {
    throw new LatchkeyError('unexpected_answer', 'The server did not bind the token to the key.');
  }
  return { accessToken, expiresInSeconds: expiresIn };
}
