// A change of the mappings of a provider that manages the grants of many users.
import type { RootOperationNode } from 'kysely';
import { expect, it } from 'vitest';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { deleteProvidedMembers } from '../../../src/sharing/workspaces/store.ts';
import { transact } from '../../../src/storage/database.ts';
import { codeOf } from '../../support/manager-calls.ts';
import { describeFeature } from '../../support/matrix.ts';
import { addWorkspace, changeAsOtherProcess } from '../../support/owner-rows.ts';
import { useProviderApp } from '../../support/provider-app.ts';
import { addProvider } from '../../support/provider-rows.ts';
import { userRow } from '../../support/user-rows.ts';

describeFeature('an identity provider with many users', (dialect) => {
  const shared = useProviderApp(dialect);
  const { http, db } = shared;
  const count = 1_100;

  /** Each is a member of one of the workspaces, and one in ten is an owner. */
  async function addProvidedMembers(providerId: string, workspaceIds: readonly string[]) {
    const users = Array.from({ length: count }, () => userRow({ kind: 'member' }));
    for (let start = 0; start < count; start += 100) {
      const slice = users.slice(start, start + 100);
      const identities = slice.map(({ id }) => ({
        ...{ id: `uid_${id}`, user_id: id, provider_id: providerId, subject: id },
        ...{ manages_grants: 1 as const, create_time: 1 },
      }));
      const members = slice.map(({ id }, i) => ({
        workspace_id: workspaceIds[i % workspaceIds.length] ?? '',
        ...{ user_id: id, role: i % 10 === 0 ? ('owner' as const) : ('member' as const) },
        create_time: 1,
      }));
      await changeAsOtherProcess(db(), async (trx) => {
        await trx.insertInto('users').values(slice).execute();
        await trx.insertInto('user_identities').values(identities).execute();
        await trx.insertInto('members').values(members).execute();
      });
    }
  }

  async function filled() {
    const providerId = await addProvider(db());
    const workspaceIds = [
      (await addWorkspace(db(), '')).ownerId,
      (await addWorkspace(db(), '')).ownerId,
    ];
    await addProvidedMembers(providerId, workspaceIds);
    return { providerId, workspaceIds };
  }

  it('ends their roles in slices, without reading their other columns', async () => {
    const { providerId, workspaceIds } = await filled();
    const queries: RootOperationNode[] = [];
    const recorded = db().withPlugin({
      transformQuery({ node }) {
        queries.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    });

    const ended = await transact(recorded, (trx) =>
      deleteProvidedMembers(trx, providerId, workspaceIds),
    );

    expect(new Set(ended).size).toBe(count * 0.9);
    // Of each slice of 500: its users, their locks on PostgreSQL, and the roles.
    const perSlice = dialect === 'postgres' ? 3 : 2;
    const own = queries.filter(({ kind }) => kind !== 'RawNode');
    expect(own.length).toBeGreaterThanOrEqual(2 * perSlice);
    expect(own.length).toBeLessThanOrEqual(2 * perSlice + 3);
    const texts = JSON.stringify(queries);
    expect(texts).not.toContain('SelectAllNode');
  });

  it('ends their roles, each with an event, when the mappings drop the workspaces', async () => {
    const { providerId, workspaceIds } = await filled();
    const roleMappings = workspaceIds.map((workspaceId) => ({
      ...{ group: 'sales', workspaceId, role: 1 },
    }));
    const { updateIdentityProvider } = IdentityProviderService.method;
    const update = async (request: object) =>
      codeOf(await http().call(updateIdentityProvider, { providerId, ...request }, shared.manager));
    expect(await update({ roleMappings })).toBe('ok');
    expect(await update({ updateMask: { paths: ['role_mappings'] } })).toBe('ok');

    const left = await db()
      .selectFrom('members')
      .select('role')
      .where('workspace_id', 'in', workspaceIds)
      .execute();
    expect(left).toEqual(Array(count / 10).fill({ role: 'owner' }));
    const events = await db()
      .selectFrom('audit_events')
      .select('target')
      .where('action', '=', 'IdentityProviderService.ApplyMappings')
      .execute();
    expect(new Set(events.map(({ target }) => target)).size).toBe(count * 0.9);
  });
});
