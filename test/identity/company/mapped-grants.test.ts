// The grants of users that an identity provider has created, after a change of the provider, its
// mappings or the linked account.
import { expect, it } from 'vitest';
import {
  IdentityProviderService,
  MappedRole,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { registerProvider, SignInBrowser } from '../../support/company-sign-in.ts';
import { codeOf, messageOf } from '../../support/manager-calls.ts';
import { describeFeature } from '../../support/matrix.ts';
import { addMember } from '../../support/member-rows.ts';
import { addWorkspace } from '../../support/owner-rows.ts';
import { useProviderApp } from '../../support/provider-app.ts';
import { addUser } from '../../support/user-rows.ts';

const provide = IdentityProviderService.method;

describeFeature('a user of an identity provider', (dialect) => {
  const shared = useProviderApp(dialect);
  const { http, db } = shared;
  let count = 0;

  const place = () => ({ app: shared.testApp.app, transport: () => http() });
  const newBrowser = () => new SignInBrowser(shared.testApp.app);
  const account = (groups: readonly string[], email?: string) => {
    const sub = `mapped-${count++}`;
    const address = email ?? `${sub}@example.com`;
    return { sub, email: address, email_verified: true, name: 'Ann', groups };
  };

  async function refreshed({ session = '' }: SignInBrowser) {
    const cookie = `latchkey_session=${session}`;
    const answer = await http().call(SessionService.method.refreshSession, {}, { cookie });
    const { scope, user } = messageOf(answer);
    return { scope, id: user?.id ?? '' };
  }

  const rolesIn = async (workspaceId: string) => {
    const rows = await db()
      .selectFrom('members')
      .select(['user_id', 'role'])
      .where('workspace_id', '=', workspaceId)
      .execute();
    return new Map(rows.map(({ user_id, role }) => [user_id, role]));
  };

  it('leaves a workspace that the mappings no longer name, at once', async () => {
    const { ownerId: kept } = await addWorkspace(db(), '');
    const { ownerId: dropped } = await addWorkspace(db(), '');
    const mapping = (workspaceId: string) => ({
      ...{ group: 'sales', workspaceId },
      role: MappedRole.ADMIN,
    });
    const providerId = await registerProvider(place(), shared.provider, {
      roleMappings: [mapping(kept), mapping(dropped)],
    });
    const browser = newBrowser();
    await browser.signIn(shared.provider, providerId, account(['sales']));
    const { id } = await refreshed(browser);
    const owning = newBrowser();
    await owning.signIn(shared.provider, providerId, account(['sales']));
    const { id: ownerId } = await refreshed(owning);
    await addMember(db(), dropped, 'owner', ownerId);
    const stranger = await addMember(db(), dropped, 'member');
    const existing = await addUser(db(), { kind: 'member' });
    await addMember(db(), dropped, 'admin', existing.id);
    await newBrowser().signIn(shared.provider, providerId, account(['sales'], existing.email));

    const update = { providerId, roleMappings: [mapping(kept)] };
    const changed = await http().call(provide.updateIdentityProvider, update, shared.manager);
    expect(codeOf(changed)).toBe('ok');
    expect([...(await rolesIn(dropped))].sort()).toEqual(
      [
        [ownerId, 'owner'],
        [stranger, 'member'],
        [existing.id, 'admin'],
      ].sort(),
    );
    expect((await rolesIn(kept)).get(id)).toBe('admin');
    const events = await db()
      .selectFrom('audit_events')
      .select('target')
      .where('action', '=', 'IdentityProviderService.ApplyMappings')
      .where('target', '=', id)
      .execute();
    // The sign-in, and the change of the mappings.
    expect(events).toHaveLength(2);

    const none = { providerId, updateMask: { paths: ['role_mappings'] } };
    await http().call(provide.updateIdentityProvider, none, shared.manager);
    expect(await rolesIn(kept)).toEqual(new Map());
    expect((await refreshed(browser)).scope).toBe('');
  });

  it('has the grants of its groups also after the account was unlinked', async () => {
    const providerId = await registerProvider(place(), shared.provider, {
      roleMappings: [{ group: 'operators', scopes: ['audit:read', 'clients:read'] }],
    });
    const browser = newBrowser();
    const own = account(['operators']);
    await browser.signIn(shared.provider, providerId, own);
    const { id } = await refreshed(browser);
    const { listUserIdentities, deleteUserIdentity } = provide;
    const identities = async () =>
      messageOf(await http().call(listUserIdentities, { userId: id }, shared.manager)).identities;
    const [first] = await identities();
    const unlink = { userId: id, identityId: first?.id ?? '' };
    expect(codeOf(await http().call(deleteUserIdentity, unlink, shared.manager))).toBe('ok');

    const again = newBrowser();
    await again.signIn(shared.provider, providerId, { ...own, sub: `${own.sub}-again` });
    expect(await refreshed(again)).toEqual({ id, scope: 'audit:read clients:read' });
    expect(await identities()).toMatchObject([{ managesGrants: true }]);
    await again.signIn(shared.provider, providerId, {
      ...own,
      ...{ sub: `${own.sub}-again`, groups: [] },
    });
    expect(await refreshed(again)).toEqual({ id, scope: '' });
  });

  it('has the grants of its groups also after the provider was created again', async () => {
    const mappings = { roleMappings: [{ group: 'operators', scopes: ['audit:read'] }] };
    const providerId = await registerProvider(place(), shared.provider, mappings);
    const browser = newBrowser();
    const own = account(['operators']);
    await browser.signIn(shared.provider, providerId, own);
    const { id } = await refreshed(browser);
    const remove = { providerId };
    expect(codeOf(await http().call(provide.deleteIdentityProvider, remove, shared.manager))).toBe(
      'ok',
    );
    const nextId = await registerProvider(place(), shared.provider, mappings);
    const again = newBrowser();
    await again.signIn(shared.provider, nextId, { ...own, groups: [] });
    expect(await refreshed(again)).toEqual({ id, scope: '' });
  });

  it('shows the provider as its creator', async () => {
    const providerId = await registerProvider(place(), shared.provider);
    const browser = newBrowser();
    await browser.signIn(shared.provider, providerId, account([]));
    const { id } = await refreshed(browser);
    const found = await http().call(UserService.method.getUser, { userId: id }, shared.manager);
    expect(messageOf(found).user).toMatchObject({ creator: providerId, creatorName: 'Acme' });
  });
});
