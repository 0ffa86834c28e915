// The master key: encrypts what has to be read back (signing keys) with AES-256-GCM, and gives
// keys for other purposes (HKDF, RFC 5869).
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileOnce } from '../../storage/files.ts';

export type MasterKey = {
  /** Stored beside each ciphertext, to tell which key opens it. Tells nothing of the key. */
  readonly id: string;
  /** Encrypts, bound to `purpose`. */
  seal(plaintext: Uint8Array, purpose: string): string;
  /** Decrypts; throws where the text was altered or sealed for another purpose. */
  open(ciphertext: string, purpose: string): Buffer;
  /** A 32-byte key of its own for a purpose. */
  derive(purpose: string): Buffer;
};

/** Makes a master key of 32 bytes. */
export function createMasterKey(bytes: Uint8Array): MasterKey {
  if (bytes.length !== 32) throw new Error('the master key is not 32 bytes long');
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', bytes, '', `latchkey/${purpose}`, 32));
  const key = derive('encryption');
  return {
    id: createHash('sha256').update(derive('key id')).digest('hex').slice(0, 16),
    seal(plaintext, purpose) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(ciphertext, purpose) {
      const bytes = Buffer.from(ciphertext, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    },
    derive,
  };
}

/** The master key of a data folder: read from its file, which the first start makes (mode 0600). */
export async function readMasterKeyFile(dataDir: string): Promise<Uint8Array> {
  const file = path.join(dataDir, 'master.key');
  await writeFileOnce(file, `${randomBytes(32).toString('hex')}\n`);
  const text = (await readFile(file, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${file} does not hold 64 hexadecimal digits`);
  return Buffer.from(text, 'hex');
}
