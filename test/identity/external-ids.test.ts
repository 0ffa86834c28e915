// The ids that resources have in a system of the caller.
import { expect, it } from 'vitest';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { codeOf, useManager } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addClient, addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callsOf, kindNames, resourceScopes } from '../support/versioned-resources.ts';

const updateMask = { paths: ['external_id'] };

describeApp('an external id', (suite) => {
  const manager = useManager(suite, resourceScopes);

  describeOneTransport(suite, (transport) => {
    const callsFor = (name: (typeof kindNames)[number]) =>
      callsOf(suite.transport(transport), manager, name);
    const taken = (name: string) => `${transport}/${name}/taken`;

    itHoldsFor(kindNames, 5)('is unique among the resources of a kind', async (name) => {
      const { create, get, list, update, resourceOf } = callsFor(name);
      const externalId = taken(name);
      const first = resourceOf(await create({ externalId }));
      expect(first.externalId).toBe(externalId);
      const other = resourceOf(await create());
      expect(other.externalId).toBe('');
      const conflict = {
        ok: false,
        error: { code: 'conflict', message: expect.stringMatching(/^external_id: /) },
      };
      expect(await create({ externalId })).toMatchObject(conflict);
      expect(await update(other.id, { name: 'X', externalId })).toMatchObject(conflict);
      expect(await get(other.id)).toMatchObject({ name: 'First', etag: other.etag });

      expect((await list({ externalId })).map(({ id }) => id)).toEqual([first.id]);
      expect(await list({ externalId: `${externalId}2` })).toEqual([]);
      expect(await list({ externalId, query: 'no such name' })).toEqual([]);

      const moved = resourceOf(await update(first.id, { externalId: `${externalId}2` }));
      expect(moved).toMatchObject({ externalId: `${externalId}2` });
      expect(moved.etag).not.toBe(first.etag);
      expect(codeOf(await update(other.id, { externalId }))).toBe('ok');
      expect(resourceOf(await update(other.id, { updateMask })).externalId).toBe('');
      // Two resources without one do not conflict.
      expect(resourceOf(await update(first.id, { updateMask })).externalId).toBe('');
    });

    itHoldsFor(kindNames, 5)('has at most 128 printable characters', async (name) => {
      const { create, resourceOf } = callsFor(name);
      for (const externalId of ['x'.repeat(129), 'a b', 'a\n', 'ä', '\u202e']) {
        const answer = await create({ externalId });
        expect(answer, JSON.stringify(externalId)).toMatchObject({
          error: { code: 'invalid_argument', fields: ['external_id'] },
        });
      }
      const longest = `${transport}/${'x'.repeat(127 - transport.length)}`;
      expect(resourceOf(await create({ externalId: longest })).externalId).toBe(longest);
    });

    it('of a client is changed only by callers who hold its management scopes', async () => {
      const { db } = suite.app.inside;
      const { ownerId } = await addClient(db, 'users:write');
      const { update } = callsFor('client');
      expect(codeOf(await update(ownerId, { externalId: 'mine' }))).toBe('forbidden');
      const payments = await addClient(db, 'payments:write');
      const externalId = `${transport}/payments`;
      expect(codeOf(await update(payments.ownerId, { externalId }))).toBe('ok');
    });

    it('of a workspace is not changed by its members', async () => {
      const { db } = suite.app.inside;
      const { ownerId: workspaceId } = await addWorkspace(db, '');
      const sub = await addMember(db, workspaceId, 'owner');
      const member = { type: 'member', sub, scope: memberScope } as const;
      const credential = await credentialFor(suite.testApp, member);
      const call = suite.transport(transport);
      const { updateWorkspace } = WorkspaceService.method;
      const change = { workspaceId, externalId: 'mine' };
      expect(codeOf(await call.call(updateWorkspace, change, credential))).toBe('forbidden');
    });
  });
});
