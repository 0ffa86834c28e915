import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CredentialKind,
  digestMatches,
  digestOf,
  generateCredential,
  parseCredentialId,
} from '../../../src/base/crypto/credential-format.ts';
import { itHoldsFor } from '../../support/rule.ts';

const kinds: CredentialKind[] = ['cs', 'ck', 'wk'];
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A credential of arbitrary random bytes. */
const anyCredential = fc
  .tuple(
    fc.constantFrom(...kinds),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
  )
  .map(([kind, id, secret]) => ({
    kind,
    ...generateCredential(kind, (size) => (size === 16 ? id : secret)),
  }));

describe('a generated credential', () => {
  it('has a kind, a lookup id, 256 random bits and a checksum', () => {
    fc.assert(
      fc.property(anyCredential, ({ kind, id, text }) => {
        expect(text).toMatch(/^lk_(cs|ck|wk)_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
        expect(text.slice(3, 5)).toBe(kind);
        expect(id).toBe(`${kind === 'cs' ? 'sec' : 'key'}_${text.slice(6, 28)}`);
      }),
    );
  });

  it('is accepted only as its kind', () => {
    fc.assert(
      fc.property(anyCredential, ({ kind, id, text }) => {
        for (const other of kinds) {
          expect(parseCredentialId(other, text)).toBe(other === kind ? id : undefined);
        }
      }),
    );
  });

  it('differs for different random bytes', () => {
    const texts = Array.from({ length: 100 }, () => generateCredential('cs', randomBytes).text);
    expect(new Set(texts.map((text) => text.slice(6, 28))).size).toBe(100);
    expect(new Set(texts.map((text) => text.slice(29, 72))).size).toBe(100);
  });

  it('detects any single mistyped character without a database', () => {
    const position = fc.nat(77);
    const character = fc.oneof(fc.constantFrom(...alphabet), fc.string({ maxLength: 1 }));
    fc.assert(
      fc.property(anyCredential, position, character, ({ kind, text }, at, typed) => {
        fc.pre(text.charAt(at) !== typed);
        const mistyped = text.slice(0, at) + typed + text.slice(at + 1);
        expect(parseCredentialId(kind, mistyped)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it('detects two swapped characters', () => {
    fc.assert(
      fc.property(anyCredential, fc.nat(76), ({ kind, text }, at) => {
        const [first = '', second = ''] = text.slice(at, at + 2);
        fc.pre(first !== second);
        const swapped = text.slice(0, at) + second + first + text.slice(at + 2);
        expect(parseCredentialId(kind, swapped)).toBeUndefined();
      }),
    );
  });

  it('ends with the CRC-32 of ISO 3309, in base62', () => {
    const zeros = generateCredential('cs', (size) => new Uint8Array(size));

    expect(zeros.text.slice(0, -6)).toBe(`lk_cs_${'0'.repeat(22)}_${'0'.repeat(43)}`);
    expect(zeros.text.slice(-6)).toBe(base62(crc32(zeros.text.slice(0, -6))).padStart(6, '0'));
  });

  itHoldsFor(['', 'lk_', 'lk_cs_', ' ', 'Bearer x'], 5)('is not another text', (text) => {
    for (const kind of kinds) expect(parseCredentialId(kind, text)).toBeUndefined();
  });

  it('is compared by its SHA-256', () => {
    const { text, digest } = generateCredential('cs', randomBytes);

    expect(digest).toBe(createHash('sha256').update(text).digest('hex'));
    expect(digestOf(text)).toBe(digest);
    expect(digestMatches(text, digest)).toBe(true);
    expect(digestMatches(`${text}0`, digest)).toBe(false);
  });
});

/** Bit by bit, as in the standard. */
function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}

function base62(value: number): string {
  const digit = alphabet.charAt(value % 62);
  return value < 62 ? digit : base62(Math.floor(value / 62)) + digit;
}
