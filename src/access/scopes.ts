// Scopes: `<area>:<read|write>`, separated by single spaces (RFC 6749 §3.3).
import { fail, invalid } from '../errors/errors.ts';

const scopePattern = /^[a-z][a-z0-9_]{0,63}:(?:read|write)$/;
const scopesMax = 100;

/** Reads a space-separated list, without repetitions; undefined where it is malformed. */
export function readScopes(text: string): string[] | undefined {
  const scopes = text.split(' ');
  if (scopes.length > scopesMax) throw invalid('scope', `must have at most ${scopesMax} scopes`);
  return scopes.every((scope) => scopePattern.test(scope)) ? [...new Set(scopes)] : undefined;
}

/** Reads the scopes that a token is asked for (`invalid_scope` of RFC 6749 §5.2). */
export function requestedScopes(text: string): string[] {
  const scopes = readScopes(text);
  if (scopes !== undefined) return scopes;
  throw fail(
    'identity.scope_not_granted',
    'The scope must be a list of `<area>:<read|write>`, separated by single spaces.',
  );
}

/** Throws where a scope is not granted. The request is refused whole, never narrowed. */
export function requireGranted(scopes: readonly string[], granted: ReadonlySet<string>): void {
  for (const scope of scopes) {
    if (!granted.has(scope)) {
      throw fail('identity.scope_not_granted', `The scope ${scope} is not granted.`);
    }
  }
}

/** A stored list: space-separated, empty for none. */
export function storedScopes(text: string): ReadonlySet<string> {
  return new Set(text === '' ? [] : text.split(' '));
}

/** The areas of this service's own methods. */
const managementAreas = [
  'accounts',
  'api_keys',
  'audit',
  'clients',
  'customers',
  'documents',
  'links',
  'signing_keys',
  'tokens',
  'users',
  'workspaces',
];

/** What staff need to run the service: every management area. */
export const managementScopes = managementAreas.flatMap((area) => [
  `${area}:read`,
  `${area}:write`,
]);

const management: ReadonlySet<string> = new Set(managementScopes);

/** Whether a scope is of this service's own areas, and not of another's that trusts its tokens. */
export function isManagementScope(scope: string): boolean {
  return management.has(scope);
}
