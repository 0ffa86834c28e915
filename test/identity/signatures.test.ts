// Each signature is checked once; the cache accepts no other token.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeEd25519, type PublicKey } from '../../src/identity/keys/ed25519.ts';
import type { LoadedKey } from '../../src/identity/keys/signing-key.ts';
import { createSignatures } from '../../src/identity/tokens/signatures.ts';

const invalidations = {
  ensureFresh: () => undefined,
  onEviction() {},
};

/** A ring with one key, and how often a signature was checked with it. */
function open(cachedMax?: number) {
  const { publicKey: keyObject, privateKey } = generateKeyPairSync('ed25519');
  const publicKey = imported(keyObject);
  const header = encode({ alg: 'EdDSA', typ: 'at+jwt', kid: 'kid' });
  const counts = { checks: 0 };
  const load = (): LoadedKey => ({
    kid: 'kid',
    alg: 'EdDSA',
    header,
    removeTime: Number.POSITIVE_INFINITY,
    jwk: { kty: 'OKP', crv: 'Ed25519', x: '', kid: 'kid', use: 'sig', alg: 'EdDSA' },
    get publicKey() {
      counts.checks++;
      return publicKey;
    },
  });
  const ring = new Map([[header, load()]]);
  const clock = { now: 1_800_000_000_000 };
  const signatures = createSignatures({
    keyring: {
      active: async () => undefined,
      secondsUntilActive: () => 1,
      byHeader: async (one) => ring.get(one),
      published: async () => [],
      facts: async () => [],
      reload: async () => {},
    },
    invalidations: { ...invalidations, stop: async () => {} },
    now: () => clock.now,
    ...(cachedMax === undefined ? {} : { cachedMax }),
  });
  const token = (jti: string, seconds = 60) => {
    const input = `${header}.${encode(claimsOf(jti, clock.now / 1000 + seconds))}`;
    return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
  };
  return { signatures, ring, header, load, token, clock, counts };
}

function imported(key: KeyObject): PublicKey {
  const { x = '' } = key.export({ format: 'jwk' });
  return nodeEd25519.publicKey(Buffer.from(x, 'base64url'));
}

const encode = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');

const claimsOf = (jti: string, exp: number) => ({
  iss: 'https://issuer.example',
  aud: 'https://issuer.example',
  sub: 'cli_1',
  client_id: 'cli_1',
  iat: 1,
  exp,
  jti,
  scope: 'a:read',
  principal_type: 'service',
});

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('the signature of a token', () => {
  it('is checked once for repeated uses of the token', async () => {
    const { signatures, token, counts } = open();
    const text = token('1');

    const claims = [];
    for (let i = 0; i < 10; i++) claims.push(await signatures.claimsOf(text));

    expect(new Set(claims.map((one) => one?.jti))).toEqual(new Set(['1']));
    expect(counts.checks).toBe(1);
  });

  it('is checked for each token, even if tokens are similar', async () => {
    const { signatures, token, counts } = open();
    for (const jti of ['1', '2', '3']) {
      expect(await signatures.claimsOf(token(jti))).toMatchObject({ jti });
    }
    expect(counts.checks).toBe(3);
  });

  it('of a good token is not valid for a text that differs in one character', async () => {
    const { signatures, token } = open();
    const good = token('1');
    expect(await signatures.claimsOf(good)).toBeDefined();
    const change = fc.tuple(
      fc.nat(good.length - 1),
      fc.oneof(fc.constantFrom(...alphabet), fc.string({ maxLength: 2, unit: 'binary' })),
    );
    await fc.assert(
      fc.asyncProperty(change, async ([at, other]) => {
        fc.pre(good.charAt(at) !== other);
        const text = good.slice(0, at) + other + good.slice(at + 1);
        expect(await signatures.claimsOf(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
    for (const text of [`${good}A`, ` ${good}`, `${good}\n`, good.slice(0, -1), `${good}\ud800`]) {
      expect(await signatures.claimsOf(text)).toBeUndefined();
    }
  });

  it('is invalid once its key has left the keyring', async () => {
    const { signatures, token, ring, header } = open();
    const text = token('1');
    expect(await signatures.claimsOf(text)).toBeDefined();

    ring.delete(header);

    expect(await signatures.claimsOf(text)).toBeUndefined();
  });

  it('is checked again if another key has the same kid', async () => {
    const { signatures, token, ring, header, load, counts } = open();
    const text = token('1');
    await signatures.claimsOf(text);

    ring.set(header, load());
    expect(await signatures.claimsOf(text)).toBeDefined();
    expect(counts.checks).toBe(2);

    const stranger = imported(generateKeyPairSync('ed25519').publicKey);
    ring.set(header, { ...load(), publicKey: stranger });
    expect(await signatures.claimsOf(text)).toBeUndefined();
  });

  it('is not cached beyond the expiry', async () => {
    const { signatures, token, clock, counts } = open();
    const text = token('1', 60);
    clock.now += 59_999;
    await signatures.claimsOf(text);
    await signatures.claimsOf(text);
    expect(counts.checks).toBe(1);

    // The verifier checks the expiry; here only the cache.
    clock.now += 1;
    await signatures.claimsOf(text);
    await signatures.claimsOf(text);
    expect(counts.checks).toBe(3);
  });

  it('is cached for a maximum of tokens, the least recently used is dropped', async () => {
    const { signatures, token, counts } = open(2);
    const [a, b, c] = [token('a'), token('b'), token('c')];
    for (const text of [a, b, a, c]) await signatures.claimsOf(text);
    expect(counts.checks).toBe(3);

    await signatures.claimsOf(a);
    expect(counts.checks).toBe(3);
    await signatures.claimsOf(b);
    expect(counts.checks).toBe(4);
  });

  it('is not evicted by forged, foreign or expired tokens', async () => {
    const { signatures, token, counts } = open(1);
    const good = token('1');
    await signatures.claimsOf(good);
    const swap = (text: string) => text.slice(0, -4) + (text.endsWith('AAAA') ? 'BAAA' : 'AAAA');
    for (let i = 0; i < 10; i++) {
      await signatures.claimsOf(swap(token(`forged ${i}`)));
      await signatures.claimsOf(token(`expired ${i}`, -1));
      await signatures.claimsOf(`garbage ${i}`);
    }
    const before = counts.checks;

    expect(await signatures.claimsOf(good)).toBeDefined();

    expect(counts.checks).toBe(before);
  });
});
