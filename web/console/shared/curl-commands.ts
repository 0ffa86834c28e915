/** Lines for a terminal that use a new credential at once. */

// What is put in between the quotes holds none itself: ids, scopes and credentials are of letters,
// digits and `_:/.-` only.
const bearer = (key: string) => `-H 'Authorization: Bearer ${key}'`;
const json = (body: Readonly<Record<string, string>>) =>
  `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;

/** Asks for a token that covers all of a client's scopes; undefined where it has none. */
export function tokenCommand(
  clientId: string,
  clientSecret: string,
  scopes: readonly string[],
): string | undefined {
  if (scopes.length === 0) return undefined;
  const body = { client_id: clientId, client_secret: clientSecret, scope: scopes.join(' ') };
  return `curl ${location.origin}/tokens ${json(body)}`;
}

/** Asks for a token by a customer's API key. */
export function keyTokenCommand(apiKey: string): string {
  return `curl ${location.origin}/tokens/api-key ${json({ api_key: apiKey })}`;
}

/**
 * Uses a workspace's API key. Undefined for one that can only make links: it would have to share
 * one of the documents that there are.
 */
export function sharingCommand(apiKey: string, scopes: readonly string[]): string | undefined {
  const api = `${location.origin}/api/v1`;
  if (scopes.includes('documents:read')) return `curl ${bearer(apiKey)} ${api}/documents`;
  if (scopes.includes('links:read')) return `curl ${bearer(apiKey)} ${api}/links`;
  if (!scopes.includes('documents:write')) return undefined;
  return `echo Hello | curl ${bearer(apiKey)} -F 'file=@-;filename=hello.txt' ${api}/documents`;
}
