// Generated credentials: `lk_<kind>_<lookup id>_<secret><crc>`. The lookup id is the row's id, so
// that one indexed read finds the row. With the CRC, typos and leaked credentials are recognized
// without a database.
import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encodeBase62, encodeBase62Number, type Random } from './ids.ts';

export type CredentialKind = 'cs' | 'ck' | 'wk';

const idPrefixes: Record<CredentialKind, string> = { cs: 'sec_', ck: 'key_', wk: 'key_' };
const pattern = /^lk_(cs|ck|wk)_([0-9A-Za-z]{22})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

export type NewCredential = {
  readonly id: string;
  /** The credential itself. It is shown once and never stored. */
  readonly text: string;
  readonly digest: string;
};

export function generateCredential(kind: CredentialKind, random: Random): NewCredential {
  const lookupId = encodeBase62(random(16), 22);
  const body = `lk_${kind}_${lookupId}_${encodeBase62(random(32), 43)}`;
  const text = body + checksum(body);
  return { id: idPrefixes[kind] + lookupId, text, digest: digestOf(text) };
}

export function parseCredentialId(kind: CredentialKind, text: string): string | undefined {
  const [, foundKind, lookupId, crc] = pattern.exec(text) ?? [];
  if (foundKind !== kind || lookupId === undefined) return undefined;
  return checksum(text.slice(0, -6)) === crc ? idPrefixes[kind] + lookupId : undefined;
}

export function parseAnyCredentialId(text: string): string | undefined {
  const [, kind] = pattern.exec(text) ?? [];
  return kind === undefined ? undefined : parseCredentialId(kind as CredentialKind, text);
}

/** Returns the hexadecimal SHA-256 digest. 256 random bits need no slow hash. */
export function digestOf(text: string): string {
  return hash('sha256', text);
}

/** Compares a credential with a stored digest in constant time. */
export function digestMatches(text: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(text)), Buffer.from(digest));
}

function checksum(body: string): string {
  return encodeBase62Number(crc32(body), 6);
}
