// Ids: a prefix for the kind and 128 random bits in base62.

export type Random = (size: number) => Uint8Array;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function encodeBase62(bytes: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (rest > 0n) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text.padStart(length, '0');
}

export function encodeBase62Number(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    text = alphabet.charAt(rest % 62) + text;
  }
  return text.padStart(length, '0');
}

type IdKind =
  | 'doc'
  | 'fld'
  | 'agr'
  | 'lnk'
  | 'viw'
  | 'ws'
  | 'usr'
  | 'idp'
  | 'uid'
  | 'pky'
  | 'ses'
  | 'dsi'
  | 'aud'
  | 'cli'
  | 'sec'
  | 'jwk'
  | 'iss'
  | 'fed'
  | 'cus'
  | 'key'
  | 'evt'
  | 'pwr'
  | 'inv'
  | 'dom';

export function randomText(random: Random): string {
  return encodeBase62(random(16), 22);
}

export function isRandomText(text: string): boolean {
  return /^[0-9A-Za-z]{22}$/.test(text);
}

export function newId(kind: IdKind, random: Random): string {
  return `${kind}_${randomText(random)}`;
}

export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(`${kind}_`) && isRandomText(text.slice(kind.length + 1));
}

/** Words and forms that the service uses for something else. */
const reserved = [
  /^(service|customer|staff|member|anonymous|me|system|workspace_key|latchkey.*)$/i,
  /^((lk|usr|cli)_.*|[a-z]{2,3}_[0-9A-Za-z]{22})$/i,
];

/**
 * Whether a client may have the id of another authorization server: it cannot be taken for another
 * id, a kind of principal or a credential, and it needs no escape in a path.
 */
export function isForeignClientId(text: string): boolean {
  return (
    /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/.test(text) && !reserved.some((form) => form.test(text))
  );
}
