// Metadata for OAuth libraries: of the authorization server (RFC 8414), and of the service as a
// protected resource (RFC 9728). They list endpoints and methods that work over HTTP.

import { managementScopes } from '../../api/access/scopes.ts';
import type { HttpRoute } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';

/** The algorithms that sign tokens, and those of client assertions and DPoP proofs. */
type Algorithms = Readonly<Record<'tokens' | 'assertions' | 'proofs', readonly string[]>>;

export type DiscoveryOptions = {
  /** The origin of the service. */
  readonly issuer: string;
  readonly algorithms: Algorithms;
  readonly grantTypes: readonly string[];
  /** Whether the HTTP listener requests client certificates (RFC 8705). */
  readonly requestsCertificates: boolean;
};

export function discoveryRoutes(options: DiscoveryOptions): HttpRoute[] {
  const server = serverMetadata(options);
  const resource = resourceMetadata(options);
  return [
    route('oauth-authorization-server', server, serverDoc('authorizationServer', server)),
    // Some libraries look for this path only. The service is not an OpenID provider.
    route('openid-configuration', server, serverDoc('openIdConfiguration', server)),
    route('oauth-protected-resource', resource, resourceDoc(resource)),
  ];
}

/** RFC 8705 §3.3 and §3.4. Without the member, tokens cannot be bound to a certificate. */
const certificateMember = 'tls_client_certificate_bound_access_tokens';

const certificateMetadata = ({ requestsCertificates }: DiscoveryOptions) =>
  requestsCertificates ? { [certificateMember]: true } : {};

function serverMetadata(options: DiscoveryOptions) {
  const { issuer, grantTypes, requestsCertificates } = options;
  const { tokens, assertions, proofs } = options.algorithms;
  const authenticationMethods = [
    ...['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    ...(requestsCertificates ? ['tls_client_auth'] : []),
  ];
  return {
    issuer,
    token_endpoint: `${issuer}/tokens`,
    token_endpoint_auth_methods_supported: authenticationMethods,
    token_endpoint_auth_signing_alg_values_supported: assertions,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    grant_types_supported: grantTypes,
    dpop_signing_alg_values_supported: proofs,
    // Required. The service has no authorization endpoint.
    response_types_supported: [],
    // Libraries for protected resources read the algorithms of access tokens from this member.
    id_token_signing_alg_values_supported: tokens,
    introspection_endpoint: `${issuer}/oauth2/introspect`,
    introspection_endpoint_auth_methods_supported: authenticationMethods,
    introspection_endpoint_auth_signing_alg_values_supported: assertions,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertions,
    service_documentation: `${issuer}/docs`,
    protected_resources: [issuer],
    ...certificateMetadata(options),
  };
}

const resourceMetadata = (options: DiscoveryOptions, resource = options.issuer) => ({
  resource,
  authorization_servers: [resource],
  scopes_supported: managementScopes,
  bearer_methods_supported: ['header'],
  dpop_signing_alg_values_supported: options.algorithms.proofs,
  ...certificateMetadata(options),
  resource_name: 'Latchkey',
  resource_documentation: `${resource}/docs`,
});

const headers = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300, must-revalidate',
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};

function route(name: string, metadata: object, doc: RouteDoc): HttpRoute {
  const body = JSON.stringify(metadata);
  return {
    method: 'GET',
    path: `/.well-known/${name}`,
    name,
    doc,
    handle: async () => ({ status: 200, headers, body }),
  };
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };

const docOf = (title: string, metadata: object) => {
  const members = Object.entries(metadata).filter(([name]) => name !== certificateMember);
  const properties = {
    ...Object.fromEntries(
      members.map(([name, value]) => [name, Array.isArray(value) ? texts : text]),
    ),
    [certificateMember]: { type: 'boolean' },
  };
  const required = members.map(([name]) => name);
  return {
    tag: 'Discovery',
    responses: {
      200: {
        description: 'The metadata.',
        types: ['application/json'],
        schema: { title, type: 'object', properties, required },
      },
    },
    errors: ['invalid_argument'],
  } as const;
};

const serverDoc = (id: string, metadata: object): RouteDoc => ({
  ...docOf('AuthorizationServerMetadata', metadata),
  id,
  summary: 'Get the metadata of the authorization server',
  description:
    'The endpoints, and the grants and methods of client authentication that they accept ' +
    '(RFC 8414). The document is the same at both paths, without endpoints to sign in.',
});

const resourceDoc = (metadata: object): RouteDoc => ({
  ...docOf('ProtectedResourceMetadata', metadata),
  id: 'protectedResource',
  summary: 'Get the metadata of the service as a protected resource',
  description: 'The authorization server and the scopes of this API (RFC 9728).',
});
