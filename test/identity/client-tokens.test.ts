// The claims, the lifetime and the default scopes of a client's tokens.
import type { JsonObject } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { refusedClaimNames } from '../../src/credentials/claim-names.ts';
import { describeApp } from '../support/app-suite.ts';
import { codeOf, messageOf, useManager } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';

const { createClient, getClient, updateClient } = ClientService.method;
const { issueToken } = IssuanceService.method;
const { verifyToken } = VerificationService.method;
const { introspect } = OAuthService.method;

const scopes = ['payments:read', 'payments:write'];

describeApp('a client', (suite) => {
  const manager = useManager(suite, 'clients:read clients:write tokens:read');

  it('cannot have claims that a token would not contain', async () => {
    const values = ['1e400', '-1e400', '[{"b":1e400}]', '"\\ud800"', '{"\\udc00":1}'];
    const cases = [
      ...values.map((value) => [`"a":${value}`, 'claims.a']),
      ['"a":{"__proto__":1}', 'claims.a.__proto__'],
      ['"a":[{"\\u005f_proto__":{}}]', 'claims.a.__proto__'],
      ['"__proto__":{}', 'claims.__proto__'],
    ];
    for (const [members, field] of cases) {
      const response = await fetch(`${suite.app.publicUrl}/clients`, {
        method: 'POST',
        headers: { ...manager, 'content-type': 'application/json' },
        body: `{"name":"Billing","scopes":["a:read"],"claims":{"b":1,${members}}}`,
      });
      const expected = { code: 'invalid_argument', errors: [{ field }] };
      expect(await response.json(), members).toMatchObject(expected);
    }
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const answer = await suite
        .transport('grpc')
        .call(createClient, { name: 'Billing', scopes, claims: { a: number } }, manager);
      expect(answer).toMatchObject({ ok: false, error: { fields: ['claims.a'] } });
    }
  });

  describeOneTransport(suite, (name) => {
    const add = (fields: object) =>
      suite.transport(name).call(createClient, { name: 'Billing', scopes, ...fields }, manager);
    const change = (clientId: string, fields: object, paths = Object.keys(fields)) => {
      const updateMask = {
        paths: paths.map((path) => path.replace(/[A-Z]/g, '_$&').toLowerCase()),
      };
      const request = { clientId, ...fields, updateMask };
      return suite.transport(name).call(updateClient, request, manager);
    };
    const issue = (clientId: string, clientSecret: string, scope = scopes.join(' ')) =>
      suite.transport(name).call(issueToken, { clientId, clientSecret, scope });

    async function added(fields: object) {
      const { client, clientSecret } = messageOf(await add(fields));
      return { id: client?.id ?? '', secret: clientSecret };
    }

    it('has claims, which its tokens contain', async () => {
      const claims = { tenant: 'acme', 'https://acme.example/roles': ['a', { b: [1.5, null] }] };
      const { id, secret } = await added({ claims });
      const read = await suite.transport(name).call(getClient, { clientId: id }, manager);
      expect(messageOf(read).client?.claims).toEqual(claims);
      const { accessToken: token } = messageOf(await issue(id, secret));
      expect(decodeJwt(token)).toMatchObject({ ...claims, sub: id, client_id: id });
      const verified = await suite.transport(name).call(verifyToken, { token }, manager);
      expect(messageOf(verified)).toMatchObject({ active: true, claims });
      const request = { token, clientId: id, clientSecret: secret };
      const introspected = await suite.transport(name).call(introspect, request);
      expect(messageOf(introspected)).toMatchObject({ active: true, claims });

      expect(codeOf(await change(id, { claims: { tenant: 'other' } }))).toBe('ok');
      const changed = decodeJwt(messageOf(await issue(id, secret)).accessToken);
      expect(changed).toMatchObject({ tenant: 'other' });
      expect(changed).not.toHaveProperty('https://acme.example/roles');
      expect(codeOf(await change(id, {}, ['claims']))).toBe('ok');
      const plain = decodeJwt(messageOf(await issue(id, secret)).accessToken);
      expect(plain).not.toHaveProperty('tenant');
      const check = await suite.transport(name).call(verifyToken, { token }, manager);
      expect(messageOf(check)).toMatchObject({ active: true, claims });
    });

    it('cannot have claims that verifiers rely on, or too many', async () => {
      const members = (count: number): JsonObject =>
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, i]));
      // Without its own object, JavaScript would not create this member.
      const names = [...refusedClaimNames].filter((one) => one !== '__proto__');
      const cases: [JsonObject, string][] = [
        ...names.map((one): [JsonObject, string] => [{ tenant: 1, [one]: 'x' }, `claims.${one}`]),
        [members(21), 'claims'],
        [{ big: 'x'.repeat(4_087) }, 'claims'],
      ];
      for (const [claims, field] of cases) {
        expect(await add({ claims }), field).toMatchObject({ error: { fields: [field] } });
      }
      expect(cases.length).toBeGreaterThan(65);
      for (const one of ['aud', 'act', 'cnf', 'nbf', 'email', 'preferred_username', 'accounts']) {
        expect(names, one).toContain(one);
      }
      expect(codeOf(await add({ claims: { roles: ['a'], groups: ['b'] } }))).toBe('ok');
      expect(codeOf(await add({ claims: members(20) }))).toBe('ok');
      expect(codeOf(await add({ claims: { big: 'x'.repeat(4_086) } }))).toBe('ok');
    });

    it('has a lifetime of its tokens', async () => {
      const { id, secret } = await added({ tokenSeconds: 3600 });
      const lifetime = async () => {
        const { accessToken, expiresIn } = messageOf(await issue(id, secret));
        const { iat = 0, exp = 0 } = decodeJwt(accessToken);
        expect(exp - iat).toBe(expiresIn);
        return expiresIn;
      };
      expect(await lifetime()).toBe(3600);
      const key = await suite.app.inside.db
        .selectFrom('signing_keys')
        .select('token_seconds_max')
        .where('state', '=', 'active')
        .executeTakeFirstOrThrow();
      expect(key.token_seconds_max).toBe(3600);
      expect(codeOf(await change(id, { tokenSeconds: 1 }))).toBe('ok');
      expect(await lifetime()).toBe(1);
      expect(codeOf(await change(id, {}, ['tokenSeconds']))).toBe('ok');
      expect(await lifetime()).toBe(300);
      expect(codeOf(await add({ tokenSeconds: 3601 }))).toBe('invalid_argument');
    });

    it('has default scopes for requests without a scope', async () => {
      const { id, secret } = await added({ defaultScopes: ['payments:read', 'payments:read'] });
      const scopeOf = async (scope?: string) => {
        const answer = await issue(id, secret, scope);
        return answer.ok ? answer.message.scope : answer.error.code;
      };
      expect(await scopeOf('')).toBe('payments:read');
      expect(await scopeOf('payments:write')).toBe('payments:write');
      expect(await change(id, { scopes: ['payments:write'] })).toMatchObject({
        error: { fields: ['default_scopes'] },
      });
      const both = { scopes: ['payments:write'], defaultScopes: ['payments:write'] };
      expect(codeOf(await change(id, both))).toBe('ok');
      expect(await scopeOf('')).toBe('payments:write');
      expect(codeOf(await change(id, {}, ['defaultScopes']))).toBe('ok');
      expect(await scopeOf('')).toBe('identity.scope_not_granted');
      expect(await add({ defaultScopes: ['other:read'] })).toMatchObject({
        error: { fields: ['default_scopes'] },
      });
    });
  });
});
