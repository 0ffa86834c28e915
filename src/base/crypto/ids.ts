// Ids: a prefix for the kind and 128 random bits in base62.

/** Returns cryptographically strong random bytes. */
export type Random = (size: number) => Uint8Array;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Encodes bytes as a big-endian number in base62, left-padded with zeros to `length` characters.
 */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (rest > 0n) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text.padStart(length, '0');
}

/** Like `base62`, for a whole number below 2^53. */
export function encodeBase62Number(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    text = alphabet.charAt(rest % 62) + text;
  }
  return text.padStart(length, '0');
}

type IdKind =
  | 'doc'
  | 'agr'
  | 'lnk'
  | 'viw'
  | 'ws'
  | 'usr'
  | 'ses'
  | 'cli'
  | 'sec'
  | 'cus'
  | 'key'
  | 'evt'
  | 'pwr'
  | 'inv';

/** Returns 22 base62 characters, with 128 random bits. */
export function randomText(random: Random): string {
  return encodeBase62(random(16), 22);
}

/** Returns whether a text has the form of `randomText`. */
export function isRandomText(text: string): boolean {
  return /^[0-9A-Za-z]{22}$/.test(text);
}

/** Returns `<kind>_<22 base62 characters>`. */
export function newId(kind: IdKind, random: Random): string {
  return `${kind}_${randomText(random)}`;
}

/** Returns whether a text has the form of an id of this kind. */
export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(`${kind}_`) && isRandomText(text.slice(kind.length + 1));
}
