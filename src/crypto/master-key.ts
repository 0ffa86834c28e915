// The master key: encrypts what has to be read back (signing keys) with AES-256-GCM, and gives
// keys for other purposes (HKDF, RFC 5869).
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

export type MasterKey = {
  /** Stored beside each ciphertext, to tell which key opens it. Tells nothing of the key. */
  readonly id: string;
  /** Encrypts, bound to `purpose`. */
  seal(plaintext: Uint8Array, purpose: string): string;
  /** Decrypts; throws where the text was altered or sealed for another purpose. */
  open(ciphertext: string, purpose: string): Buffer;
  /** Whether it opens what the master key with this id has sealed. */
  opens(id: string): boolean;
  /** A 32-byte key of its own for a purpose. Another master key gives another one. */
  derive(purpose: string): Buffer;
};

/** Node would also accept a tag of 4 bytes, which is easy to forge. */
const authTagLength = 16;

/**
 * Makes a master key of 32 bytes. It seals under these alone, and opens what is sealed under the
 * `others`, too: those that it takes the place of.
 */
export function createMasterKey(bytes: Uint8Array, others: readonly Uint8Array[] = []): MasterKey {
  const own = createSingleKey(bytes);
  const all = [own, ...others.map(createSingleKey)];
  return {
    ...own,
    opens: (id) => all.some((one) => one.id === id),
    open(ciphertext, purpose) {
      for (const one of all.slice(0, -1)) {
        try {
          return one.open(ciphertext, purpose);
        } catch {
          // Sealed under another one of them, or under none.
        }
      }
      return (all.at(-1) ?? own).open(ciphertext, purpose);
    },
  };
}

function createSingleKey(bytes: Uint8Array): Omit<MasterKey, 'opens'> {
  if (bytes.length !== 32) throw new Error('the master key is not 32 bytes long');
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', bytes, '', `latchkey/${purpose}`, 32));
  const key = derive('encryption');
  return {
    id: createHash('sha256').update(derive('key id')).digest('hex').slice(0, 16),
    seal(plaintext, purpose) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength }).setAAD(
        Buffer.from(purpose),
      );
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(ciphertext, purpose) {
      const bytes = Buffer.from(ciphertext, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
        authTagLength,
      })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    },
    derive,
  };
}
