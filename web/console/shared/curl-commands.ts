/** Commands that try out a new credential. */

// The quoted values need no escaping: IDs, scopes and credentials consist of letters, digits and
// `_:/.-`.
const bearer = (key: string) => `-H 'Authorization: Bearer ${key}'`;
const json = (body: Readonly<Record<string, string>>) =>
  `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;

/** Requests a token with all scopes of a client; undefined if it has none. */
export function tokenCommand(
  clientId: string,
  clientSecret: string,
  scopes: readonly string[],
): string | undefined {
  if (scopes.length === 0) return undefined;
  const body = { client_id: clientId, client_secret: clientSecret, scope: scopes.join(' ') };
  return `curl ${location.origin}/tokens ${json(body)}`;
}

/** Exchanges a customer's API key for a token. */
export function keyTokenCommand(apiKey: string): string {
  return `curl ${location.origin}/tokens/api-key ${json({ api_key: apiKey })}`;
}

/**
 * Calls the API with a workspace API key. Undefined for a key that can only create links, because
 * the command would share an existing document.
 */
export function sharingCommand(apiKey: string, scopes: readonly string[]): string | undefined {
  const api = `${location.origin}/api/v1`;
  if (scopes.includes('documents:read')) return `curl ${bearer(apiKey)} ${api}/documents`;
  if (scopes.includes('links:read')) return `curl ${bearer(apiKey)} ${api}/links`;
  if (!scopes.includes('documents:write')) return undefined;
  return `echo Hello | curl ${bearer(apiKey)} -F 'file=@-;filename=hello.txt' ${api}/documents`;
}
