// Compares libsodium with node:crypto, which is its replacement where native code does not load.
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadEd25519, nodeEd25519, seedOf } from '../../../src/identity/keys/ed25519.ts';
import { type SeededRandom, seededRandom } from '../../support/seeded-random.ts';

const sodium = await loadEd25519();
const both = [sodium, nodeEd25519];

/** RFC 8032 §7.1: seed, public key, message, signature. */
const vectors = [
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

const hex = (text: string) => Buffer.from(text, 'hex');

it('libsodium loads here', () => {
  expect(sodium.name).toBe('libsodium');
});

describe.each(both)('$name', ({ privateKey, publicKey }) => {
  it.each(vectors)('passes the test vector with the seed %s', async (seed, x, message, signed) => {
    expect((await privateKey(hex(seed)).sign(hex(message))).toString('hex')).toBe(signed);
    expect(await publicKey(hex(x)).verify(hex(message), hex(signed))).toBe(true);
  });

  it('refuses a public key of another length', () => {
    for (const length of [0, 31, 33, 64]) {
      expect(() => publicKey(Buffer.alloc(length))).toThrow('the public key is not 32 bytes long');
    }
  });

  it('does not read the seed again after the import', async () => {
    const [[text, , , expected] = ['', '', '', '']] = vectors;
    const seed = hex(text);
    const key = privateKey(seed);
    seed.fill(0);
    expect((await key.sign(Buffer.alloc(0))).toString('hex')).toBe(expected);
  });
});

describe('libsodium and node:crypto', () => {
  it('agree on 10,000 random messages', async () => {
    const random = seededRandom(8032);
    for (let key = 0; key < 20; key++) {
      const seed = Buffer.from(random.bytes(32));
      const privateKeys = both.map((one) => one.privateKey(seed));
      const x = publicKeyOf(seed);
      const publicKeys = both.map((one) => one.publicKey(x));
      const verdicts = (message: Buffer, signature: Buffer) =>
        Promise.all(publicKeys.map((one) => one.verify(message, signature)));
      for (let i = 0; i < 500; i++) {
        const message = Buffer.from(random.bytes(1 + random.below(600)));
        const signatures = await Promise.all(privateKeys.map((one) => one.sign(message)));
        const [signature = Buffer.alloc(0)] = signatures;
        expect(signatures).toEqual([signature, signature]);
        expect(await verdicts(message, signature)).toEqual([true, true]);
        const isMessage = random.chance(0.5);
        const altered = alter(isMessage ? message : signature, random);
        const pair = isMessage ? ([altered, signature] as const) : ([message, altered] as const);
        expect(await verdicts(...pair)).toEqual([false, false]);
      }
    }
  });

  it('refuse signatures of another length', async () => {
    const { x, message, signature } = await signed();
    for (const length of [0, 1, 32, 63]) {
      expect(await verdicts(x, message, signature.subarray(0, length))).toEqual([false, false]);
    }
    const longer = Buffer.concat([signature, Buffer.alloc(1)]);
    expect(await verdicts(x, message, longer)).toEqual([false, false]);
  });

  it('refuse a second encoding of a valid signature (RFC 8032 §5.1.7)', async () => {
    const { x, message, signature } = await signed();
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = numberOf(signature.subarray(32));
    const higher = Buffer.concat([signature.subarray(0, 32), bytesOf(s + order)]);
    expect(await verdicts(x, message, higher)).toEqual([false, false]);
  });

  it('refuse each small-order point in the place of R', async () => {
    const { x, message, signature } = await signed();
    for (const point of smallOrder) {
      const forged = Buffer.concat([hex(point), signature.subarray(32)]);
      expect(await verdicts(x, message, forged), point).toEqual([false, false]);
    }
  });

  it('libsodium also refuses small-order public keys, which sign every message', async () => {
    const [identity = ''] = smallOrder;
    const forged = Buffer.concat([hex(identity), Buffer.alloc(32)]);
    const message = Buffer.from('any message');
    expect(await sodium.publicKey(hex(identity)).verify(message, forged)).toBe(false);
    // No such key can come into the keyring: the service generates its keys.
    expect(await nodeEd25519.publicKey(hex(identity)).verify(message, forged)).toBe(true);
  });
});

describe('a private key in DER', () => {
  it('contains the seed', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { d } = privateKey.export({ format: 'jwk' });
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    expect(Buffer.from(seedOf(der)).toString('base64url')).toBe(d);
  });

  it('of another algorithm is refused', () => {
    const { privateKey } = generateKeyPairSync('x25519');
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    expect(() => seedOf(der)).toThrow('the private key is not an Ed25519 key');
    expect(() => seedOf(der.subarray(0, 47))).toThrow('the private key is not an Ed25519 key');
  });
});

/** The encodings of the eight points whose order divides 8. */
const smallOrder = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];

/** Returns a copy with one other bit. */
function alter(bytes: Buffer, random: SeededRandom): Buffer {
  const altered = Buffer.from(bytes);
  const at = random.below(altered.length);
  altered[at] = (altered[at] ?? 0) ^ (1 << random.below(8));
  return altered;
}

function publicKeyOf(seed: Uint8Array): Buffer {
  const der = Buffer.concat([hex('302e020100300506032b657004220420'), seed]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}

function verdicts(x: Buffer, message: Buffer, signature: Buffer): Promise<boolean[]> {
  return Promise.all(both.map((one) => one.publicKey(x).verify(message, signature)));
}

async function signed() {
  const seed = Buffer.alloc(32, 7);
  const message = Buffer.from('a message');
  return { x: publicKeyOf(seed), message, signature: await sodium.privateKey(seed).sign(message) };
}

const numberOf = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const bytesOf = (number: bigint) => hex(number.toString(16).padStart(64, '0')).reverse();
