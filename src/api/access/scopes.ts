// Scopes: `<area>:<read|write>`, separated by single spaces (RFC 6749 §3.3).
import { fail, invalid } from '../../base/errors/errors.ts';

const scopePattern = /^[a-z][a-z0-9_]{0,63}:(?:read|write)$/;
const scopesMax = 100;

export function parseScopes(text: string): string[] | undefined {
  const scopes = text.split(' ');
  if (scopes.length > scopesMax) throw invalid('scope', `must have at most ${scopesMax} scopes`);
  return scopes.every((scope) => scopePattern.test(scope)) ? [...new Set(scopes)] : undefined;
}

/** Throws `invalid_scope` (RFC 6749 §5.2) for malformed scopes. */
export function parseRequestedScopes(text: string): string[] {
  const scopes = parseScopes(text);
  if (scopes !== undefined) return scopes;
  const malformed = text.split(' ').find((scope) => !scopePattern.test(scope)) ?? '';
  throw fail(
    'identity.scope_not_granted',
    'The scope must be a list of `<area>:<read|write>`, separated by single spaces; not ' +
      `${JSON.stringify(malformed.slice(0, 64))}.`,
  );
}

/** Throws if a scope is not granted. A request with a missing scope is refused, never narrowed. */
export function requireGranted(scopes: readonly string[], granted: ReadonlySet<string>): void {
  for (const scope of scopes) {
    if (!granted.has(scope)) {
      throw fail('identity.scope_not_granted', `The scope ${scope} is not granted.`);
    }
  }
}

export function parseStoredScopes(text: string): ReadonlySet<string> {
  return new Set(text === '' ? [] : text.split(' '));
}

const managementAreas = [
  'accounts',
  'api_keys',
  'audiences',
  'audit',
  'clients',
  'customers',
  'documents',
  'identity_providers',
  'links',
  'signing_keys',
  'tokens',
  'trusted_issuers',
  'users',
  'workspaces',
];

export const managementScopes = managementAreas.flatMap((area) => [
  `${area}:read`,
  `${area}:write`,
]);

const management: ReadonlySet<string> = new Set(managementScopes);

/** Whether a scope belongs to this service, not to one that trusts its tokens. */
export function isManagementScope(scope: string): boolean {
  return management.has(scope);
}
