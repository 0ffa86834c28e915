// The form of the ids that the service gives: a kind and 22 random characters.
export type IdKind = 'aud' | 'cli' | 'cus' | 'iss' | 'usr' | 'ws';

export const isId = (kind: IdKind, text: string): boolean =>
  text.startsWith(`${kind}_`) && /^[0-9A-Za-z]{22}$/.test(text.slice(kind.length + 1));
