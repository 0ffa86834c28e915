// The client side of OpenID Connect (Core 1.0 §3.1) with openid-client: builds authorization
// requests, and exchanges codes for the claims of the account.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Configuration, IDToken, ServerMetadata } from 'openid-client';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { EgressError, type EgressFetch } from '../../base/net/egress-fetch.ts';
import type { IdentityProviderRow } from '../../storage/schema/schema.ts';
import { type AccountClaims, readAccountClaims, type Sources } from './account-claims.ts';
import { redirectUriOf, type SignInFlow } from './flow.ts';
import { SignInRefusal } from './problems.ts';
import { secretPurpose } from './sealed-secrets.ts';

export type ProviderMetadata = { readonly issuer: string; readonly jwksUri: string };

export type RelyingParty = {
  /** Throws SignInRefusal, like each of these. */
  authorizationUrl(provider: IdentityProviderRow, flow: SignInFlow): Promise<string>;
  /** `query` is the one of the callback. */
  redeem(
    provider: IdentityProviderRow,
    flow: SignInFlow,
    query: URLSearchParams,
  ): Promise<AccountClaims>;
  metadata(provider: IdentityProviderRow): Promise<ProviderMetadata>;
};

export type RelyingPartyOptions = {
  readonly masterKey: MasterKey;
  readonly egressFetch: EgressFetch;
  readonly publicUrl: string;
  /** The age of a sign-in that still counts as recent. */
  readonly stepUpSeconds: number;
};

/** A provider may change its endpoints. Its keys are read again when a token has another one. */
const metadataMs = 10 * 60_000;

/** A step-up must leave time for the action. */
const maxAgeSecondsMax = 60;

/** The errors with which a provider or the user refuses the sign-in. */
const refusals = new Set(['access_denied', 'login_required', 'consent_required']);

export function createRelyingParty(options: RelyingPartyOptions): RelyingParty {
  const { masterKey, egressFetch, publicUrl } = options;
  const maxAge = Math.min(maxAgeSecondsMax, options.stepUpSeconds);
  const configurations = new LRUCache<string, Configuration, IdentityProviderRow>({
    max: 10,
    ttl: metadataMs,
    // Concurrent sign-ins wait for the same request.
    fetchMethod: (_key, _stale, { context }) => discover(context),
  });

  async function discover(provider: IdentityProviderRow): Promise<Configuration> {
    const client = await import('openid-client');
    const secret = masterKey.open(provider.secret_ciphertext, secretPurpose(provider.id));
    const authenticate: typeof client.None = () => (as, own, body, headers) => {
      // The default is Basic (Discovery 1.0 §3).
      const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const method = methods.includes('client_secret_basic')
        ? client.ClientSecretBasic
        : client.ClientSecretPost;
      method(secret.toString())(as, own, body, headers);
    };
    const configuration = await client.discovery(
      new URL(provider.issuer),
      provider.client_id,
      {},
      authenticate(),
      {
        // The signature of an ID token is checked although it comes from the provider over TLS.
        execute: [client.enableNonRepudiationChecks, client.allowInsecureRequests],
        [client.customFetch]: (url, { method, headers, body }) =>
          // The guard refuses http, except for listed loopback addresses.
          egressFetch(url, { method, headers, body: body == null ? undefined : String(body) }),
      },
    );
    requireEndpoints(configuration.serverMetadata());
    return configuration;
  }

  async function configurationOf(provider: IdentityProviderRow): Promise<Configuration> {
    const { id, issuer, client_id, secret_ciphertext } = provider;
    const key = JSON.stringify([id, issuer, client_id, secret_ciphertext]);
    const found = await configurations
      .fetch(createHash('sha256').update(key).digest('hex'), { context: provider })
      .catch((cause: unknown) => {
        throw new SignInRefusal('provider_unavailable', { cause });
      });
    if (found === undefined) throw new SignInRefusal('provider_unavailable');
    return found;
  }

  return {
    async metadata(provider) {
      const { issuer, jwks_uri: jwksUri = '' } = (await configurationOf(provider)).serverMetadata();
      return { issuer, jwksUri };
    },

    async authorizationUrl(provider, { state, nonce, verifier, stepUp }) {
      const configuration = await configurationOf(provider);
      const client = await import('openid-client');
      const { additional_scopes: more } = provider;
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUriOf(publicUrl, provider.id),
        scope: `openid email profile${more === '' ? '' : ` ${more}`}`,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(stepUp && { max_age: String(maxAge), login_hint: stepUp.email }),
      });
      return url.href;
    },

    async redeem(provider, flow, query) {
      const configuration = await configurationOf(provider);
      const client = await import('openid-client');
      try {
        const tokens = await client.authorizationCodeGrant(
          configuration,
          new URL(`${redirectUriOf(publicUrl, provider.id)}?${query}`),
          {
            expectedState: flow.state,
            expectedNonce: flow.nonce,
            pkceCodeVerifier: flow.verifier,
            idTokenExpected: true,
            ...(flow.stepUp && { maxAge }),
          },
        );
        const idToken = tokens.claims();
        if (idToken === undefined) throw new SignInRefusal('response_invalid');
        requireOwnParty(idToken, provider.client_id);
        const sources: Sources = { idToken };
        const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
        if (endpoint !== undefined && needsUserInfo(idToken, provider)) {
          const { access_token: token } = tokens;
          const userInfo = await client.fetchUserInfo(configuration, token, idToken.sub);
          return readAccountClaims({ ...sources, userInfo }, provider);
        }
        return readAccountClaims(sources, provider);
      } catch (error) {
        throw refusalOf(error, flow);
      }
    },
  };
}

/** Requires http or https: the browser must not open a script or a file. */
function requireEndpoints(metadata: ServerMetadata): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const url: unknown = metadata[name];
    const isEndpoint = typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url);
    if (!isEndpoint) throw new Error(`the metadata has no valid ${name}`);
  }
}

/** Core 1.0 §3.1.3.7, step 5. The library checks it only for several audiences. */
function requireOwnParty({ azp }: IDToken, clientId: string): void {
  if (azp !== undefined && azp !== clientId) throw new SignInRefusal('response_invalid');
}

function needsUserInfo(idToken: IDToken, provider: IdentityProviderRow): boolean {
  const lacksGroups = provider.role_mappings !== '[]' && !(provider.groups_claim in idToken);
  return !('email' in idToken) || lacksGroups;
}

function refusalOf(error: unknown, { stepUp }: SignInFlow): SignInRefusal {
  if (error instanceof SignInRefusal) return error;
  const isAway = chainOf(error).some((one) => one instanceof EgressError);
  if (isAway) return new SignInRefusal('provider_unavailable', { cause: error });
  const texts = chainOf(error).map(({ message }) => message);
  const isTooOld = texts.some((text) => /auth_time|too much time/.test(text));
  if (stepUp !== undefined && isTooOld) return new SignInRefusal('not_recent', { cause: error });
  const code = error instanceof Error && 'error' in error ? String(error.error) : '';
  const problem = refusals.has(code) ? 'provider_refused' : 'response_invalid';
  return new SignInRefusal(problem, { cause: error });
}

function chainOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}
