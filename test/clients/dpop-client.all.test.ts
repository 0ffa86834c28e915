// @latchkey/client with tokens that are bound to its key, against a real server.
import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../clients/client/src/client.ts';
import type { Credentials } from '../../clients/client/src/credentials.ts';
import type { DpopOption } from '../../clients/client/src/dpop.ts';
import { createGrpcClient } from '../../clients/client/src/node.ts';
import { createVerifier } from '../../clients/verify/src/verifier.ts';
import { freePort } from '../support/free-port.ts';
import { type Front, startFront } from '../support/front.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { addClient } from '../support/owner-rows.ts';
import { findFailures } from '../support/rule.ts';

const bytes = randomBytes(150_000);
const { subtle } = crypto;
const methodOf = ({ path }: { readonly path: string }) => path.split('/').at(-1);

type Options = { readonly credentials: Credentials; readonly dpop?: DpopOption };

describe('@latchkey/client with dpop', () => {
  let testApp: TestApp;
  let front: Front;
  let service: Credentials;
  let customer: Credentials;
  const closing: (() => void)[] = [];
  beforeAll(async () => {
    const port = await freePort();
    // The proofs name the public URL, which is that of the front.
    front = await startFront(`http://127.0.0.1:${port}`);
    const config = { publicUrl: front.url, http: { host: '127.0.0.1', port } };
    testApp = await startTestApp({ config });
    const scope = 'documents:read documents:write tokens:read';
    const { ownerId, text } = await addClient(testApp.app.inside.db, scope);
    service = { clientId: ownerId, clientSecret: text, scope };
    customer = { apiKey: testApp.env.CUSTOMER_API_KEY };
  });
  afterAll(async () => {
    for (const close of closing) close();
    front?.close();
    await testApp?.remove();
  });

  const overHttp = ({ dpop = true, ...options }: Options, format: 'binary' | 'json' = 'binary') =>
    createClient({ baseUrl: front.url, dpop, format, ...options });
  const overGrpc = ({ dpop = true, ...options }: Options) => {
    const grpcUrl = `http://${testApp.app.grpcAddress}`;
    const client = createGrpcClient({ grpcUrl, publicUrl: front.url, dpop, ...options });
    closing.push(client.close);
    return client;
  };
  const opened = [
    ['HTTP with binary messages', (options: Options) => overHttp(options)],
    ['HTTP with JSON', (options: Options) => overHttp(options, 'json')],
    ['gRPC', overGrpc],
  ] as const;

  it('calls, uploads and downloads with a bound token over each protocol', async () => {
    const failures = await findFailures(opened, async (_name, open) => {
      const { documents, upload, accessToken } = open({ credentials: service });
      const { WORKSPACE_ID: workspaceId } = testApp.env;
      const document = await upload(bytes, { name: 'Bytes', workspaceId });
      const stream = await upload(new Blob([bytes]).stream(), { name: 'Stream', workspaceId });
      expect([document.sizeBytes, stream.sizeBytes]).toEqual([bytes.length, bytes.length]);
      const { documents: listed } = await documents.listDocuments({ workspaceId });
      expect(listed.map(({ id }) => id)).toContain(stream.id);
      const chunks: Uint8Array[] = [];
      const named = { documentId: document.id, workspaceId };
      for await (const { part } of documents.downloadDocument(named)) {
        if (part.case === 'chunk') chunks.push(part.value);
      }
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
      expect(decodeJwt(await accessToken()).cnf).toEqual({ jkt: expect.any(String) });
    });
    expect(failures).toEqual([]);
  });

  it('exchanges the API key of a customer for a bound token over each protocol', async () => {
    const failures = await findFailures(opened, async (_name, open) => {
      const { accounts, accessToken } = open({ credentials: customer });
      expect((await accounts.listAccounts({})).accounts).toHaveLength(2);
      expect(decodeJwt(await accessToken()).cnf).toEqual({ jkt: expect.any(String) });
    });
    expect(failures).toEqual([]);
  });

  it('remembers the nonce, and sends another proof with each request', async () => {
    const before = front.requests.length;
    const { accounts, accessToken } = overHttp({ credentials: customer });
    const token = await accessToken();
    const first = front.requests.slice(before);
    expect(first.map(methodOf)).toEqual(['ExchangeApiKey', 'ExchangeApiKey']);
    front.answer('/ListAccounts', { status: 401 });
    await accounts.listAccounts({});
    const later = front.requests.slice(before + 2);
    expect(later.map(methodOf)).toEqual(['ListAccounts', 'ExchangeApiKey', 'ListAccounts']);
    const proofs = [...first, ...later].map(({ headers }) => String(headers.dpop));
    const ids = proofs.map((proof) => decodeJwt(proof).jti);
    expect(new Set(ids).size).toBe(5);
    expect(later[0]?.headers.authorization).toBe(`DPoP ${token}`);
    expect(later[2]?.headers.authorization).toBe(`DPoP ${await accessToken()}`);
    const { htu } = decodeJwt(String(later[2]?.headers.dpop));
    expect(htu).toBe(`${front.url}${later[2]?.path}`);
  });

  it('signs with a given key pair, which need not be extractable', async () => {
    const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
    const algorithms = [
      ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
      ['EdDSA', { name: 'Ed25519' }],
      ['RS256', { name: 'RSASSA-PKCS1-v1_5', ...rsa }],
      ['PS256', { name: 'RSA-PSS', ...rsa }],
    ] as const;
    const failures = await findFailures(algorithms, async (alg, algorithm) => {
      const pair = await subtle.generateKey(algorithm, false, ['sign', 'verify']);
      const dpop = pair as Exclude<DpopOption, true>;
      const { accounts, accessToken } = overHttp({ credentials: customer, dpop });
      expect((await accounts.listAccounts({})).accounts).toHaveLength(2);
      const proof = String(front.requests.at(-1)?.headers.dpop);
      expect(decodeProtectedHeader(proof)).toMatchObject({ alg, typ: 'dpop+jwt' });
      // Another client with the same key can use the token.
      const token = await accessToken();
      const other = overHttp({ credentials: { token: () => token }, dpop });
      expect((await other.accounts.listAccounts({})).accounts).toHaveLength(2);
    });
    expect(failures).toEqual([]);
  });

  it('makes headers for another service, which verifies them', async () => {
    const { accessHeaders } = overHttp({ credentials: service });
    const url = 'https://payments.example/payments?page=2';
    const { authorization = '', dpop } = await accessHeaders({ method: 'GET', url });
    const verifier = createVerifier({ issuer: front.url });
    const request = { authorization, dpop, method: 'GET', url };
    const claims = await verifier.verifyRequest(request);
    expect(claims.cnf?.jkt).toEqual(expect.any(String));
    await expect(verifier.verifyRequest(request)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    const plain = createClient({ baseUrl: front.url, credentials: service });
    const headers = await plain.accessHeaders({ method: 'GET', url });
    expect(headers).toEqual({ authorization: expect.stringMatching(/^Bearer /) });
  });

  it('refuses options that cannot work', async () => {
    const weak = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, false, ['sign']);
    const workspaceKey = { apiKey: 'lk_wk_secret' };
    const failures = await findFailures(
      [
        ['a curve without an algorithm', { dpop: weak }, /^dpop must be true, or a CryptoKeyPair/],
        ['a text', { dpop: 'secret' }, /^dpop must be true/],
        ['a public JWK', { dpop: { kty: 'OKP', crv: 'Ed25519', x: '' } }, /^dpop must be true/],
        ['the key of a workspace', { credentials: workspaceKey }, /^dpop must be unset/],
        ['tokens for another key', { credentials: { token: () => '' } }, /^dpop must be the key/],
      ] as const,
      (_name, given, message) => {
        const options = { credentials: customer, ...given } as Options;
        expect(() => overHttp(options)).toThrow(message);
        expect(() => overGrpc(options)).toThrow(message);
      },
    );
    expect(failures).toEqual([]);
    const grpcUrl = 'http://127.0.0.1:1';
    expect(() => createGrpcClient({ grpcUrl, credentials: customer, dpop: true })).toThrow(
      'publicUrl is not set. It must be a URL such as https://latchkey.example.com.',
    );
  });
});
