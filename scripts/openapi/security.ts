// Access rules as security requirements.

import { PrincipalType, SessionCookie } from '../../gen/latchkey/options/v1/access_pb.js';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { authenticatesClient } from '../../src/transports/gateway/oauth-form.ts';
import type { Schema } from './schema.ts';

type Scheme = 'service' | 'customer' | 'session' | 'workspace_key' | 'session_cookie';

const schemes: Partial<Record<PrincipalType, Scheme>> = {
  [PrincipalType.SERVICE]: 'service',
  [PrincipalType.CUSTOMER]: 'customer',
  [PrincipalType.STAFF]: 'session',
  [PrincipalType.MEMBER]: 'session',
  [PrincipalType.WORKSPACE_KEY]: 'workspace_key',
};

const clientAlternatives = [{}, { client_basic: [] }, { client_certificate: [] }];

/** The alternatives of a method: a caller needs one of them. */
export function securityOf(endpoint: Endpoint): Schema[] {
  const { access } = endpoint;
  if (access.public) return authenticatesClient(endpoint) ? clientAlternatives : [];
  const scopes = access.scope === '' ? [] : [access.scope];
  const cookie = { session_cookie: [] };
  if (access.sessionCookie === SessionCookie.REQUIRED) return [cookie];
  const used = [...new Set(access.principals.map((type) => schemes[type]))];
  const alternatives = used.map((scheme): Schema => {
    if (scheme === undefined) throw new Error('a kind of caller has no security scheme');
    return { [scheme]: scopes };
  });
  return access.sessionCookie === SessionCookie.ACCEPTED ? [...alternatives, cookie] : alternatives;
}

const callers: Partial<Record<PrincipalType, string>> = {
  [PrincipalType.SERVICE]: 'service clients',
  [PrincipalType.CUSTOMER]: 'customers',
  [PrincipalType.STAFF]: 'staff',
  [PrincipalType.MEMBER]: 'workspace members',
  [PrincipalType.WORKSPACE_KEY]: 'workspace API keys',
};

/** The access rule in words. */
export function accessText({ access }: Endpoint): string {
  if (access.public) return 'This method needs no access token.';
  const names = access.principals.map((type) => callers[type] ?? '');
  const list = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0];
  const fields = access.recentSignInFields.map((name) => `\`${name}\``).join(', ');
  return [
    access.scope === '' ? '' : `Requires the scope \`${access.scope}\`.`,
    access.filtered ? 'Returns only resources that the caller may list.' : '',
    access.self ? 'Users may call this method for themselves without a scope.' : '',
    `Accepted callers: ${list}.`,
    access.recentSignIn ? 'Staff and members must have signed in recently.' : '',
    fields === '' ? '' : `Staff and members may change ${fields} only after a recent sign-in.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** The security schemes. The scopes are those of all access rules. */
export function securitySchemes(endpoints: readonly Endpoint[]): Record<string, Schema> {
  const scopes = [...new Set(endpoints.map(({ access }) => access.scope))].filter(Boolean).sort();
  return {
    service: {
      type: 'oauth2',
      description:
        'The access token of a service client: a JWT from `POST /tokens`, sent as ' +
        '`Authorization: Bearer <token>`. It lives for 300 seconds by default.',
      flows: {
        clientCredentials: {
          tokenUrl: '/tokens',
          scopes: Object.fromEntries(scopes.map((scope) => [scope, scopeText(scope)])),
        },
      },
    },
    customer: bearer(
      'The access token of a customer, from `POST /tokens/api-key`. It is restricted to the ' +
        "customer's accounts and lives for at most 60 seconds.",
    ),
    session: bearer(
      'The access token of a signed-in user (staff or workspace member), from `POST /sessions` ' +
        'or `POST /sessions/refresh`. It lives for 300 seconds.',
    ),
    workspace_key: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A workspace API key (`lk_wk_…`), sent as `Authorization: Bearer <key>`. Only the ' +
        'sharing methods and the search accept it.',
    },
    session_cookie: {
      type: 'apiKey',
      in: 'cookie',
      name: 'latchkey_session',
      description:
        'The cookie that `POST /sessions` sets. Its name is `__Host-latchkey_session` if the ' +
        'public URL is https. The service accepts it from its own origin only.',
    },
    link_access: {
      type: 'apiKey',
      in: 'cookie',
      name: 'latchkey_access',
      description:
        'The cookie of a reader who passed the gate of a shared link. Each link has a separate ' +
        'cookie. A link without a gate needs none.',
    },
    client_basic: {
      type: 'http',
      scheme: 'basic',
      description:
        'The id and the secret of a service client (RFC 6749 §2.3.1), instead of `client_id` and ' +
        '`client_secret` in the body.',
    },
    client_certificate: {
      type: 'mutualTLS',
      description:
        'The certificate of a service client (RFC 8705 §2.1), instead of its secret, if the ' +
        'operator has set `LATCHKEY_HTTP_CLIENT_CA`.',
    },
  };
}

const bearer = (description: string): Schema => ({
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description,
});

function scopeText(scope: string): string {
  const [area = '', access] = scope.split(':');
  return `${access === 'read' ? 'Read' : 'Change'} ${area.replaceAll('_', ' ')}.`;
}
