// The master key encrypts stored values, such as signing keys, with AES-256-GCM, and derives keys
// for other purposes (HKDF, RFC 5869).
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

export type MasterKey = {
  /** Identifies the key. Stored with each ciphertext; reveals nothing about the key. */
  readonly id: string;
  seal(plaintext: Uint8Array, purpose: string): string;
  open(ciphertext: string, purpose: string): Buffer;
  opens(id: string): boolean;
  derive(purpose: string): DerivedKeys;
};

export type DerivedKeys = readonly [own: Uint8Array, ...others: Uint8Array[]];

/** Node would also accept a tag of 4 bytes, which is easy to forge. */
const authTagLength = 16;

/** Encrypts only with `bytes`. Also decrypts values of the `others`, which it replaces. */
export function createMasterKey(bytes: Uint8Array, others: readonly Uint8Array[] = []): MasterKey {
  const own = createSingleKey(bytes);
  const rest = others.map(createSingleKey);
  const all = [own, ...rest];
  return {
    ...own,
    derive: (purpose) => [own.derive(purpose), ...rest.map((one) => one.derive(purpose))],
    opens: (id) => all.some((one) => one.id === id),
    open(ciphertext, purpose) {
      for (const one of all.slice(0, -1)) {
        try {
          return one.open(ciphertext, purpose);
        } catch {
          // The text was encrypted with another key.
        }
      }
      return (all.at(-1) ?? own).open(ciphertext, purpose);
    },
  };
}

type SingleKey = Omit<MasterKey, 'opens' | 'derive'> & {
  readonly derive: (purpose: string) => Buffer;
};

function createSingleKey(bytes: Uint8Array): SingleKey {
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
