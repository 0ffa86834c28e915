import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { startPlace } from '../../support/app-suite.ts';
import { everyScope } from '../../support/company-sign-in.ts';
import { codeOf, managerCredential, messageOf } from '../../support/manager-calls.ts';
import { describeFeature } from '../../support/matrix.ts';
import { useProviderApp } from '../../support/provider-app.ts';

const provide = IdentityProviderService.method;

describeFeature('an identity provider', (dialect) => {
  const shared = useProviderApp(dialect);
  const { http } = shared;

  it('is managed only by callers who hold every scope', async () => {
    const { issuer, clientId, clientSecret } = shared.provider;
    const fields = { name: 'A', issuer, clientId, clientSecret, allowedDomains: ['example.com'] };
    const create = async (scope: string, change: object = {}) => {
      const credential = await managerCredential(shared.testApp.app, scope);
      const request = { ...fields, ...change };
      return codeOf(await http().call(provide.createIdentityProvider, request, credential));
    };
    expect(await create('identity_providers:write')).toBe('forbidden');
    expect(await create(everyScope, { allowedDomains: ['*'] })).toBe('invalid_argument');
    expect(await create(everyScope, { allowedDomains: [] })).toBe('invalid_argument');
    for (const url of [
      'http://login.example.com',
      'https://a:b@c.example',
      'https://a.example?b',
    ]) {
      expect(await create(everyScope, { issuer: url }), url).toBe('invalid_argument');
    }
    const mapped = (mapping: object) => create(everyScope, { roleMappings: [mapping] });
    const workspaceId = shared.testApp.env.WORKSPACE_ID;
    expect(await mapped({ group: 'a' })).toBe('invalid_argument');
    expect(await mapped({ group: 'a', workspaceId })).toBe('invalid_argument');
    expect(await mapped({ group: 'a', role: 1, workspaceId: 'ws_x' })).toBe('invalid_argument');
    const both = { group: 'a', scopes: ['audit:read'], workspaceId, role: 1 };
    expect(await mapped(both)).toBe('invalid_argument');
    expect(await mapped({ group: 'a', scopes: ['payments:write'] })).toBe('forbidden');
    expect(await create(everyScope)).toBe('ok');
    expect(await create(everyScope)).toBe('conflict');
    for (const n of [1, 2, 3, 4])
      expect(await create(everyScope, { issuer: `${issuer}/${n}` })).toBe('ok');
    expect(await create(everyScope, { issuer: `${issuer}/5` })).toBe('conflict');
    const listed = await http().call(
      provide.listIdentityProviders,
      { query: issuer },
      shared.manager,
    );
    const [newest] = messageOf(listed).providers;
    expect(inspect(newest)).not.toContain(clientSecret);
    const few = await managerCredential(shared.testApp.app, 'identity_providers:write');
    const update = async (change: object) => {
      const request = { providerId: newest?.id ?? '', ...change };
      return codeOf(await http().call(provide.updateIdentityProvider, request, few));
    };
    expect(await update({ name: 'Renamed', enabled: false })).toBe('ok');
    expect(await update({ enabled: true })).toBe('forbidden');
    expect(await update({ allowedDomains: ['evil.example'] })).toBe('forbidden');
  });
});

describeFeature('without local passwords', (dialect) => {
  const password = 'a long enough password';

  it('users sign in only with a provider, or with a password of recover-staff', async () => {
    const config = { localPasswords: 'off' } as const;
    const { testApp, app, db, transport } = await startPlace({ dialect, config });
    const http = transport('http');
    const manager = await managerCredential(app, everyScope);
    const { signIn, getSignInOptions } = SessionService.method;
    expect(messageOf(await http.call(getSignInOptions, {}))).toMatchObject({ passwords: false });
    const { STAFF_EMAIL: email, STAFF_PASSWORD: own } = testApp.env;
    const attempt = async (given: string) =>
      codeOf(await http.call(signIn, { email, password: given }));
    expect(await attempt(own)).toBe('identity.credential_invalid');
    const user = { email: 'new@example.com', kind: UserKind.MEMBER, password };
    const create = (request: object) => http.call(UserService.method.createUser, request, manager);
    expect(codeOf(await create(user))).toBe('conflict');
    const made = messageOf(await create({ ...user, password: '' })).user;
    expect(made).toMatchObject({ passwordEnabled: false });
    const change = { userId: made?.id ?? '', password };
    expect(codeOf(await http.call(UserService.method.setPassword, change, manager))).toBe(
      'conflict',
    );
    const { mailPasswordLink } = UserService.method;
    expect(codeOf(await http.call(mailPasswordLink, { userId: made?.id ?? '' }, manager))).toBe(
      'conflict',
    );
    // As `recover-staff` does.
    const row = await db
      .selectFrom('users')
      .select(['id as user_id', 'password_hash'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    await db.insertInto('recovery_passwords').values(row).execute();
    expect(await attempt(own)).toBe('ok');
    expect(await attempt('another password')).toBe('identity.credential_invalid');
  });
});
