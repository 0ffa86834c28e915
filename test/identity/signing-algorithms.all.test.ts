// Audiences choose the algorithm of their tokens. Each algorithm has its own keys.
import { randomBytes } from 'node:crypto';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { AudienceService } from '../../gen/latchkey/identity/v1/audience_pb.js';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import {
  SigningKeyService,
  SigningKeyState,
} from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { createAudienceKeys } from '../../src/identity/keys/audience-keys.ts';
import { revokeKey } from '../../src/identity/keys/state-changes.ts';
import { findPublishedKeys } from '../../src/identity/keys/store.ts';
import { transact } from '../../src/storage/database.ts';
import type { SigningAlgorithm } from '../../src/storage/schema/schema.ts';
import { describeApp } from '../support/app-suite.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { callForm } from '../support/json-calls.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import {
  addSigningAudience,
  algorithms,
  forceFirstKey,
  keyManagerCredential,
  keysOf,
} from '../support/signing-audiences.ts';

const { createAudience, updateAudience, deleteAudience } = AudienceService.method;
const { createSigningKey, activateSigningKey, revokeSigningKey } = SigningKeyService.method;
const { verifyToken } = VerificationService.method;
const { introspect } = OAuthService.method;
const { PENDING, ACTIVE, RETIRED, REVOKED } = SigningKeyState;

const algOf = (token: string) => decodeProtectedHeader(token).alg;

describeApp('the algorithm of an audience', (suite) => {
  describeOneTransport(suite, (name) => {
    it('signs its tokens, which third parties and this service accept', async () => {
      const transport = suite.transport(name);
      const { app } = suite;
      const url = new URL(`${app.publicUrl}/.well-known/jwks.json`);
      // The keys were not published before they signed.
      const jwks = createRemoteJWKSet(url, { cooldownDuration: 0 });
      for (const alg of algorithms) {
        const audience = await addSigningAudience(app, transport, alg);
        const token = await audience.issue();
        const { identifier, clientId, clientSecret } = audience;
        const options = { issuer: app.publicUrl, audience: identifier, typ: 'at+jwt' };
        const { protectedHeader } = await jwtVerify(token, jwks, { ...options, algorithms: [alg] });
        expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ']);
        for (const other of algorithms.filter((one) => one !== alg)) {
          const verified = jwtVerify(token, jwks, { ...options, algorithms: [other] });
          await expect(verified).rejects.toThrow();
        }
        const asked = { token, expectedAudience: identifier, scope: 'payments:read' };
        const credential = await keyManagerCredential(app);
        const answer = messageOf(await transport.call(verifyToken, asked, credential));
        expect(answer).toMatchObject({ active: true, allowed: true, aud: identifier });
        const introspected = await transport.call(introspect, { token, clientId, clientSecret });
        expect(messageOf(introspected)).toMatchObject({ active: true, aud: identifier });
      }
    });

    it('is EdDSA by default, and one of three', async () => {
      const transport = suite.transport(name);
      const credential = await keyManagerCredential(suite.app);
      const create = (signingAlg: string) => {
        const identifier = `urn:test:${name}:${signingAlg}`;
        const request = { identifier, name: 'Test', signingAlg };
        return transport.call(createAudience, request, credential);
      };
      expect(messageOf(await create(''))).toMatchObject({ audience: { signingAlg: 'EdDSA' } });
      for (const alg of ['none', 'HS256', 'PS256', 'ES384', 'es256', 'Ed25519']) {
        expect(await create(alg)).toMatchObject({ error: { fields: ['signing_alg'] } });
        const key = await transport.call(createSigningKey, { alg }, credential);
        expect(key).toMatchObject({ error: { fields: ['alg'] } });
      }
    });
  });
});

