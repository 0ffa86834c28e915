// Ed25519 signatures (RFC 8032 §5.1). libsodium needs half the processor time of node:crypto, whose
// asynchronous functions also pay for the way to the thread pool and back.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { SignatureThread } from './signature-thread.ts';

export type Ed25519 = {
  readonly name: 'libsodium' | 'node:crypto';
  /** Imports a seed of 32 bytes, the private key of RFC 8032. The caller may then erase it. */
  privateKey(seed: Uint8Array): PrivateKey;
  publicKey(bytes: Uint8Array): PublicKey;
};

export type PrivateKey = {
  /** Returns a signature of 64 bytes. */
  sign(message: Buffer): Buffer | Promise<Buffer>;
  /** Erases the copy of the key on the signature thread. */
  retire(): void;
};

export type PublicKey = {
  verify(message: Buffer, signature: Buffer): boolean | Promise<boolean>;
};

/** libsodium where its native code loads, otherwise node:crypto, which does not use the thread. */
export async function loadEd25519(thread?: SignatureThread): Promise<Ed25519> {
  try {
    return withSodium((await import('sodium-native')).default, thread);
  } catch {
    return nodeEd25519;
  }
}

type Sodium = typeof import('sodium-native');

/** On the calling thread in 25 and 62 µs, or on the signature thread under load. */
function withSodium(sodium: Sodium, thread?: SignatureThread): Ed25519 {
  return {
    name: 'libsodium',
    privateKey(seed) {
      const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
      const secretKey = sodium.sodium_malloc(sodium.crypto_sign_SECRETKEYBYTES);
      // Not a copy, which would stay in the memory.
      const { buffer, byteOffset, length } = seed;
      const seedBytes = Buffer.from(buffer, byteOffset, length);
      sodium.crypto_sign_seed_keypair(publicKey, secretKey, seedBytes);
      sodium.sodium_mprotect_readonly(secretKey);
      const key = { publicKey, sealFor };
      function sealFor(boxKey: Uint8Array): Uint8Array {
        const sealed = Buffer.alloc(secretKey.length + sodium.crypto_box_SEALBYTES);
        sodium.crypto_box_seal(sealed, secretKey, Buffer.from(boxKey));
        return sealed;
      }
      thread?.setKey(key);
      return {
        sign(message) {
          const here = () => {
            const signature = Buffer.allocUnsafe(sodium.crypto_sign_BYTES);
            sodium.crypto_sign_detached(signature, message, secretKey);
            return signature;
          };
          return thread?.sign(key, message, here) ?? here();
        },
        retire: () => thread?.forgetKey(key),
      };
    },
    publicKey(bytes) {
      const key = Buffer.from(bytes);
      if (key.length !== sodium.crypto_sign_PUBLICKEYBYTES) throw wrongLength();
      return {
        verify(message, signature) {
          if (signature.length !== sodium.crypto_sign_BYTES) return false;
          const here = () => sodium.crypto_sign_verify_detached(signature, message, key);
          return thread?.verify({ publicKey: key, message, signature }, here) ?? here();
        },
      };
    },
  };
}

/** The beginning of a private key in DER (RFC 8410 §7); the seed follows. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

export const nodeEd25519: Ed25519 = {
  name: 'node:crypto',
  privateKey(seed) {
    const der = Buffer.concat([pkcs8Start, seed]);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    der.fill(0);
    return {
      sign: (message) =>
        new Promise((resolve, reject) => {
          sign(null, message, key, (error, bytes) =>
            error === null ? resolve(bytes) : reject(error),
          );
        }),
      retire() {},
    };
  },
  publicKey(bytes) {
    if (bytes.length !== 32) throw wrongLength();
    const x = Buffer.from(bytes).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return {
      verify: (message, signature) =>
        new Promise((resolve, reject) => {
          verify(null, message, key, signature, (error, good) =>
            error === null ? resolve(good) : reject(error),
          );
        }),
    };
  },
};

const wrongLength = () => new RangeError('the public key is not 32 bytes long');

/** Returns the seed in a private key in DER. Throws if it is not an Ed25519 key of RFC 8410. */
export function seedOf(pkcs8: Uint8Array): Uint8Array {
  const start = pkcs8.subarray(0, pkcs8Start.length);
  const seed = pkcs8.subarray(pkcs8Start.length);
  if (!pkcs8Start.equals(start) || seed.length !== 32) {
    throw new TypeError('the private key is not an Ed25519 key');
  }
  return seed;
}
