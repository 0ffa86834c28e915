// @latchkey/client with the key of a client instead of a secret, and exchanging tokens.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../clients/client/src/client.ts';
import type { Credentials } from '../../clients/client/src/credentials.ts';
import type { ClientPrivateKey, DpopKeyPair } from '../../clients/client/src/index.ts';
import { createGrpcClient } from '../../clients/client/src/node.ts';
import { addClientKey, jwkOf, keyPairs } from '../support/client-keys.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { type Added, addClient, addCustomer } from '../support/owner-rows.ts';
import { findFailures, product } from '../support/rule.ts';
import { customerToken } from '../support/token-exchange.ts';

const scope = 'accounts:read';
const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
const keyAlgorithms = [
  ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
  ['EdDSA', { name: 'Ed25519' }],
  ['RS256', { name: 'RSASSA-PKCS1-v1_5', ...rsa }],
  ['PS256', { name: 'RSA-PSS', ...rsa }],
] as const;

type Options = { readonly credentials: Credentials; readonly dpop?: true };

describe('@latchkey/client with a private key', () => {
  let testApp: TestApp;
  let customer: Added;
  let agent: Extract<Credentials, { clientId: string }>;
  const closing: (() => void)[] = [];
  beforeAll(async () => {
    testApp = await startTestApp();
    const { db } = testApp.app.inside;
    customer = await addCustomer(db, 'accounts:read payments:read', { accounts: ['a', 'b'] });
    const { ownerId: clientId } = await addClient(db, scope, { mayAct: ['customer'] });
    const { publicKey, privateKey } = keyPairs.EdDSA();
    await addClientKey(db, clientId, jwkOf({ publicKey }));
    agent = { clientId, privateKey: privateKey.export({ format: 'jwk' }), scope };
  });
  afterAll(async () => {
    for (const close of closing) close();
    await testApp?.remove();
  });

  const opened = [
    ['HTTP', (options: Options) => createClient({ baseUrl: testApp.app.publicUrl, ...options })],
    [
      'gRPC',
      (options: Options) => {
        const { publicUrl, grpcAddress } = testApp.app;
        const grpcUrl = `http://${grpcAddress}`;
        const client = createGrpcClient({ grpcUrl, publicUrl, ...options });
        closing.push(client.close);
        return client;
      },
    ],
  ] as const;

  it('signs assertions with a key of each kind, as a CryptoKey or a JWK', async () => {
    const failures = await findFailures(keyAlgorithms, async (alg, algorithm) => {
      const { db } = testApp.app.inside;
      const { ownerId: clientId } = await addClient(db, scope);
      const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const { publicKey, privateKey } = pair as DpopKeyPair;
      const publicJwk = await crypto.subtle.exportKey('jwk', publicKey);
      const { key_ops: _, ext: __, ...known } = publicJwk;
      await addClientKey(db, clientId, { ...known, alg });
      const jwk = await crypto.subtle.exportKey('jwk', privateKey);
      for (const key of [privateKey, { ...jwk, use: 'sig', alg }] as ClientPrivateKey[]) {
        const credentials = { clientId, privateKey: key, scope };
        const { accessToken } = opened[0][1]({ credentials });
        expect(decodeJwt(await accessToken()).sub).toBe(clientId);
      }
    });
    expect(failures).toEqual([]);
  });

  it('signs another assertion when the request needs a nonce', async () => {
    const failures = await findFailures(opened, async (_name, open) => {
      const { accessToken } = open({ credentials: agent, dpop: true });
      expect(decodeJwt(await accessToken()).cnf).toEqual({ jkt: expect.any(String) });
    });
    expect(failures).toEqual([]);
  });

  it('exchanges a token, with each authentication', async () => {
    const { ownerId, text } = await addClient(testApp.app.inside.db, scope, {
      mayAct: ['customer'],
    });
    const secret = { clientId: ownerId, clientSecret: text, scope };
    const cases = product(opened, [agent, secret]);
    const failures = await findFailures(cases, async (_name, open, credentials) => {
      const subjectToken = await customerToken(testApp.app, customer);
      const { exchangeToken } = open({ credentials });
      const exchanged = await exchangeToken({ subjectToken, accounts: ['b'] });
      expect(exchanged).toMatchObject({ scope });
      expect(exchanged.expiresInSeconds).toBeLessThanOrEqual(60);
      expect(decodeJwt(exchanged.accessToken)).toMatchObject({
        ...{ sub: customer.ownerId, act: { sub: credentials.clientId }, accounts: ['b'] },
      });
      const token = () => exchangeToken({ subjectToken });
      const { accounts } = await open({ credentials: { token } }).accounts.listAccounts({});
      expect(accounts.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
      await expect(exchangeToken({ subjectToken, scope: 'payments:read' })).rejects.toMatchObject({
        code: 'identity.scope_not_granted',
      });
    });
    expect(failures).toEqual([]);
    expect(cases).toHaveLength(4);
    const { exchangeToken } = opened[0][1]({ credentials: { apiKey: customer.text } });
    await expect(exchangeToken({ subjectToken: 'x' })).rejects.toThrow(
      'exchangeToken needs the credentials of a service client.',
    );
  });

  it('refuses keys that cannot work, and never names them', async () => {
    const p384 = { name: 'ECDSA', namedCurve: 'P-384' };
    const pair = await crypto.subtle.generateKey(p384, false, ['sign', 'verify']);
    const { privateKey, publicKey } = keyPairs.ES256();
    const keys: [string, unknown, RegExp][] = [
      ['a missing key', undefined, /^credentials.privateKey is not set/],
      ['a text', 'secret', /^credentials.privateKey must be a private CryptoKey/],
      ['a public JWK', jwkOf({ publicKey }), /^credentials.privateKey must be/],
      ['another kind', { kty: 'oct', k: 'secret', d: 'secret' }, /^credentials.privateKey must/],
      ['another curve', pair.privateKey, /^credentials.privateKey must be/],
      ['a public key', pair.publicKey, /^credentials.privateKey must be/],
    ];
    const failures = await findFailures(keys, (_name, key, message) => {
      const credentials = { clientId: 'cli_a', privateKey: key, scope } as Credentials;
      for (const [, open] of opened) expect(() => open({ credentials })).toThrow(message);
    });
    expect(failures).toEqual([]);
    const jwk = privateKey.export({ format: 'jwk' });
    const credentials = { clientId: 'cli_a', privateKey: jwk, scope };
    expect(() => createGrpcClient({ grpcUrl: 'http://127.0.0.1:1', credentials })).toThrow(
      'publicUrl is not set. It must be a URL such as https://latchkey.example.com.',
    );
  });
});
