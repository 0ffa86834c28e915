// The assertions with which clients authenticate (RFC 7523).
import { createHmac } from 'node:crypto';
import { base64url } from 'jose';
import * as openid from 'openid-client';
import { beforeAll, expect, it } from 'vitest';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import {
  clientAssertionType,
  clientWithKey,
  issueFor,
  jwkOf,
  keyPairs,
  keyScope,
  makePublicJwk,
  signAssertion,
} from '../support/client-keys.ts';
import { requestToken } from '../support/federation.ts';
import { callForm } from '../support/json-calls.ts';
import { findLeaks } from '../support/log-leaks.ts';
import { updateRow } from '../support/owner-rows.ts';
import { signToken } from '../support/signed-tokens.ts';

const scope = keyScope;

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
    await updateRow(suite.app.inside.db, 'clients', disabled.id, { disable_time: 1 });
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
      ['an iss that cannot be a text', await claims({ iss: { toString: 1 } as never })],
      ['an iss and a sub in lists', await claims({ iss: [id] as never, sub: [id] as never })],
      ['a typ that cannot be a text', await signed({ header: { typ: { toString: 1 } } })],
      ['an aud that is an object', await claims({ aud: [publicUrl, {}] as never })],
      ['a disabled client', await ofClient(disabled)],
      ['an expired key', await ofClient(expired)],
      ['a revoked key', await ofClient(revoked)],
      ['an algorithm that the key does not allow', await ofClient(rsa, { alg: 'RS256' })],
    ];
    const failures: unknown[] = [];
    const bodies = new Set<string>();
    for (const [name, assertion] of cases) {
      const answer = await requestToken(publicUrl, '', assertion);
      const { request_id: _, ...body } = answer.body;
      bodies.add(JSON.stringify(body));
      if (answer.status !== 401 || body.error !== 'invalid_client') failures.push([name, body]);
    }
    expect(failures).toEqual([]);
    expect(bodies.size).toBe(1);
    expect(cases).toHaveLength(36);
    const sent = cases.map(([, assertion]) => assertion);
    expect(await findLeaks(suite.testApp, sent)).toEqual([]);
    expect(await suite.testApp.logText()).toContain('identity.credential_invalid');
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
      const answer = await issueFor(transport, await sign(), more);
      expect(answer, JSON.stringify(more)).toMatchObject({ ok: false, error: { code } });
    }
    const form = {
      ...{ grant_type: 'client_credentials', scope, client_assertion: await sign() },
      client_assertion_type: clientAssertionType,
    };
    const authorization = `Basic ${btoa(`${id}:secret`)}`;
    const basic = await callForm(suite.app, '/tokens', form, { authorization });
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

  it('of openid-client is accepted at every endpoint that the metadata names', async () => {
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
    const { access_token } = await openid.clientCredentialsGrant(config, { scope });
    const claims = await openid.tokenIntrospection(config, access_token);
    expect(claims).toMatchObject({ active: true, client_id: id, scope });
    await openid.tokenRevocation(config, access_token);
    expect(await openid.tokenIntrospection(config, access_token)).toEqual({ active: false });
  });
});
