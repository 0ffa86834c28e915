// A PDF encrypted with a password (ISO 32000-1 §7.6, revision 2: RC4 with 40 bits).
import { createHash } from 'node:crypto';
import { layOut } from './pdf.ts';

const keyBytes = 5;
const padding = Buffer.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
  'hex',
);
const permissions = -4;

/** One page that shows `line` to a reader with the password. */
export function makeLockedPdf(line: string, password: string): Buffer {
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), padding]).subarray(0, 32);
  const id = md5('an identifier');
  const owner = rc4(md5(padded).subarray(0, keyBytes), padded);
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions);
  const key = md5(padded, owner, flags, id).subarray(0, keyBytes);
  const user = rc4(key, padding);

  const contentId = 5;
  const content = Buffer.from(`BT /F1 24 Tf 72 720 Td (${line}) Tj ET`, 'latin1');
  // The object's number and generation, lowest byte first (§7.6.2).
  const objectKey = md5(key, Buffer.from([contentId, 0, 0, 0, 0])).subarray(0, keyBytes + 5);
  const locked = rc4(objectKey, content).toString('latin1');
  const hex = (bytes: Buffer) => `<${bytes.toString('hex')}>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ' +
      `/Resources << /Font << /F1 3 0 R >> >> /Contents ${contentId} 0 R >>`,
    `<< /Length ${locked.length} >>\nstream\n${locked}\nendstream`,
    `<< /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(user)} /P ${permissions} >>`,
  ];
  return layOut(objects, undefined, `/Encrypt 6 0 R /ID [${hex(id)} ${hex(id)}] `);
}

function md5(...parts: (Buffer | string)[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** RC4; OpenSSL no longer offers it. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (one: number, other: number) => {
    const kept = state[one] ?? 0;
    state[one] = state[other] ?? 0;
    state[other] = kept;
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] ?? 0) + (key[i % key.length] ?? 0)) % 256;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) % 256;
      j = (j + (state[i] ?? 0)) % 256;
      swap(i, j);
      return byte ^ (state[((state[i] ?? 0) + (state[j] ?? 0)) % 256] ?? 0);
    }),
  );
}
