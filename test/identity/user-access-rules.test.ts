// The rules for ending all access of a user.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { AccessPart, UserAccessService } from '../../gen/latchkey/identity/v1/user_access_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { transact } from '../../src/storage/database.ts';
import { lockRow } from '../../src/storage/queries/row-locks.ts';
import { allScopes, useAdministrator } from '../support/administrator.ts';
import { describeApp } from '../support/app-suite.ts';
import { callDuring } from '../support/lock-waits.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addMember, credentialFor } from '../support/member-rows.ts';
import { addClient, addWorkspace, changeAsOtherProcess, updateRow } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { upload } from '../support/sharing-api.ts';
import { addUser } from '../support/user-rows.ts';

const { getUserAccess, revokeAllAccess } = UserAccessService.method;

const scope = allScopes;
const password = 'the lantern of a leaver';

describeApp('all access of a user by the rules', (suite) => {
  const db = () => suite.app.inside.db;
  const { admin, caller } = useAdministrator(suite);

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name, admin);
    const conflict = (message: RegExp) => ({
      ok: false,
      error: { code: 'conflict', message: expect.stringMatching(message) },
    });

    it('ends only in the chosen parts', async () => {
      const user = await addUser(db(), { kind: 'member', password });
      const { ownerId } = await addWorkspace(db(), '');
      await addMember(db(), ownerId, 'member', user.id);
      const own = await caller(user.id, 'member');

      const parts = [AccessPart.ROLES];
      const answer = messageOf(await call(revokeAllAccess, { userId: user.id, parts }));

      expect(answer.ended).toMatchObject({ memberships: { totalSize: 1 }, passwordEnabled: false });
      expect(answer.remaining).toMatchObject({ sessions: { totalSize: 1 }, passwordEnabled: true });
      expect(answer.remaining?.disableTime).toBeUndefined();
      const members = { workspaceId: ownerId };
      expect(await call(WorkspaceService.method.listMembers, members, own)).toMatchObject({
        ok: false,
      });
    });

    it('stays with the last enabled owner of a workspace, which the error names', async () => {
      const { ownerId } = await addWorkspace(db(), '');
      const userId = await addMember(db(), ownerId, 'owner');
      const former = await addUser(db(), { kind: 'member', disabled: true });
      await addMember(db(), ownerId, 'owner', former.id);
      for (const part of [AccessPart.SIGN_IN, AccessPart.ROLES]) {
        const refused = conflict(new RegExp(`owner of.*Test workspace.*${ownerId}.*Add another`));
        expect(await call(revokeAllAccess, { userId, parts: [part] })).toMatchObject(refused);
      }
      await addMember(db(), ownerId, 'owner');
      expect(await call(revokeAllAccess, { userId })).toMatchObject({ ok: true });
    });

    it('ends parts of a disabled user who is the last owner of a workspace', async () => {
      const { ownerId } = await addWorkspace(db(), '');
      const userId = await addMember(db(), ownerId, 'owner');
      expect(await call(UserService.method.disableUser, { userId })).toMatchObject({ ok: true });
      const { SIGN_IN, ROLES, CREDENTIALS, LINKS, INVITATIONS } = AccessPart;
      const parts = [SIGN_IN, CREDENTIALS, LINKS, INVITATIONS];
      const answer = messageOf(await call(revokeAllAccess, { userId, parts }));
      expect(answer.remaining).toMatchObject({
        memberships: { totalSize: 1 },
        passwordEnabled: false,
      });
      const refused = conflict(/last enabled owner/);
      expect(await call(revokeAllAccess, { userId, parts: [ROLES] })).toMatchObject(refused);
    });

    it('stays with the last staff user with a scope, and with the caller', async () => {
      const user = await addUser(db(), { kind: 'staff', scopes: scope });
      const own = await caller(user.id);
      expect(await call(revokeAllAccess, { userId: user.id }, own)).toMatchObject(
        conflict(/your own access/),
      );
      const service = await credentialFor(suite.testApp, { type: 'service', scope });
      const others = await db()
        .selectFrom('users')
        .select('id')
        .where('kind', '=', 'staff')
        .where('disable_time', 'is', null)
        .where('id', '<>', user.id)
        .execute();
      const setOthers = (disable_time: number | null) =>
        changeAsOtherProcess(db(), (trx) =>
          trx
            .updateTable('users')
            .set({ disable_time })
            .where(
              'id',
              'in',
              others.map(({ id }) => id),
            )
            .execute(),
        );
      onTestFinished(() => setOthers(null));
      await setOthers(1);
      expect(await call(revokeAllAccess, { userId: user.id }, service)).toMatchObject(
        conflict(/last enabled staff user/),
      );
    });

    it('is ended only by callers with the scopes for each of its kinds', async () => {
      const user = await addUser(db(), { kind: 'staff', scopes: 'users:read' });
      const limited = await credentialFor(suite.testApp, {
        type: 'service',
        scope: 'users:read users:write',
      });
      const { ownerId, credentialId } = await addClient(db(), 'audit:read');
      await updateRow(db(), 'credentials', credentialId, { creator_id: user.id });
      const request = { userId: user.id };
      expect(await call(revokeAllAccess, request, limited)).toMatchObject({
        ok: false,
        error: { code: 'forbidden', message: expect.stringContaining('clients:write audit:read') },
      });
      const { access } = messageOf(await call(getUserAccess, request, limited));
      // The names need the scope of the list.
      expect(access?.clientSecrets?.items).toMatchObject([
        { id: credentialId, name: '', parents: [] },
      ]);
      const seen = messageOf(await call(getUserAccess, request)).access?.clientSecrets?.items;
      expect(seen).toMatchObject([{ name: 'Test credential', parents: [{ id: ownerId }] }]);
      const strong = await addUser(db(), { kind: 'staff', scopes: 'audit:read' });
      const parts = [AccessPart.SIGN_IN];
      expect(await call(revokeAllAccess, { userId: strong.id, parts }, limited)).toMatchObject({
        ok: false,
        error: { code: 'forbidden' },
      });
      expect(await call(revokeAllAccess, { userId: user.id, parts }, limited)).toMatchObject({
        ok: true,
      });
      for (const method of [getUserAccess, revokeAllAccess] as const) {
        expect(await call(method, { userId: 'usr_unknown' })).toMatchObject({
          ok: false,
          error: { code: 'not_found' },
        });
      }
    });

    it('does not grow while it ends', async () => {
      const user = await addUser(db(), { kind: 'staff', scopes: scope });
      const own = await caller(user.id);
      const workspaceId = suite.testApp.env.WORKSPACE_ID;
      const { id: documentId } = await upload(suite.testApp, Buffer.from('b'), 'b.txt');
      const { createLink } = LinkService.method;
      let answer: Promise<{ ok: boolean }> | undefined;
      await transact(db(), async (trx) => {
        await trx
          .updateTable('users')
          .set({ disable_time: Date.now() })
          .where('id', '=', user.id)
          .execute();
        answer = call(createLink, { workspaceId, documentId }, own);
        // Time for the call to pass the guard.
        await sleep(400);
      });
      expect(await answer).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
      const { access } = messageOf(await call(getUserAccess, { userId: user.id }));
      expect(access?.links).toMatchObject({ totalSize: 0 });
    });

    // SQLite runs one transaction at a time.
    if (suite.dialect === 'sqlite') return;

    itHoldsFor(
      [revokeAllAccess, UserService.method.deleteUser].map(
        (method) => [method.name, method] as const,
      ),
      2,
    )('stays with a user who becomes the last owner during the call', async (_, method) => {
      const { ownerId: workspaceId } = await addWorkspace(db(), '');
      const own = await caller(await addMember(db(), workspaceId, 'owner'), 'member');
      const userId = await addMember(db(), workspaceId, 'member');
      const owner = { workspaceId, userId, role: MemberRole.OWNER };
      const { putMember, leaveWorkspace } = WorkspaceService.method;

      const answer = await callDuring(
        suite.testApp.databaseUrl,
        () => call(method, { userId }),
        (trx) => lockRow(trx, 'users', 'kind', 'staff'),
        async () => {
          messageOf(await call(putMember, owner, own));
          messageOf(await call(leaveWorkspace, { workspaceId }, own));
        },
      );

      expect(answer).toMatchObject(conflict(/last enabled owner/));
    });
  });
});
