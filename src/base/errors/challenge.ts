// The values of `WWW-Authenticate` (RFC 6750 §3, RFC 9470 §3, RFC 9449 §7.1).

/** A challenge must have a parameter (RFC 6750 §3): the realm if there is no other. */
export function bearerChallenge(
  error?: string,
  parameters: Readonly<Record<string, string | number>> = {},
): string {
  const all = error === undefined ? parameters : { error, ...parameters };
  const list = Object.entries(all).map(([name, value]) =>
    typeof value === 'number' ? `${name}=${value}` : `${name}="${value}"`,
  );
  return list.length === 0 ? 'Bearer realm="latchkey"' : `Bearer ${list.join(', ')}`;
}

/** For a token that is bound to a key (RFC 9449 §7.1). */
export const dpopChallenge = (error: string, algorithms: readonly string[]): string =>
  `DPoP error="${error}", algs="${algorithms.join(' ')}"`;
