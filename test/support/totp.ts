// An authenticator app (RFC 6238, RFC 4226 §5.3) that does not use the service's library.
import { createHmac } from 'node:crypto';

/** The code for a time in milliseconds. */
export function codeAt(seed: Uint8Array, time: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const digest = createHmac('sha1', seed).update(counter).digest();
  const offset = digest.readUInt8(19) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, '0');
}

/** Base32 (RFC 4648 §6) without padding. */
export function fromBase32(text: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((one) => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
