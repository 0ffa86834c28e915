// Introspection (RFC 7662), revocation (RFC 7009) and discovery (RFC 8414, RFC 9728).
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { unknownCredential } from '../support/invalid-credentials.ts';
import { findLeaks } from '../support/log-leaks.ts';
import { codeOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { type Added, addClient } from '../support/owner-rows.ts';
import { signToken } from '../support/signed-tokens.ts';
import { transportNames } from '../support/transports.ts';

const { introspect, revoke } = OAuthService.method;

const presented = ({ ownerId, text }: Added) => ({ clientId: ownerId, clientSecret: text });

describeApp('OAuth', (suite) => {
  let caller: Added;
  beforeAll(async () => {
    caller = await addClient(suite.app.inside.db, 'payments:read');
  });
  const ownToken = (scope = 'payments:read') =>
    signToken(suite.app, { type: 'service', scope, sub: caller.ownerId });

  describeOneTransport(suite, (name) => {
    const ask = async (token: string, client = caller) => {
      const request = { token, ...presented(client) };
      const answer = await suite.transport(name).call(introspect, request);
      if (!answer.ok) throw new Error(answer.error.code);
      const { $typeName, $unknown, ...claims } = answer.message;
      return claims;
    };
    const drop = async (token: string, client = caller) => {
      return codeOf(await suite.transport(name).call(revoke, { token, ...presented(client) }));
    };

    it('a client introspects tokens of every kind of caller without a scope', async () => {
      const token = await ownToken();
      const { iat, exp, jti } = decodeJwt(token);
      expect(await ask(token)).toEqual({
        active: true,
        ...{ scope: 'payments:read', tokenType: 'Bearer', principalType: 'service', accounts: [] },
        ...{ clientId: caller.ownerId, sub: caller.ownerId, iat, exp, jti },
        ...{ aud: suite.app.publicUrl, iss: suite.app.publicUrl },
      });
      const accounts = ['acc_1'];
      const customer = { type: 'customer', scope: 'a:read', accounts } as const;
      const staff = { type: 'staff', scope: 'a:read', authTime: 1_700_000_000 } as const;
      expect(await ask(await signToken(suite.app, customer))).toMatchObject({ accounts });
      expect(await ask(await signToken(suite.app, staff))).toMatchObject({
        authTime: staff.authTime,
      });
    });

    it('a client revokes its own tokens', async () => {
      const token = await ownToken();
      expect(await drop(token)).toBe('ok');
      expect(await ask(token)).toMatchObject({ active: false });
      for (const text of [token, 'x', 'a.b.c']) expect(await drop(text)).toBe('ok');
    });

    it('a client revokes the tokens of others only with tokens:write', async () => {
      const token = await ownToken();
      const other = await addClient(suite.app.inside.db, 'tokens:read');
      const manager = await addClient(suite.app.inside.db, 'tokens:write');
      expect(await drop(token, other)).toBe('forbidden');
      expect(await ask(token)).toMatchObject({ active: true });
      expect(await drop(token, manager)).toBe('ok');
      expect(await ask(token)).toMatchObject({ active: false });
    });
  });

  it('the client is the actor of the audit event', async () => {
    const token = await ownToken();
    await suite.transport('grpc').call(revoke, { token, ...presented(caller) });
    const events = await suite.app.inside.db
      .selectFrom('audit_events')
      .select(['actor_type', 'actor_id', 'target', 'code'])
      .where('action', '=', 'OAuthService.Revoke')
      .where('actor_id', '=', caller.ownerId)
      .execute();
    const { ownerId } = caller;
    const event = { actor_type: 'service', actor_id: ownerId, target: ownerId, code: 'ok' };
    expect(events).toContainEqual(event);
  });

  describe('endpoints', () => {
    it('each transport refuses every invalid client alike', async () => {
      const { db } = suite.app.inside;
      const token = await signToken(suite.app, { type: 'service', scope: 'payments:read' });
      const other = await addClient(db, '');
      const cases: [object, string][] = [
        [{ clientId: caller.ownerId, clientSecret: unknownCredential('cs') }, 'credential_invalid'],
        [{ clientId: other.ownerId, clientSecret: caller.text }, 'credential_invalid'],
        [presented(await addClient(db, '', { disabled: true })), 'credential_invalid'],
        [presented(await addClient(db, '', { revoked: true })), 'credential_invalid'],
        [presented(await addClient(db, '', { expireTime: Date.now() - 1 })), 'credential_invalid'],
        [{ clientId: caller.ownerId }, 'invalid_argument'],
        [{ clientSecret: caller.text }, 'invalid_argument'],
        [{}, 'invalid_argument'],
      ];
      const failures: string[] = [];
      let walked = 0;
      for (const name of transportNames) {
        for (const method of [introspect, revoke]) {
          for (const [client, code] of cases) {
            const answer = await suite.transport(name).call(method, { token, ...client });
            const given = answer.ok ? 'ok' : answer.error.code.replace('identity.', '');
            if (given !== code) failures.push(`${name} ${method.name} ${JSON.stringify(client)}`);
            walked++;
          }
        }
      }
      expect(failures).toEqual([]);
      expect(walked).toBe(48);
    });

    describe('forms', () => {
      const post = async (path: string, form: string, headers: Record<string, string> = {}) => {
        const type = { 'content-type': 'application/x-www-form-urlencoded' };
        const url = suite.app.publicUrl + path;
        const response = await fetch(url, {
          method: 'POST',
          headers: { ...type, ...headers },
          body: form,
        });
        return { status: response.status, text: await response.text(), headers: response.headers };
      };
      const inBody = () =>
        `${new URLSearchParams({ client_id: caller.ownerId, client_secret: caller.text })}`;
      const basic = () =>
        `Basic ${Buffer.from(`${caller.ownerId}:${caller.text}`).toString('base64')}`;

      it('clients use the body or HTTP Basic, and may send unknown parameters', async () => {
        const token = await signToken(suite.app, { type: 'service', scope: 'payments:read' });
        const forms: [string, Record<string, string>][] = [
          [`token=${token}&${inBody()}`, {}],
          [`token=${token}`, { authorization: basic() }],
          [`token=${token}&token_type_hint=refresh_token&x=1`, { authorization: basic() }],
        ];
        for (const [form, headers] of forms) {
          const answer = await post('/oauth2/introspect', form, headers);
          expect(JSON.parse(answer.text)).toMatchObject({ active: true, token_type: 'Bearer' });
          expect(answer.headers.get('cache-control')).toBe('no-store');
        }
      });

      it('introspection shows only that a token is inactive', async () => {
        const expired = { type: 'service', scope: 'payments:read', lifetimeSeconds: 0 } as const;
        for (const token of ['x', 'a.b.c', await signToken(suite.app, expired)]) {
          const answer = await post('/oauth2/introspect', `token=${token}`, {
            authorization: basic(),
          });
          expect(answer).toMatchObject({ status: 200, text: '{"active":false}' });
        }
      });

      it('bad forms are refused with the error of RFC 6749', async () => {
        const cases: [string, Record<string, string>, number, string][] = [
          ['token=x', {}, 401, 'invalid_client'],
          ['token=x', { authorization: 'Basic e30=' }, 401, 'invalid_client'],
          ['token=x', { authorization: 'Bearer x' }, 401, 'invalid_client'],
          [`token=x&${inBody()}`, { authorization: basic() }, 400, 'invalid_request'],
          [`token=x&token=y&${inBody()}`, {}, 400, 'invalid_request'],
          [`token=%FF&${inBody()}`, {}, 400, 'invalid_request'],
          [`token=&${inBody()}`, {}, 400, 'invalid_request'],
          [inBody(), {}, 400, 'invalid_request'],
          [`token=${'x'.repeat(16_385)}&${inBody()}`, {}, 400, 'invalid_request'],
        ];
        for (const path of ['/oauth2/introspect', '/oauth2/revoke']) {
          for (const [form, headers, status, error] of cases) {
            const answer = await post(path, form, headers);
            expect([answer.status, JSON.parse(answer.text).error], form).toEqual([status, error]);
            expect(answer.text).not.toContain(caller.text);
            if (status === 401) {
              expect(answer.headers.get('www-authenticate')).toBe('Basic realm="latchkey"');
            }
          }
        }
        const secrets = [caller.text, basic().replace('Basic ', '')];
        expect(await findLeaks(suite.testApp, secrets)).toEqual([]);
      });
    });

    // The documents do not depend on the database.
    if (suite.dialect !== 'sqlite') return;

    describe('metadata', () => {
      it('the metadata documents name the endpoints and their algorithms', async () => {
        const names = ['oauth-authorization-server', 'openid-configuration'];
        const [server, same] = await Promise.all(names.map(read));
        const { publicUrl } = suite.app;
        expect(server?.metadata).toEqual(same?.metadata);
        expect(server?.headers.get('access-control-allow-origin')).toBe('*');
        const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
        const algorithms = ['EdDSA', 'ES256', 'RS256', 'PS256'];
        expect(server?.metadata).toEqual({
          issuer: publicUrl,
          token_endpoint: `${publicUrl}/tokens`,
          token_endpoint_auth_methods_supported: methods,
          token_endpoint_auth_signing_alg_values_supported: algorithms,
          jwks_uri: `${publicUrl}/.well-known/jwks.json`,
          grant_types_supported: [
            'client_credentials',
            'urn:ietf:params:oauth:grant-type:token-exchange',
          ],
          dpop_signing_alg_values_supported: algorithms,
          response_types_supported: [],
          id_token_signing_alg_values_supported: ['EdDSA', 'ES256', 'RS256'],
          introspection_endpoint: `${publicUrl}/oauth2/introspect`,
          introspection_endpoint_auth_methods_supported: methods,
          introspection_endpoint_auth_signing_alg_values_supported: algorithms,
          revocation_endpoint: `${publicUrl}/oauth2/revoke`,
          revocation_endpoint_auth_methods_supported: methods,
          revocation_endpoint_auth_signing_alg_values_supported: algorithms,
          service_documentation: `${publicUrl}/docs`,
          protected_resources: [publicUrl],
        });
        const resource = await read('oauth-protected-resource');
        expect(resource.metadata).toMatchObject({
          resource: publicUrl,
          authorization_servers: [publicUrl],
          bearer_methods_supported: ['header'],
        });
      });

      const read = async (name: string) => {
        const response = await fetch(`${suite.app.publicUrl}/.well-known/${name}`);
        const metadata = (await response.json()) as Record<string, unknown>;
        return { metadata, headers: response.headers };
      };
    });
  });
});
