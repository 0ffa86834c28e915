// Public keys of clients, and the assertions that replace a secret (RFC 7523).
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { base64url } from 'jose';
import * as openid from 'openid-client';
import { beforeAll, expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { describeApp, describeAppOnSqlite, type Suite } from '../support/app-suite.ts';
import {
  addClientKey,
  jwkOf,
  type KeyPair,
  keyPairs,
  makePublicJwk,
  signAssertion,
} from '../support/client-keys.ts';
import { describeTransports } from '../support/matrix.ts';
import { addClient, changeAsOtherProcess } from '../support/owner-rows.ts';
import { signToken } from '../support/signed-tokens.ts';
import type { Transport } from '../support/transports.ts';

const { createClientKey, listClientKeys, revokeClientKey } = ClientService.method;
const { issueToken } = IssuanceService.method;

const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const scope = 'payments:read';

async function clientWithKey(suite: Suite, pair: KeyPair = keyPairs.EdDSA(), change = {}) {
  const { db } = suite.app.inside;
  const { ownerId: id } = await addClient(db, scope);
  const keyId = await addClientKey(db, id, jwkOf(pair), change);
  return { id, keyId, ...pair };
}

/** A transport whose calls have the token. */
const callingAs = (transport: Transport, token: string): Pick<Transport, 'call'> => ({
  call: (method, request) => transport.call(method, request, { authorization: `Bearer ${token}` }),
});

type Problem = {
  readonly code: string;
  readonly detail: string;
  readonly error?: string;
  readonly request_id: string;
  readonly errors?: readonly { readonly field: string }[];
};

const issue = (transport: Transport, clientAssertion: string, more = {}) =>
  transport.call(issueToken, { scope, clientAssertionType, clientAssertion, ...more });

describeApp('the public keys of a client', (suite) => {
  describeTransports(suite, (name) => {
    it('are added, listed and revoked', async () => {
      const { db } = suite.app.inside;
      const { ownerId: clientId } = await addClient(db, scope);
      const token = await signToken(suite.app, {
        ...{ type: 'service', scope: 'clients:write clients:read' },
      });
      const transport = callingAs(suite.transport(name), token);
      const jwk = { ...makePublicJwk(), kid: 'first', use: 'sig', keyOps: ['verify'], ext: true };
      const created = await transport.call(createClientKey, { clientId, jwk, name: 'ci' });
      expect(created).toMatchObject({ ok: true });
      if (!created.ok) return;
      const { kty, crv, x } = jwk as { kty: string; crv?: string; x?: string };
      expect(created.message.key).toMatchObject({ clientId, name: 'ci', jwk: { kty, crv, x } });
      expect(created.message.key?.jwk?.use).toBeUndefined();
      const again = await transport.call(createClientKey, { clientId, jwk });
      expect(again).toMatchObject({ ok: false, error: { code: 'conflict' } });
      const keyId = created.message.key?.id ?? '';
      expect(await transport.call(revokeClientKey, { clientId, keyId })).toMatchObject({
        ok: true,
      });
      const listed = await transport.call(listClientKeys, { clientId });
      expect(listed).toMatchObject({ ok: true, message: { totalSize: 1 } });
      // A revoked key can be added again.
      expect(await transport.call(createClientKey, { clientId, jwk })).toMatchObject({ ok: true });
      const unknown = { clientId, keyId: `${keyId}x` };
      const missing = await transport.call(revokeClientKey, unknown);
      expect(missing).toMatchObject({ ok: false, error: { code: 'not_found' } });
    });

    it('sign assertions that replace the secret, each one once', async () => {
      const transport = suite.transport(name);
      for (const [alg, makePair] of Object.entries(keyPairs)) {
        const { id, privateKey } = await clientWithKey(suite, makePair());
        for (const audience of [suite.app.publicUrl, `${suite.app.publicUrl}/tokens`]) {
          const assertion = await signAssertion(privateKey, id, audience, { alg });
          expect(await issue(transport, assertion), alg).toMatchObject({ ok: true });
          const replayed = await issue(transport, assertion);
          expect(replayed, alg).toMatchObject({
            error: { code: 'identity.credential_invalid' },
          });
        }
      }
    });
  });

  it('stop working within a second after another process revokes one', async () => {
    const transport = suite.transport('grpc');
    const { id, keyId, privateKey } = await clientWithKey(suite);
    const attempt = async () =>
      issue(transport, await signAssertion(privateKey, id, suite.app.publicUrl));
    expect(await attempt()).toMatchObject({ ok: true });
    await changeAsOtherProcess(suite.app.inside.db, (trx) =>
      trx
        .updateTable('client_keys')
        .set({ revoke_time: Date.now() })
        .where('id', '=', keyId)
        .execute(),
    );
    await expect.poll(attempt, { timeout: 2_000 }).toMatchObject({ ok: false });
  });

  it('are at most 10 live ones', async () => {
    const { db } = suite.app.inside;
    const { ownerId: clientId } = await addClient(db, scope);
    for (let count = 0; count < 9; count++) await addClientKey(db, clientId, makePublicJwk());
    await addClientKey(db, clientId, makePublicJwk(), { expire_time: 1 });
    const token = await signToken(suite.app, { type: 'service', scope: 'clients:write' });
    const transport = callingAs(suite.transport('grpc'), token);
    const answers = await Promise.all(
      [1, 2, 3].map(() => transport.call(createClientKey, { clientId, jwk: makePublicJwk() })),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });
});

describeAppOnSqlite('a client key', (suite) => {
  it('is refused, with the name of the member, unless it is a public key', async () => {
    const { ownerId: clientId } = await addClient(suite.app.inside.db, scope);
    const token = await signToken(suite.app, { type: 'service', scope: 'clients:write' });
    const ed25519 = makePublicJwk();
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const weak = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const cases: [jwk: object, field: string][] = [
      [{ kty: 'oct', k: 'AAAA' }, 'jwk.k'],
      [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), 'jwk.d'],
      [keyPairs.RS256().privateKey.export({ format: 'jwk' }), 'jwk.d'],
      [{ kty: 'oct' }, 'jwk.kty'],
      [{ kty: 'constructor' }, 'jwk.kty'],
      [{ ...ed25519, crv: 'X25519' }, 'jwk.crv'],
      [{ ...ed25519, x: 'AAAA' }, 'jwk'],
      [{ ...ed25519, x: `${'A'.repeat(42)}B` }, 'jwk'],
      [{ kty: 'OKP', crv: 'Ed25519' }, 'jwk.x'],
      [{ ...ed25519, alg: 'RS256' }, 'jwk.alg'],
      [{ ...ed25519, kid: 'k'.repeat(129) }, 'jwk.kid'],
      [jwkOf(p384), 'jwk.crv'],
      [{ ...jwkOf(keyPairs.ES256()), y: jwkOf(keyPairs.ES256()).y }, 'jwk'],
      [jwkOf(short), 'jwk.n'],
      [jwkOf(weak), 'jwk.e'],
      [{ ...jwkOf(keyPairs.RS256()), x5u: 'https://example.com' }, 'jwk.x5u'],
    ];
    const failures: unknown[] = [];
    for (const [jwk, field] of cases) {
      const response = await fetch(`${suite.app.publicUrl}/clients/${clientId}/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jwk }),
      });
      const { code, detail, errors = [] } = (await response.json()) as Problem;
      const named = errors[0]?.field ?? detail;
      if (code !== 'invalid_argument' || !String(named).includes(field)) {
        failures.push([jwk, field, code, named]);
      }
    }
    expect(failures).toEqual([]);
    expect(cases).toHaveLength(16);
  });
});

describeAppOnSqlite('an assertion', (suite) => {
  let client: Awaited<ReturnType<typeof clientWithKey>>;
  beforeAll(async () => {
    client = await clientWithKey(suite);
  });

  it('is refused alike if anything about it is wrong', async () => {
    const { id, privateKey, publicKey } = client;
    const { publicUrl } = suite.app;
    const now = Math.floor(Date.now() / 1000);
    const signed = (options = {}, key = privateKey) => signAssertion(key, id, publicUrl, options);
    const claims = (changed: object) => signed({ claims: changed });
    const other = await clientWithKey(suite);
    const disabled = await clientWithKey(suite);
    await changeAsOtherProcess(suite.app.inside.db, (trx) =>
      trx.updateTable('clients').set({ disable_time: 1 }).where('id', '=', disabled.id).execute(),
    );
    const rsa = await clientWithKey(suite, keyPairs.RS256(), {
      jwk: JSON.stringify({ ...jwkOf(keyPairs.RS256()), alg: 'PS256' }),
    });
    const expired = await clientWithKey(suite, keyPairs.EdDSA(), { expire_time: 1 });
    const revoked = await clientWithKey(suite, keyPairs.EdDSA(), { revoke_time: 1 });
    const ofClient = (of: typeof client, options = {}) =>
      signAssertion(of.privateKey, of.id, publicUrl, options);
    const parts = (await signed()).split('.');
    const unsigned = `${base64url.encode('{"alg":"none"}')}.${parts[1]}.`;
    const hmacHead = `${base64url.encode('{"alg":"HS256"}')}.${parts[1]}`;
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const hmac = createHmac('sha256', pem).update(hmacHead).digest('base64url');
    const cases: readonly [name: string, assertion: string][] = [
      ['another key', await signed({}, keyPairs.EdDSA().privateKey)],
      ['the key of another client', await signed({}, other.privateKey)],
      ['no signature', unsigned],
      ['alg none in upper case', unsigned.replace('none', 'NONE')],
      ['HMAC with the public key', `${hmacHead}.${hmac}`],
      ['a changed payload', `${parts[0]}.${base64url.encode('{}')}.${parts[2]}`],
      ['a cut signature', `${parts[0]}.${parts[1]}.${parts[2]?.slice(0, -4)}`],
      ['no JWT', 'x'],
      ['five parts', `${parts.join('.')}.x.y`],
      ['an unknown kid', await signed({ header: { kid: 'unknown' } })],
      ['a key in the header', await signed({ header: { jwk: makePublicJwk(), kid: 'x' } })],
      ['a critical header', await signed({ header: { crit: ['exp'], exp: 1 } }).catch(() => 'x')],
      ['another issuer', await claims({ iss: other.id })],
      ['another subject', await claims({ sub: other.id })],
      ['an unknown client', await claims({ iss: 'cli_unknown', sub: 'cli_unknown' })],
      ['another audience', await claims({ aud: 'https://example.com' })],
      ['the audience with a slash', await claims({ aud: `${publicUrl}/` })],
      ['no audience', await claims({ aud: undefined })],
      ['audiences of others', await claims({ aud: ['https://example.com'] })],
      ['an expiry in the past', await claims({ exp: now - 1 })],
      ['no expiry', await claims({ exp: undefined })],
      ['a long life', await claims({ exp: now + 400 })],
      ['a start in the future', await claims({ nbf: now + 120 })],
      ['an issue in the future', await claims({ iat: now + 120 })],
      ['no jti', await claims({ jti: undefined })],
      ['an empty jti', await claims({ jti: '' })],
      ['a long jti', await claims({ jti: 'j'.repeat(257) })],
      ['a jti that is a number', await claims({ jti: 7 as unknown as string })],
      ['a disabled client', await ofClient(disabled)],
      ['an expired key', await ofClient(expired)],
      ['a revoked key', await ofClient(revoked)],
      ['an algorithm that the key does not allow', await ofClient(rsa, { alg: 'RS256' })],
    ];
    const failures: unknown[] = [];
    const bodies = new Set<string>();
    for (const [name, assertion] of cases) {
      const response = await fetch(`${publicUrl}/tokens`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'client_credentials', scope, client_assertion: assertion },
          client_assertion_type: clientAssertionType,
        }),
      });
      const { request_id: _, ...body } = (await response.json()) as Problem;
      bodies.add(JSON.stringify(body));
      if (response.status !== 401 || body.error !== 'invalid_client') failures.push([name, body]);
    }
    expect(failures).toEqual([]);
    expect(bodies.size).toBe(1);
    expect(cases).toHaveLength(32);
  });

  it('is not accepted together with another authentication', async () => {
    const { id, privateKey } = client;
    const transport = suite.transport('grpc');
    const sign = () => signAssertion(privateKey, id, suite.app.publicUrl);
    const fields: [more: object, code: string][] = [
      [{ clientSecret: 'lk_cs_x' }, 'invalid_argument'],
      [
        { clientAssertionType: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
        'invalid_argument',
      ],
      [{ clientAssertionType: '' }, 'invalid_argument'],
      [{ clientAssertion: '' }, 'invalid_argument'],
      [{ clientId: 'cli_0123456789012345678901' }, 'identity.credential_invalid'],
    ];
    for (const [more, code] of fields) {
      const answer = await issue(transport, await sign(), more);
      expect(answer, JSON.stringify(more)).toMatchObject({ ok: false, error: { code } });
    }
    const basic = await fetch(`${suite.app.publicUrl}/tokens`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${id}:secret`)}` },
      body: new URLSearchParams({
        ...{ grant_type: 'client_credentials', scope, client_assertion: await sign() },
        client_assertion_type: clientAssertionType,
      }),
    });
    expect(basic.status).toBe(400);
  });

  it('authenticates at introspection and revocation, too', async () => {
    const { id, privateKey } = client;
    const transport = suite.transport('connect');
    const token = await signToken(suite.app, { type: 'service', scope, sub: id });
    const presented = async () => ({
      ...{ token, clientAssertionType },
      clientAssertion: await signAssertion(privateKey, id, suite.app.publicUrl),
    });
    const { introspect, revoke } = OAuthService.method;
    const before = await transport.call(introspect, await presented());
    expect(before).toMatchObject({ ok: true, message: { active: true } });
    expect(await transport.call(revoke, await presented())).toMatchObject({ ok: true });
    const after = await transport.call(introspect, await presented());
    expect(after).toMatchObject({ ok: true, message: { active: false } });
  });

  it('of openid-client is accepted, as the metadata says', async () => {
    const { id, privateKey } = await clientWithKey(suite, keyPairs.ES256());
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const key = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
    const { publicUrl } = suite.app;
    const config = await openid.discovery(
      new URL(publicUrl),
      id,
      undefined,
      openid.PrivateKeyJwt(key),
      { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' },
    );
    const methods = config.serverMetadata().token_endpoint_auth_methods_supported;
    expect(methods).toContain('private_key_jwt');
    const granted = await openid.clientCredentialsGrant(config, { scope });
    expect(granted.scope).toBe(scope);
  });
});
