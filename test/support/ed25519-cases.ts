// Keys, messages and signatures for tests of Ed25519.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import sodium from 'sodium-native';
import type { SealableKey } from '../../src/identity/keys/signature-thread.ts';
import type { SeededRandom } from './seeded-random.ts';

/** RFC 8032 §7.1: seed, public key, message, signature. */
export const vectors = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155' +
      '5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
      '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac' +
      '18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

/** The encodings of the eight points whose order divides 8. */
export const smallOrder = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];

/** Second encodings of the points with y = 0 and y = 1, which are of small order, too. */
export const secondEncodings = ['ed', 'ee'].flatMap((first) =>
  ['7f', 'ff'].map((last) => `${first}${'ff'.repeat(30)}${last}`),
);

export const hex = (text: string) => Buffer.from(text, 'hex');

/** Returns a copy with one other bit. */
export function alter(bytes: Buffer, random: SeededRandom): Buffer {
  const altered = Buffer.from(bytes);
  const at = random.below(altered.length);
  altered[at] = (altered[at] ?? 0) ^ (1 << random.below(8));
  return altered;
}

export function publicKeyOf(seed: Uint8Array): Buffer {
  const der = Buffer.concat([hex('302e020100300506032b657004220420'), seed]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** Returns a second encoding of a valid signature, which must be refused (RFC 8032 §5.1.7). */
export function secondEncodingOf(signature: Buffer): Buffer {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = numberOf(signature.subarray(32));
  return Buffer.concat([signature.subarray(0, 32), bytesOf(s + order)]);
}

const numberOf = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const bytesOf = (number: bigint) => hex(number.toString(16).padStart(64, '0')).reverse();

/** Returns a private key for the signature thread. */
export function sealableKeyOf(seed: Uint8Array): SealableKey {
  const secretKey = Buffer.concat([seed, publicKeyOf(seed)]);
  return {
    publicKey: publicKeyOf(seed),
    sealFor(boxKey) {
      const sealed = Buffer.alloc(secretKey.length + sodium.crypto_box_SEALBYTES);
      sodium.crypto_box_seal(sealed, secretKey, Buffer.from(boxKey));
      return sealed;
    },
  };
}
