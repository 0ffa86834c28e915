// Compares libsodium with node:crypto, which is its replacement where native code does not load.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadEd25519, nodeEd25519, seedOf } from '../../../src/identity/keys/ed25519.ts';
import {
  alter,
  hex,
  publicKeyOf,
  secondEncodingOf,
  smallOrder,
  vectors,
} from '../../support/ed25519-cases.ts';
import { isFull } from '../../support/matrix.ts';
import { itHoldsFor, product } from '../../support/rule.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const sodium = await loadEd25519();
const both = [sodium, nodeEd25519];

it('libsodium loads here', () => {
  expect(sodium.name).toBe('libsodium');
});

describe('each library', () => {
  const libraries = both.map((library) => [library.name, library] as const);
  const itHolds = itHoldsFor(libraries, 2);

  itHoldsFor(product(libraries, vectors), 6)(
    'passes the test vectors',
    async (_, { privateKey, publicKey }, seed, x, message, signed) => {
      expect((await privateKey(hex(seed)).sign(hex(message))).toString('hex')).toBe(signed);
      expect(await publicKey(hex(x)).verify(hex(message), hex(signed))).toBe(true);
    },
  );

  itHolds('refuses a public key of another length', (_, { publicKey }) => {
    for (const length of [0, 31, 33, 64]) {
      expect(() => publicKey(Buffer.alloc(length))).toThrow('the public key is not 32 bytes long');
    }
  });

  itHolds('does not read the seed again after the import', async (_, { privateKey }) => {
    const [[text, , , expected] = ['', '', '', '']] = vectors;
    const seed = hex(text);
    const key = privateKey(seed);
    seed.fill(0);
    expect((await key.sign(Buffer.alloc(0))).toString('hex')).toBe(expected);
  });
});

describe('libsodium and node:crypto', () => {
  const perKey = isFull ? 500 : 25;

  it(`agree on ${20 * perKey} random messages`, async () => {
    const random = seededRandom(8032);
    for (let key = 0; key < 20; key++) {
      const seed = Buffer.from(random.bytes(32));
      const privateKeys = both.map((one) => one.privateKey(seed));
      const x = publicKeyOf(seed);
      const publicKeys = both.map((one) => one.publicKey(x));
      const verdicts = (message: Buffer, signature: Buffer) =>
        Promise.all(publicKeys.map((one) => one.verify(message, signature)));
      for (let i = 0; i < perKey; i++) {
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
    expect(await verdicts(x, message, secondEncodingOf(signature))).toEqual([false, false]);
  });

  it('refuse each small-order point in the place of R', async () => {
    const { x, message, signature } = await signed();
    for (const point of smallOrder) {
      const forged = Buffer.concat([hex(point), signature.subarray(32)]);
      expect(await verdicts(x, message, forged), point).toEqual([false, false]);
    }
  });

  it('libsodium, and node:crypto since Node 24, refuse small-order public keys', async () => {
    const [identity = ''] = smallOrder;
    const forged = Buffer.concat([hex(identity), Buffer.alloc(32)]);
    const message = Buffer.from('any message');
    expect(await sodium.publicKey(hex(identity)).verify(message, forged)).toBe(false);
    // No such key can come into the keyring: the service generates its keys.
    const isAccepted = Number.parseInt(process.versions.node, 10) < 24;
    expect(await nodeEd25519.publicKey(hex(identity)).verify(message, forged)).toBe(isAccepted);
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

function verdicts(x: Buffer, message: Buffer, signature: Buffer): Promise<boolean[]> {
  return Promise.all(both.map((one) => one.publicKey(x).verify(message, signature)));
}

async function signed() {
  const seed = Buffer.alloc(32, 7);
  const message = Buffer.from('a message');
  return { x: publicKeyOf(seed), message, signature: await sodium.privateKey(seed).sign(message) };
}
