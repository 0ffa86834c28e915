// The values of `WWW-Authenticate` (RFC 6750 §3, RFC 9470 §3).

/** `Bearer`, with an error code and parameters where there is something to tell. */
export function bearerChallenge(
  error?: string,
  parameters: Readonly<Record<string, string | number>> = {},
): string {
  const all = error === undefined ? parameters : { error, ...parameters };
  const list = Object.entries(all).map(([name, value]) =>
    typeof value === 'number' ? `${name}=${value}` : `${name}="${value}"`,
  );
  return list.length === 0 ? 'Bearer' : `Bearer ${list.join(', ')}`;
}
