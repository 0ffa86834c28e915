import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SigningAlgorithm } from '../../../clients/verify/src/algorithms.ts';
import { createVerifier } from '../../../clients/verify/src/verifier.ts';

const issuer = 'https://latchkey.test';
const start = Date.UTC(2027, 0, 31);

/** A verifier of one key, whose clock and JWKS headers the test sets. */
async function setUp(audience: string | string[] = issuer, alg: SigningAlgorithm = 'EdDSA') {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'key', use: 'sig', alg }];
  const headers: Record<string, string> = {};
  const state = { fetches: 0, status: 200, now: start, headers };
  const server = createServer((_request, response) => {
    state.fetches++;
    response.writeHead(state.status, state.headers).end(JSON.stringify({ keys }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const newVerifier = (signingAlg = alg) =>
    createVerifier({ issuer, jwksUrl, signingAlg, now: () => state.now });
  const iat = start / 1000;
  const token = await new SignJWT({
    client_id: 'cli_x',
    scope: 'a:read',
    principal_type: 'service',
  })
    .setProtectedHeader({ alg, typ: 'at+jwt', kid: 'key' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('cli_x')
    .setJti('id')
    .setIssuedAt(iat)
    .setExpirationTime(iat + 3600)
    .sign(privateKey);
  return { state, keys, newVerifier, token };
}

test('a text other than the token is refused before its key is fetched', async () => {
  const { state, newVerifier, token } = await setUp();
  const [header = '', payload = '', signature = ''] = token.split('.');
  const last = signature.at(-1) ?? '';
  /** The same bytes with another text: the last 4 of its bits belong to no byte. */
  const other = { A: 'B', Q: 'R', g: 'h', w: 'x' }[last] ?? '';
  const texts = {
    padding: `${token}=`,
    'two signs of padding': `${token}==`,
    'a space at the end': `${token} `,
    'a space at the start': ` ${token}`,
    'a line end': `${token}\n`,
    'padding in the header': `${header}=.${payload}.${signature}`,
    'another text for the signature': token.slice(0, -1) + other,
    'base64 instead of base64url': `${header}.${payload}.${signature.slice(0, -2)}+/`,
    'a fourth part': `${token}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'an empty text': '',
  };
  const failures: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const error = await newVerifier()
      .verify(text)
      .then(
        () => 'accepted',
        ({ code }: { code: string }) => code,
      );
    if (error !== 'unauthenticated') failures.push(`${name}: ${error}`);
  }
  expect(failures).toEqual([]);
  expect(Object.keys(texts)).toHaveLength(11);
  expect(other).not.toBe('');
  expect(state.fetches).toBe(0);
  expect(await newVerifier().verify(token)).toMatchObject({ sub: 'cli_x' });
});

test('keys are fresh for the max-age less the Age (RFC 9111 §4.2)', async () => {
  const { state, newVerifier, token } = await setUp();
  const cases: [headers: Record<string, string>, freshSeconds: number][] = [
    [{ 'cache-control': 'max-age=300' }, 300],
    [{ 'cache-control': 'max-age=300', age: '0' }, 300],
    [{ 'cache-control': 'max-age=300', age: '10' }, 290],
    [{ 'cache-control': 'max-age=300', age: '295' }, 5],
    [{ 'cache-control': 'max-age=300', age: '299' }, 5],
    [{ 'cache-control': 'max-age=300', age: '4000' }, 5],
    [{ 'cache-control': 'max-age=300', age: '100, 200' }, 200],
    [{ 'cache-control': 'max-age=300', age: 'soon' }, 300],
    [{ 'cache-control': 'max-age=300', age: '-5' }, 300],
    [{ age: '100' }, 200],
  ];
  const failures: string[] = [];
  for (const [headers, freshSeconds] of cases) {
    const verifier = newVerifier();
    Object.assign(state, { fetches: 0, headers, now: start });
    const fetches: number[] = [];
    for (const seconds of [0, freshSeconds - 1, freshSeconds]) {
      state.now = start + seconds * 1000;
      await verifier.verify(token);
      fetches.push(state.fetches);
    }
    if (fetches.join() !== '1,1,2') failures.push(`${JSON.stringify(headers)}: ${fetches}`);
  }
  expect(failures).toEqual([]);
  expect(cases).toHaveLength(10);
});

test('a token for several audiences is accepted for one of them', async () => {
  const several = await setUp([issuer, 'https://other.test']);
  const claims = await several.newVerifier().verify(several.token);
  expect(claims.aud).toEqual([issuer, 'https://other.test']);
  for (const audience of [['https://other.test'], []]) {
    const { newVerifier, token } = await setUp(audience);
    await expect(newVerifier().verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  }
});

const algorithms = ['EdDSA', 'ES256', 'RS256'] as const;

test('only tokens of the chosen algorithm are accepted', async () => {
  for (const alg of algorithms) {
    const { newVerifier, token } = await setUp(issuer, alg);
    for (const signingAlg of algorithms) {
      const accepted = await newVerifier(signingAlg)
        .verify(token)
        .then(
          () => true,
          () => false,
        );
      expect([alg, signingAlg, accepted]).toEqual([alg, signingAlg, alg === signingAlg]);
    }
  }
  const signingAlg = 'HS256' as never;
  expect(() => createVerifier({ issuer, signingAlg })).toThrow('signingAlg must be EdDSA, ES256');
});

test('a published key of another algorithm verifies nothing', async () => {
  for (const alg of algorithms) {
    const { keys, newVerifier, token } = await setUp(issuer, alg);
    const [key] = keys;
    if (key === undefined) throw new Error('there is no key');
    const original = { ...key };
    await newVerifier().verify(token);
    for (const change of [{ alg: 'PS256' }, { alg: 'HS256' }, { use: 'enc' }, { kty: 'oct' }]) {
      Object.assign(key, original, change);
      await expect(newVerifier().verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
  }
});

describe('a clock that was a year ahead and is set back', () => {
  const year = 365 * 86_400_000;

  test('does not keep a key that is no longer published', async () => {
    const { state, keys, newVerifier, token } = await setUp();
    const verifier = newVerifier();
    state.now = start + year;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
    keys.length = 0;
    state.now = start;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(state.fetches).toBe(2);
  });

  test('does not keep a new key unknown', async () => {
    const { state, keys, newVerifier, token } = await setUp();
    const verifier = newVerifier();
    const [key] = keys.splice(0);
    if (key === undefined) throw new Error('there is no key');
    state.now = start + year;
    for (const _ of ['the first fetch', 'the fetch of an unknown key']) {
      await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    keys.push(key);
    state.now = start;
    expect(await verifier.verify(token)).toMatchObject({ sub: 'cli_x' });
  });

  test('does not delay the next fetch after a failed one', async () => {
    const { state, newVerifier, token } = await setUp();
    const verifier = newVerifier();
    Object.assign(state, { status: 503, now: start + year });
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unavailable' });
    Object.assign(state, { status: 200, now: start });
    expect(await verifier.verify(token)).toMatchObject({ sub: 'cli_x' });
  });

  test('does not prolong the use of old keys while they cannot be fetched', async () => {
    const { state, newVerifier, token } = await setUp();
    const verifier = newVerifier();
    state.now = start + year;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
    Object.assign(state, { status: 503, now: start });
    expect(await verifier.verify(token)).toMatchObject({ sub: 'cli_x' });
    state.now = start + 3_601_000;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

test('a key that cannot be imported does not make the others useless', async () => {
  const { keys, newVerifier, token } = await setUp();
  const point = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'point' };
  const foreign = [
    null,
    'key',
    7,
    [],
    { kty: 'OKP', crv: 'Ed25519', x: 'AAAA', kid: 'short' },
    point,
  ];
  keys.unshift(...(foreign as never[]));
  expect(await newVerifier().verify(token)).toMatchObject({ sub: 'cli_x' });
});
