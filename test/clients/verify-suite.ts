// The package @latchkey/verify, as it is installed, with tokens of a real server.
import { createHash, createHmac, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type * as ExpressGuard from '../../clients/verify/src/express.ts';
import type * as Main from '../../clients/verify/src/index.ts';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { createAuthority, type KeyPair } from '../support/certificates.ts';
import { type Front, startFront } from '../support/front.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import type { PackedClients } from '../support/packed-clients.ts';
import { itHoldsFor } from '../support/rule.ts';
import { signToken } from '../support/signed-tokens.ts';
import { keyManager, signingKeyOf } from '../support/signing-keys.ts';
import { openTransports, type Transport } from '../support/transports.ts';
import { accountId, type GuardedServer, guardedServers } from './guarded-servers.ts';

const jwksPath = '/.well-known/jwks.json';
const invalid = 'Bearer error="invalid_token"';
const insufficient = 'Bearer error="insufficient_scope", scope="accounts:read"';

const certificateDigest = ({ certificate }: KeyPair) =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url');

export function describeVerify(installed: () => PackedClients): void {
  let main: typeof Main;
  let testApp: TestApp;
  let front: Front;
  let transport: Transport;
  /** Milliseconds by which the clock of the verifiers is ahead. */
  let ahead = 0;
  beforeAll(async () => {
    main = await installed().load('@latchkey/verify');
    testApp = await startTestApp();
    front = await startFront(testApp.app.publicUrl);
    const [first] = openTransports(testApp.app);
    if (first === undefined) throw new Error('there are no transports');
    transport = first;
  });
  afterAll(async () => {
    front?.close();
    await testApp?.remove();
  });

  const newVerifier = (options: Partial<Main.VerifierOptions> = {}) =>
    main.createVerifier({
      issuer: testApp.app.publicUrl,
      jwksUrl: front.url + jwksPath,
      now: () => Date.now() + ahead,
      ...options,
    });
  const serviceToken = (lifetimeSeconds = 300) =>
    signToken(testApp.app, { type: 'service', scope: 'accounts:read', lifetimeSeconds });
  const bearer = async (token: string | Promise<string>) => `Bearer ${await token}`;
  const unauthenticated = expect.objectContaining({ name: 'VerifyError', code: 'unauthenticated' });

  describe('@latchkey/verify for each framework', () => {
    const frameworks = Object.entries(guardedServers);
    const itHolds = itHoldsFor(frameworks, 4);
    const servers = new Map<string, GuardedServer>();
    const serverFor = (name: string) => servers.get(name) ?? expect.unreachable(name);
    beforeAll(async () => {
      for (const [name, start] of frameworks)
        servers.set(name, await start(installed(), newVerifier()));
    });
    afterAll(() => Promise.all([...servers.values()].map((server) => server.close())));

    itHolds('accepts public calls and valid tokens, and passes on the claims', async (name) => {
      const server = serverFor(name);
      expect(await server.call('open')).toMatchObject({ status: 200 });
      const token = await serviceToken();
      const { sub } = decodeJwt(token);
      expect(await server.call('read', `Bearer ${token}`)).toMatchObject({ status: 200, sub });
      expect(await server.call('account', `Bearer ${token}`)).toMatchObject({ status: 200, sub });
    });

    itHolds('refuses missing and invalid tokens with constant challenges', async (name) => {
      const server = serverFor(name);
      const refused = { status: 401, sub: '' };
      for (const header of [undefined, 'Basic eDp5']) {
        expect(await server.call('read', header)).toEqual({
          ...refused,
          challenge: 'Bearer realm="latchkey"',
        });
      }
      const expired = signToken(testApp.app, {
        type: 'service',
        scope: 'accounts:read',
        lifetimeSeconds: 0,
      });
      for (const header of ['Bearer x.y.z', 'Bearer a, Bearer b', await bearer(expired)]) {
        expect(await server.call('read', header)).toEqual({ ...refused, challenge: invalid });
      }
    });

    itHolds(
      'refuses a missing scope, another account, and a method without a rule',
      async (name) => {
        const server = serverFor(name);
        const other = bearer(signToken(testApp.app, { type: 'service', scope: 'payments:read' }));
        expect(await server.call('read', await other)).toEqual({
          status: 403,
          challenge: insufficient,
          sub: '',
        });
        const customerOf = (account: string) =>
          bearer(
            signToken(testApp.app, {
              type: 'customer',
              scope: 'accounts:read',
              accounts: [account],
            }),
          );
        expect(await server.call('account', await customerOf(accountId))).toMatchObject({
          status: 200,
        });
        expect(await server.call('account', await customerOf('acc_other'))).toMatchObject({
          status: 403,
        });
        const valid = await bearer(serviceToken());
        expect(await server.call('forgotten', valid)).toMatchObject({ status: 403 });
      },
    );

    itHolds(
      'accepts a token that is bound to a certificate only over its connection',
      async (name, start) => {
        const server = serverFor(name);
        const authority = createAuthority('Workloads');
        const overTls = await start(installed(), newVerifier(), authority);
        onTestFinished(overTls.close);
        const own = authority.issue({ uri: ['spiffe://example.org/own'] });
        const cnf = { 'x5t#S256': certificateDigest(own) };
        const token = signToken(testApp.app, { type: 'service', scope: 'accounts:read', cnf });
        const statusOf = async (pair?: KeyPair, authorization = bearer(token)) =>
          (await overTls.call('read', await authorization, pair)).status;
        expect(await statusOf(own)).toBe(200);
        const renewed = authority.issue({ uri: ['spiffe://example.org/own'] });
        expect(await statusOf(renewed)).toBe(401);
        expect(await statusOf(authority.issue({ uri: ['spiffe://example.org/other'] }))).toBe(401);
        // A server of grpc-js refuses the connection itself.
        expect(await statusOf()).toBe(name === 'grpc-js' ? 503 : 401);
        expect((await server.call('read', await bearer(token))).status).toBe(401);
        expect(await statusOf(own, Promise.resolve(`DPoP ${await token}`))).toBe(401);
        expect(await statusOf(renewed, bearer(serviceToken()))).toBe(200);
      },
    );
  });

  describe('@latchkey/verify', () => {
    it('refuses a wrong audience, a wrong issuer, and tokens of unknown signers', async () => {
      const token = await serviceToken();
      const elsewhere = 'https://elsewhere.example.com';
      for (const options of [{ audience: elsewhere }, { issuer: elsewhere }]) {
        await expect(newVerifier(options).verify(token)).rejects.toEqual(unauthenticated);
      }
      const [, payload = ''] = token.split('.');
      const { kid } = decodeProtectedHeader(token);
      const { privateKey } = generateKeyPairSync('ed25519');
      const forge = (header: object, signer: (text: string) => Buffer) => {
        const head = Buffer.from(JSON.stringify({ typ: 'at+jwt', kid, ...header }));
        const text = `${head.toString('base64url')}.${payload}`;
        return `${text}.${signer(text).toString('base64url')}`;
      };
      const ed25519 = (text: string) => sign(null, Buffer.from(text), privateKey);
      const hmac = (text: string) => createHmac('sha256', 'x').update(text).digest();
      const jwk = { ...privateKey.export({ format: 'jwk' }), d: undefined };
      for (const forged of [
        forge({ alg: 'EdDSA' }, ed25519),
        forge({ alg: 'EdDSA', jwk }, ed25519),
        forge({ alg: 'HS256' }, hmac),
        forge({ alg: 'none' }, () => Buffer.from('')),
        forge({ alg: 'EdDSA', typ: 'JWT' }, ed25519),
      ]) {
        await expect(newVerifier().verify(forged)).rejects.toEqual(unauthenticated);
      }
    });

    it('fetches the keys once for a flood of unknown keys, and again after a minute', async () => {
      const verifier = newVerifier();
      await verifier.verify(await serviceToken());
      const before = front.countOf(jwksPath);
      const head = (kid: number) =>
        Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'at+jwt', kid: `k${kid}` }));
      // A text without the form of a token causes no fetch.
      const signature = Buffer.alloc(64).toString('base64url');
      const flood = () =>
        Promise.allSettled(
          Array.from({ length: 200 }, (_, kid) =>
            verifier.verify(`${head(kid).toString('base64url')}.e30.${signature}`),
          ),
        );
      await flood();
      await flood();
      expect(front.countOf(jwksPath) - before).toBe(1);
      ahead += 61_000;
      await flood();
      expect(front.countOf(jwksPath) - before).toBe(2);
      ahead = 0;
    });

    it('verifies with a new key at once, and with a revoked key until the max-age', async () => {
      const verifier = newVerifier();
      const keys = keyManager(
        () => testApp.app,
        () => transport,
      );
      const old = await serviceToken(3600);
      await verifier.verify(old);
      const oldKid = (await keys.active()).kid;
      const { kid } = await keys.create();
      signingKeyOf(await keys.activate(kid, true));
      const fresh = await serviceToken(3600);
      expect(decodeProtectedHeader(fresh).kid).toBe(kid);
      await verifier.verify(fresh);
      await verifier.verify(old);
      signingKeyOf(await keys.revoke(oldKid));
      ahead = 301_000;
      await expect(verifier.verify(old)).rejects.toEqual(unauthenticated);
      await verifier.verify(fresh);
      ahead = 0;
    });

    it('uses the old keys for a while if the keys cannot be fetched', async () => {
      const verifier = newVerifier({ staleSeconds: 600 });
      const token = await serviceToken(3600);
      const away = { status: 503 };
      front.answer(jwksPath, away);
      const unavailable = expect.objectContaining({ code: 'unavailable' });
      await expect(verifier.verify(token)).rejects.toEqual(unavailable);
      ahead = 3_000;
      await verifier.verify(token);
      front.answer(jwksPath, away, away);
      ahead = 310_000;
      await verifier.verify(token);
      ahead = 910_000;
      await expect(verifier.verify(token)).rejects.toEqual(unavailable);
      ahead = 0;
    });

    it('does not see that a client was disabled, as the server does', async () => {
      const token = await serviceToken();
      const { sub = '' } = decodeJwt(token);
      const scope = 'accounts:read clients:write tokens:read';
      const authorization = await bearer(signToken(testApp.app, { type: 'service', scope }));
      const { disableClient } = ClientService.method;
      const disabled = await transport.call(disableClient, { clientId: sub }, { authorization });
      expect(disabled.ok).toBe(true);
      await newVerifier().verify(token);
      const { verifyToken } = VerificationService.method;
      const answer = await transport.call(verifyToken, { token }, { authorization });
      expect(answer).toMatchObject({ ok: true, message: { active: false } });
    });

    it('refuses a key set without TLS on another machine, and malformed scopes', async () => {
      const guard = await installed().load<typeof ExpressGuard>('@latchkey/verify/express');
      const rule = { scope: 'Accounts:read' };
      expect(() => guard.requireToken(newVerifier(), rule)).toThrow(TypeError);
      const issuer = 'http://latchkey.internal';
      expect(() => main.createVerifier({ issuer })).toThrow(TypeError);
      expect(() => main.createVerifier({ issuer, allowInsecureHttp: true })).not.toThrow();
      expect(() => newVerifier({ clockToleranceSeconds: 3600 })).toThrow(TypeError);
    });
  });
}
