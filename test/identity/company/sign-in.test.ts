// Sign-in with identity providers: users, grants, step-up and the end of sessions.
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import {
  IdentityProviderService,
  MappedRole,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { insertUser } from '../../../src/identity/users/store.ts';
import type { SignInBrowser } from '../../support/company-sign-in.ts';
import { callDuring } from '../../support/lock-waits.ts';
import { codeOf, messageOf } from '../../support/manager-calls.ts';
import { describeFeature } from '../../support/matrix.ts';
import { useProviderApp } from '../../support/provider-app.ts';
import { addUser, userRow } from '../../support/user-rows.ts';
import { expectWithinOneSecond } from '../../support/within-one-second.ts';

const provide = IdentityProviderService.method;

describeFeature('a sign-in with an identity provider', (dialect) => {
  const shared = useProviderApp(dialect);
  const { http, db, account, refresh } = shared;

  const signedInUser = async (browser: SignInBrowser) => messageOf(await refresh(browser)).user;

  it('uses PKCE, state and nonce, and shows the provider on the sign-in page', async () => {
    const id = await shared.register();
    const options = await http().call(SessionService.method.getSignInOptions, {});
    expect(messageOf(options)).toMatchObject({
      passwords: true,
      providers: [{ id, name: 'Acme' }],
    });
    const browser = shared.browser();
    const { location, status } = await browser.start(id);
    expect(status).toBe(302);
    const sent = Object.fromEntries(location.searchParams);
    expect(sent).toMatchObject({
      response_type: 'code',
      client_id: 'latchkey',
      redirect_uri: `${shared.testApp.app.publicUrl}/sessions/oidc/${id}/callback`,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    shared.provider.script.claims = { nonce: sent.nonce, ...account() };
    const query = { code: 'the code', state: sent.state ?? '', iss: shared.provider.issuer };
    const returned = await browser.callback(query);
    expect(returned.location.pathname).toBe('/console/signed-in');
    const body = shared.provider.requests.findLast(({ path }) => path === '/token')?.body;
    const verifier = body?.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(challenge).toBe(sent.code_challenge);
    expect(body?.get('client_secret')).toBeNull();
  });

  it('creates a member without a password, and finds it again', async () => {
    const id = await shared.register();
    const [first, second] = [shared.browser(), shared.browser()];
    const own = account();
    await first.signIn(shared.provider, id, own);
    const user = await signedInUser(first);
    expect(user).toMatchObject({ email: own.email, name: 'Ann', kind: 'member' });
    // The account keeps its user when its address changes, even to one of another domain.
    await second.signIn(shared.provider, id, { ...own, email: 'new@example.org' });
    expect(await signedInUser(second)).toMatchObject({ id: user?.id, email: own.email });
    const found = await http().call(
      UserService.method.getUser,
      { userId: user?.id ?? '' },
      shared.manager,
    );
    expect(messageOf(found).user).toMatchObject({ passwordEnabled: false, scopes: [] });
    const linked = await http().call(
      provide.listUserIdentities,
      { userId: user?.id ?? '' },
      shared.manager,
    );
    expect(messageOf(linked).identities).toMatchObject([
      { providerId: id, providerName: 'Acme', subject: own.sub, managesGrants: true },
    ]);
  });

  it('creates no user unless the provider says so', async () => {
    const id = await shared.register({ createUsers: false });
    const browser = shared.browser();
    expect((await browser.signIn(shared.provider, id, account())).problem).toBe('no_user');
    const user = await addUser(db(), { scopes: 'audit:read', kind: 'staff' });
    const { problem } = await browser.signIn(shared.provider, id, account({ email: user.email }));
    expect(problem).toBe('');
    expect(await signedInUser(browser)).toMatchObject({ id: user.id, kind: 'staff' });
  });

  it('reads the claims that only the UserInfo response has', async () => {
    const id = await shared.register();
    const own = account();
    shared.provider.script.userInfo = own;
    const browser = shared.browser();
    const { problem } = await browser.signIn(shared.provider, id, { sub: own.sub });
    expect(problem).toBe('');
    expect(await signedInUser(browser)).toMatchObject({ email: own.email, name: 'Ann' });
  });

  it('gives users of the provider the grants of their groups, and no others', async () => {
    const workspaceId = shared.testApp.env.WORKSPACE_ID;
    const id = await shared.register({
      roleMappings: [
        { group: 'operators', scopes: ['audit:read', 'clients:read'] },
        { group: 'readers', workspaceId, role: MappedRole.MEMBER },
        { group: 'leads', workspaceId, role: MappedRole.ADMIN },
      ],
    });
    const scopeOf = async (browser: SignInBrowser) =>
      messageOf(await refresh(browser))
        .scope.split(' ')
        .sort()
        .join(' ');
    const staff = account({ groups: ['operators', 'Operators'] });
    const browser = shared.browser();
    await browser.signIn(shared.provider, id, staff);
    expect(await signedInUser(browser)).toMatchObject({ kind: 'staff' });
    expect(await scopeOf(browser)).toBe('audit:read clients:read');
    await browser.signIn(shared.provider, id, { ...staff, groups: [] });
    expect(await scopeOf(browser)).toBe('');

    const member = account({ groups: ['readers', 'leads'] });
    const rolesOf = async () => {
      const request = { workspaceId, query: member.email };
      const found = await http().call(WorkspaceService.method.listMembers, request, shared.manager);
      return messageOf(found).members.map(({ role }) => role);
    };
    await browser.signIn(shared.provider, id, member);
    expect(await rolesOf()).toEqual([2]);
    await browser.signIn(shared.provider, id, { ...member, groups: 'readers' });
    expect(await rolesOf()).toEqual([3]);
    // A member does not become staff.
    await browser.signIn(shared.provider, id, { ...member, groups: ['operators'] });
    expect(await rolesOf()).toEqual([]);
    expect(await signedInUser(browser)).toMatchObject({ kind: 'member' });
    expect(await scopeOf(browser)).toBe('');
  });

  it('keeps the grants of a user who existed before', async () => {
    const id = await shared.register({
      roleMappings: [{ group: 'operators', scopes: ['signing_keys:write'] }],
    });
    const user = await addUser(db(), { scopes: 'audit:read' });
    const browser = shared.browser();
    const own = account({ email: user.email, groups: ['operators'] });
    for (const _ of [1, 2]) {
      await browser.signIn(shared.provider, id, own);
      expect(messageOf(await refresh(browser)).scope).toBe('audit:read');
    }
  });

  it('replaces the session of the browser', async () => {
    const id = await shared.register();
    const browser = shared.browser();
    const own = account();
    await browser.signIn(shared.provider, id, own);
    const cookie = `latchkey_session=${browser.session}`;
    await browser.signIn(shared.provider, id, own);
    const old = await http().call(SessionService.method.refreshSession, {}, { cookie });
    expect(codeOf(old)).toBe('unauthenticated');
    expect(codeOf(await refresh(browser))).toBe('ok');
  });

  it('counts as recent only if the provider says when it authenticated the user', async () => {
    const id = await shared.register();
    const browser = shared.browser();
    const own = account({ groups: [] });
    const authTime = async () =>
      decodeJwt(messageOf(await refresh(browser)).accessToken).auth_time ?? -1;
    await browser.signIn(shared.provider, id, own);
    expect(await authTime()).toBe(0);
    const time = Math.floor(Date.now() / 1000);
    const stepUp = (change: Readonly<Record<string, unknown>>) =>
      browser.signIn(shared.provider, id, { ...own, ...change }, { step_up: 'true' });
    expect((await stepUp({})).problem).toBe('not_recent');
    expect((await stepUp({ auth_time: time - 200 })).problem).toBe('not_recent');
    const stranger = account();
    expect((await stepUp({ ...stranger, auth_time: time })).problem).toBe('other_user');
    expect(await authTime()).toBe(0);
    const done = await stepUp({ auth_time: time - 5 });
    expect(done.location.searchParams.get('step_up')).toBe('true');
    expect(await authTime()).toBe(time - 5);
    // A clock that is ahead does not make a sign-in more recent.
    await browser.signIn(shared.provider, id, { ...own, auth_time: time + 10_000 });
    expect(Number(await authTime())).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    const started = await browser.start(id, { step_up: 'true' });
    const sent = Object.fromEntries(started.location.searchParams);
    expect(sent).toMatchObject({ max_age: '60', login_hint: own.email });
    const signedOut = await shared.browser().start(id, { step_up: 'true' });
    expect(signedOut.problem).toBe('expired');
  });

  it('stores a session despite a session id and a time that the database refuses', async () => {
    const id = await shared.register();
    const browser = shared.browser();
    const odd = account({ sid: 'a\0', auth_time: 1700000000.0006 });
    const { status, problem } = await browser.signIn(shared.provider, id, odd);
    expect([status, problem]).toEqual([303, '']);
    const userId = (await signedInUser(browser))?.id ?? '';
    const sessions = db().selectFrom('sessions').select(['provider_sid', 'auth_time']);
    expect(await sessions.where('user_id', '=', userId).execute()).toEqual([
      { provider_sid: null, auth_time: 1_700_000_000_000 },
    ]);
  });

  it('ends with the provider, and with the link of the account', async () => {
    const id = await shared.register();
    const ends: readonly ((userId: string) => Promise<unknown>)[] = [
      async (userId) => {
        const found = await http().call(provide.listUserIdentities, { userId }, shared.manager);
        const [identity] = messageOf(found).identities;
        const request = { userId, identityId: identity?.id ?? '' };
        expect(codeOf(await http().call(provide.deleteUserIdentity, request, shared.manager))).toBe(
          'ok',
        );
      },
      () =>
        http().call(
          provide.updateIdentityProvider,
          { providerId: id, enabled: false },
          shared.manager,
        ),
      () => http().call(provide.deleteIdentityProvider, { providerId: id }, shared.manager),
    ];
    for (const end of ends) {
      const update = { providerId: id, enabled: true };
      await http().call(provide.updateIdentityProvider, update, shared.manager);
      const browser = shared.browser();
      await browser.signIn(shared.provider, id, account());
      const { accessToken, user } = messageOf(await refresh(browser));
      await end(user?.id ?? '');
      const own = { authorization: `Bearer ${accessToken}` };
      await expectWithinOneSecond(
        db(),
        async () => codeOf(await http().call(SessionService.method.listSessions, {}, own)),
        'unauthenticated',
      );
      expect(codeOf(await refresh(browser))).toBe('unauthenticated');
    }
  });

  // SQLite runs one transaction at a time.
  if (dialect === 'sqlite') return;

  it('finds the user that another sign-in creates at the same moment', async () => {
    const id = await shared.register();
    const browser = shared.browser();
    const own = account();
    const user = userRow({ email: own.email, kind: 'member' });

    const { status, problem } = await callDuring(
      shared.testApp.databaseUrl,
      () => browser.signIn(shared.provider, id, own),
      (trx) => insertUser(trx, user),
    );

    expect([status, problem]).toEqual([303, '']);
    expect(await signedInUser(browser)).toMatchObject({ id: user.id });
  });
});
