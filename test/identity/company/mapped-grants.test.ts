// The grants of users that an identity provider has created, after a change of the provider, its
// mappings or the linked account.
import { expect, it } from 'vitest';
import {
  IdentityProviderService,
  MappedRole,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import type { SignInBrowser } from '../../support/company-sign-in.ts';
import { codeOf, managerCredential, messageOf } from '../../support/manager-calls.ts';
import { describeFeature } from '../../support/matrix.ts';
import { addMember } from '../../support/member-rows.ts';
import { addWorkspace, changeAsOtherProcess } from '../../support/owner-rows.ts';
import { useProviderApp } from '../../support/provider-app.ts';
import { addUser } from '../../support/user-rows.ts';

const provide = IdentityProviderService.method;

describeFeature('a user of an identity provider', (dialect) => {
  const shared = useProviderApp(dialect);
  const { http, db, account } = shared;

  async function refreshed(browser: SignInBrowser) {
    const { scope, user } = messageOf(await shared.refresh(browser));
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
    const providerId = await shared.register({
      roleMappings: [mapping(kept), mapping(dropped)],
    });
    const browser = shared.browser();
    await browser.signIn(shared.provider, providerId, account({ groups: ['sales'] }));
    const { id } = await refreshed(browser);
    const owning = shared.browser();
    await owning.signIn(shared.provider, providerId, account({ groups: ['sales'] }));
    const { id: ownerId } = await refreshed(owning);
    await addMember(db(), dropped, 'owner', ownerId);
    const stranger = await addMember(db(), dropped, 'member');
    const existing = await addUser(db(), { kind: 'member' });
    await addMember(db(), dropped, 'admin', existing.id);
    await shared
      .browser()
      .signIn(shared.provider, providerId, account({ groups: ['sales'], email: existing.email }));

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
    const providerId = await shared.register({
      roleMappings: [{ group: 'operators', scopes: ['audit:read', 'clients:read'] }],
    });
    const browser = shared.browser();
    const own = account({ groups: ['operators'] });
    await browser.signIn(shared.provider, providerId, own);
    const { id } = await refreshed(browser);
    const { listUserIdentities, deleteUserIdentity } = provide;
    const identities = async () =>
      messageOf(await http().call(listUserIdentities, { userId: id }, shared.manager)).identities;
    const [first] = await identities();
    const unlink = { userId: id, identityId: first?.id ?? '' };
    expect(codeOf(await http().call(deleteUserIdentity, unlink, shared.manager))).toBe('ok');

    const again = shared.browser();
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
    const providerId = await shared.register(mappings);
    const browser = shared.browser();
    const own = account({ groups: ['operators'] });
    await browser.signIn(shared.provider, providerId, own);
    const { id } = await refreshed(browser);
    const remove = { providerId };
    expect(codeOf(await http().call(provide.deleteIdentityProvider, remove, shared.manager))).toBe(
      'ok',
    );
    const nextId = await shared.register(mappings);
    const again = shared.browser();
    await again.signIn(shared.provider, nextId, { ...own, groups: [] });
    expect(await refreshed(again)).toEqual({ id, scope: '' });
  });

  it('loses the grants of its groups with the provider, and keeps those of staff', async () => {
    const { ownerId: mapped } = await addWorkspace(db(), '');
    const { ownerId: own } = await addWorkspace(db(), '');
    const providerId = await shared.register({
      roleMappings: [
        { group: 'operators', scopes: ['audit:read', 'clients:read'] },
        { group: 'sales', workspaceId: mapped, role: MappedRole.ADMIN },
      ],
    });
    const signedIn = async (groups: readonly string[], email?: string) => {
      const browser = shared.browser();
      await browser.signIn(
        shared.provider,
        providerId,
        account({ groups, ...(email === undefined ? {} : { email }) }),
      );
      return (await refreshed(browser)).id;
    };
    const operator = await signedIn(['operators']);
    const seller = await signedIn(['sales']);
    await addMember(db(), own, 'member', seller);
    const owner = await signedIn(['sales']);
    await addMember(db(), mapped, 'owner', owner);
    const known = await addUser(db(), { kind: 'staff', scopes: 'audit:read' });
    await signedIn(['operators'], known.email);
    const colleague = await addUser(db(), { kind: 'member' });
    await addMember(db(), mapped, 'member', colleague.id);
    await signedIn(['sales'], colleague.email);

    const { deleteIdentityProvider } = provide;
    const remove = async (scope: string) =>
      codeOf(
        await http().call(
          deleteIdentityProvider,
          { providerId },
          await managerCredential(shared.testApp.app, scope),
        ),
      );
    const write = 'identity_providers:write';
    for (const scope of [write, `${write} workspaces:write audit:read`]) {
      expect(await remove(scope)).toBe('forbidden');
    }
    expect((await rolesIn(mapped)).get(seller)).toBe('admin');
    expect(await remove(`${write} workspaces:write audit:read clients:read`)).toBe('ok');

    const scopesOf = async (id: string) =>
      (await db().selectFrom('users').select('scopes').where('id', '=', id).executeTakeFirst())
        ?.scopes;
    expect([await scopesOf(operator), await scopesOf(known.id)]).toEqual(['', 'audit:read']);
    expect(await rolesIn(own)).toEqual(new Map([[seller, 'member']]));
    expect(await rolesIn(mapped)).toEqual(
      new Map([
        [owner, 'owner'],
        [colleague.id, 'member'],
      ]),
    );
    const events = await db()
      .selectFrom('audit_events')
      .select('target')
      .where('action', '=', 'IdentityProviderService.ApplyMappings')
      .where('target', 'in', [operator, seller])
      .execute();
    // The sign-in and the deletion of each user.
    expect(events).toHaveLength(4);
  });

  it('keeps its provider as the last enabled staff user with a scope', async () => {
    const providerId = await shared.register({
      roleMappings: [{ group: 'operators', scopes: ['audit:read'] }],
    });
    const browser = shared.browser();
    await browser.signIn(shared.provider, providerId, account({ groups: ['operators'] }));
    const { id } = await refreshed(browser);
    const setOthers = (disable_time: number | null) =>
      changeAsOtherProcess(db(), (trx) =>
        trx
          .updateTable('users')
          .set({ disable_time })
          .where('kind', '=', 'staff')
          .where('id', '<>', id)
          .execute(),
      );
    await setOthers(1);
    try {
      const { deleteIdentityProvider } = provide;
      expect(
        await http().call(deleteIdentityProvider, { providerId }, shared.manager),
      ).toMatchObject({
        error: {
          code: 'conflict',
          message: `${id} is the last enabled staff user with audit:read.`,
        },
      });
    } finally {
      await setOthers(null);
    }
  });

  it('shows the provider as its creator', async () => {
    const providerId = await shared.register();
    const browser = shared.browser();
    await browser.signIn(shared.provider, providerId, account());
    const { id } = await refreshed(browser);
    const found = await http().call(UserService.method.getUser, { userId: id }, shared.manager);
    expect(messageOf(found).user).toMatchObject({ creator: providerId, creatorName: 'Acme' });
  });
});