describeApp('the first key of an algorithm', (suite) => {
  beforeAll(() => {
    suite.clock.frozen = Math.ceil(Date.now() / 1000) * 1000;
  });

  describeOneTransport(suite, (name) => {
    it('is published before it signs, and its audiences wait for it', async () => {
      const transport = suite.transport(name);
      const { app, clock } = suite;
      const add = () => addSigningAudience(app, transport, 'RS256', { isPending: true });
      const [first, ...others] = await Promise.all([add(), add(), add()]);
      if (first === undefined) throw new Error('there is no audience');
      const keys = await keysOf(app, transport, 'RS256');
      expect(keys).toMatchObject([{ state: PENDING }]);
      const jwks = await (await fetch(`${app.publicUrl}/.well-known/jwks.json`)).json();
      expect(jwks).toMatchObject({ keys: [{ kid: keys[0]?.kid, kty: 'RSA' }, { kty: 'OKP' }] });
      const refused = { ok: false, error: { code: 'unavailable' } };

      clock.frozen = (clock.frozen ?? 0) + 1_000;
      await expect.poll(first.ask).toMatchObject(refused);
      const { clientId, clientSecret } = first;
      const form = { grant_type: 'client_credentials', scope: 'payments:read' };
      const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
      const answer = await callForm(app, '/tokens', form, { authorization });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '300']);
      expect(answer.body).toMatchObject({
        detail: 'The first signing key of the audience signs in 300 s.',
      });

      clock.frozen += 299_999;
      await app.inside.rotation.tick();
      expect(await first.ask()).toMatchObject(refused);
      clock.frozen += 1;
      await app.inside.rotation.tick();
      for (const { issue } of [first, ...others]) expect(algOf(await issue())).toBe('RS256');
    });

    it('is replaced at once if it signs, and later if it does not', async () => {
      const transport = suite.transport(name);
      const { app } = suite;
      const credential = await keyManagerCredential(app);
      const revoke = async (kid = '') =>
        messageOf(await transport.call(revokeSigningKey, { kid }, credential));
      const states = async () =>
        (await keysOf(app, transport, 'ES256')).map(({ state }) => state).sort();
      const audience = await addSigningAudience(app, transport, 'ES256', { isPending: true });
      await revoke((await keysOf(app, transport, 'ES256'))[0]?.kid);
      expect(await states()).toEqual([PENDING, REVOKED]);
      await forceFirstKey(app, transport, 'ES256');
      const token = await audience.issue();
      await revoke(decodeProtectedHeader(token).kid);
      expect(await states()).toEqual([ACTIVE, REVOKED, REVOKED]);
      expect(algOf(await audience.issue())).toBe('ES256');
      const asked = { token, expectedAudience: audience.identifier };
      expect(messageOf(await transport.call(verifyToken, asked, credential)).active).toBe(false);
    });

    it('has no successor if no audience has the algorithm', async () => {
      const transport = suite.transport(name);
      const { app } = suite;
      const credential = await keyManagerCredential(app);
      const { db } = app.inside;
      await changeAsOtherProcess(db, (trx) =>
        trx.updateTable('clients').set({ audience_ids: null }).execute(),
      );
      for (const { id } of await db.selectFrom('audiences').select('id').execute()) {
        messageOf(await transport.call(deleteAudience, { audienceId: id }, credential));
      }
      for (const alg of ['ES256', 'RS256'] as const) {
        for (const { kid, state } of await keysOf(app, transport, alg)) {
          if (state === REVOKED) continue;
          messageOf(await transport.call(revokeSigningKey, { kid }, credential));
        }
      }
      const { keys } = (await (await fetch(`${app.publicUrl}/.well-known/jwks.json`)).json()) as {
        keys: { kty: string }[];
      };
      expect(keys.map(({ kty }) => kty)).toEqual(['OKP']);
    });
  });
});

describeApp('the keys of an algorithm', (suite) => {
  describeOneTransport(suite, (name) => {
    it('rotate without an effect on the keys of the others', async () => {
      const transport = suite.transport(name);
      const { app } = suite;
      const credential = await keyManagerCredential(app);
      const audiences = await Promise.all(
        algorithms.map((alg) => addSigningAudience(app, transport, alg)),
      );
      const kids = async () =>
        Promise.all(audiences.map(async ({ issue }) => decodeProtectedHeader(await issue()).kid));
      const before = await kids();
      for (const [at, alg] of algorithms.entries()) {
        const old = await kids();
        const created = await transport.call(createSigningKey, { alg }, credential);
        const { kid = '' } = messageOf(created).signingKey ?? {};
        const forced = { kid, force: true };
        messageOf(await transport.call(activateSigningKey, forced, credential));
        expect(await kids()).toEqual(old.with(at, kid));
        const retired = (await keysOf(app, transport, alg)).filter(
          ({ state }) => state === RETIRED,
        );
        expect(retired.map((key) => key.kid)).toEqual([before[at]]);
      }
    });

    it('are needed before an audience changes to the algorithm', async () => {
      const transport = suite.transport(name);
      const { app } = suite;
      const credential = await keyManagerCredential(app);
      const audience = await addSigningAudience(app, transport, 'EdDSA');
      const change = async (signingAlg: SigningAlgorithm) => {
        const request = { audienceId: audience.id, signingAlg };
        return codeOf(await transport.call(updateAudience, request, credential));
      };
      const isActive = async (token: string) => {
        const asked = { token, expectedAudience: audience.identifier };
        return messageOf(await transport.call(verifyToken, asked, credential)).active;
      };
      const { db } = app.inside;
      await changeAsOtherProcess(db, (trx) =>
        trx
          .updateTable('signing_keys')
          .set({ state: 'pending' })
          .where('alg', '=', 'RS256')
          .where('state', '=', 'active')
          .execute(),
      );
      expect(await change('RS256')).toBe('conflict');
      expect(algOf(await audience.issue())).toBe('EdDSA');
      const old = await audience.issue();
      await forceFirstKey(app, transport, 'RS256');
      expect(await change('RS256')).toBe('ok');
      const token = await audience.issue();
      expect([algOf(old), algOf(token)]).toEqual(['EdDSA', 'RS256']);
      expect([await isActive(old), await isActive(token)]).toEqual([true, true]);
      const cleared = { audienceId: audience.id, updateMask: { paths: ['signing_alg'] } };
      messageOf(await transport.call(updateAudience, cleared, credential));
      expect(algOf(await audience.issue())).toBe('EdDSA');
    });
  });
});

it('an algorithm gets a key if its last one is revoked while an audience is created', async () => {
  const db = await openUntilFinished(await freshDatabaseUrl('sqlite'));
  const masterKey = createMasterKey(randomBytes(32));
  const keys = createAudienceKeys({ masterKey, now: Date.now });
  const create = (work: Awaited<ReturnType<typeof keys.prepare>>) =>
    transact(db, (trx) => work(trx, () => {}));
  await create(await keys.prepare('ES256'));
  const late = await keys.prepare('ES256');
  const [only] = await findPublishedKeys(db);
  await transact(db, async (trx) => void (await revokeKey(trx, only?.kid ?? '', Date.now())));
  await create(late);
  expect(await findPublishedKeys(db)).toMatchObject([{ alg: 'ES256', state: 'pending' }]);
});
