// The tokens of mailed links: `<id>.<secret>`. The id is the row's id; the row has only a digest.
import { digestMatches, digestOf } from './credential-format.ts';
import { encodeBase62, isId, newId, type Random } from './ids.ts';

export type LinkTokenKind = 'pwr' | 'inv';

export type LinkToken = { readonly id: string; readonly secret: string };

export function generateLinkToken(kind: LinkTokenKind, random: Random): LinkToken {
  return { id: newId(kind, random), secret: encodeBase62(random(32), 43) };
}

export function formatLinkToken({ id, secret }: LinkToken): string {
  return `${id}.${secret}`;
}

export function parseLinkToken(kind: LinkTokenKind, text: string): LinkToken | undefined {
  const [id = '', secret = '', ...rest] = text.trim().split('.');
  const isWellFormed = isId(kind, id) && /^[0-9A-Za-z]{43}$/.test(secret) && rest.length === 0;
  return isWellFormed ? { id, secret } : undefined;
}

/** Returns the digest to store. The token is valid only with the same `facts`. */
export function linkTokenDigest({ secret }: LinkToken, facts: readonly string[] = []): string {
  return digestOf(JSON.stringify([secret, ...facts]));
}

export function linkTokenMatches(
  { secret }: LinkToken,
  digest: string,
  facts: readonly string[] = [],
): boolean {
  return digestMatches(JSON.stringify([secret, ...facts]), digest);
}
