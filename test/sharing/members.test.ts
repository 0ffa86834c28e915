import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { describeTransports } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import type { Credential } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

const { getWorkspace, putMember, removeMember, listMembers, leaveWorkspace } =
  WorkspaceService.method;
const { listDocuments } = DocumentService.method;
const { createLink } = LinkService.method;
const { OWNER, ADMIN, MEMBER, UNSPECIFIED } = MemberRole;

describeApp('members', (suite) => {
  const db = () => suite.app.inside.db;
  let workspaceId: string;
  let staff: { readonly authorization: string };
  beforeEach(async () => {
    workspaceId = (await addWorkspace(db(), '')).ownerId;
    staff = await credentialFor(suite.testApp, { type: 'staff', scope: memberScope });
  });
  const rolesNow = async () => {
    const rows = await db()
      .selectFrom('members')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .execute();
    return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
  };
  const forbidden = { ok: false, error: { code: 'forbidden' } };
  const conflict = { ok: false, error: { code: 'conflict' } };
  const notFound = { ok: false, error: { code: 'not_found' } };

  it('are added over HTTP with every field', async () => {
    const user = await addUser(db(), { kind: 'member', name: 'Ada' });
    const url = `${suite.app.publicUrl}/workspaces/${workspaceId}/members/${user.id}`;
    const headers = { ...staff, 'content-type': 'application/json' };
    const put = await fetch(url, {
      method: 'PUT',
      headers,
      body: '{"role": "MEMBER_ROLE_ADMIN"}',
    });
    expect(put.status).toBe(200);
    expect(await put.json()).toEqual({
      workspace_id: workspaceId,
      user_id: user.id,
      role: 'MEMBER_ROLE_ADMIN',
      email: user.email,
      name: 'Ada',
      create_time: expect.stringMatching(/Z$/),
    });
    const removed = await fetch(url, { method: 'DELETE', headers });
    expect([removed.status, await removed.json()]).toEqual([200, {}]);
    expect(await rolesNow()).toEqual({});
  });

  describeTransports(suite, (name, isOwn) => {
    const call: ReturnType<typeof suite.transport>['call'] = (
      method,
      request,
      credential = staff,
    ) => suite.transport(name).call(method, request, credential);
    const put = (userId: string, role: MemberRole, credential?: Credential) =>
      call(putMember, { workspaceId, userId, role }, credential);
    const remove = (userId: string, credential?: Credential) =>
      call(removeMember, { workspaceId, userId }, credential);
    const credentialOf = (sub: string) =>
      credentialFor(suite.testApp, { type: 'member', sub, scope: memberScope });

    it('are added, listed newest first, given another role and removed', async () => {
      const [one, two] = [
        (await addUser(db(), { kind: 'member' })).id,
        (await addUser(db(), { kind: 'member' })).id,
      ];
      const now = Date.now();
      suite.clock.frozen = now;
      onTestFinished(() => {
        suite.clock.frozen = undefined;
      });
      const first = await put(one, OWNER);
      expect(first).toMatchObject({ ok: true, message: { member: { role: OWNER } } });
      suite.clock.frozen = now + 1;
      expect(await put(two, MEMBER)).toMatchObject({ ok: true });
      const again = await put(two, ADMIN);
      expect(again).toMatchObject({ ok: true, message: { member: { role: ADMIN } } });

      const page = await call(listMembers, { workspaceId, pageSize: 1 });
      if (!page.ok) throw new Error(page.error.message);
      const pageToken = page.message.nextPageToken;
      const rest = await call(listMembers, { workspaceId, pageToken });
      if (!rest.ok) throw new Error(rest.error.message);
      const listed = [...page.message.members, ...rest.message.members];
      expect(listed.map(({ userId, role }) => [userId, role])).toEqual([
        [two, ADMIN],
        [one, OWNER],
      ]);
      expect(await remove(two)).toMatchObject({ ok: true });
      expect(await remove(two)).toMatchObject(notFound);
      expect(await rolesNow()).toEqual({ [one]: 'owner' });
    });

    it('must have a known role', async () => {
      const { id } = await addUser(db(), { kind: 'member' });
      for (const role of [UNSPECIFIED, 9 as MemberRole]) {
        const error = { code: 'invalid_argument', fields: ['role'] };
        expect(await put(id, role)).toMatchObject({ ok: false, error });
      }
    });

    it('get no role whose scopes the caller does not hold', async () => {
      const { id } = await addUser(db(), { kind: 'member' });
      const bare = await credentialFor(suite.testApp, {
        type: 'service',
        scope: 'workspaces:write',
      });
      for (const role of [OWNER, ADMIN, MEMBER]) {
        expect(await put(id, role, bare)).toMatchObject(forbidden);
      }
      const scope = 'documents:read documents:write links:read links:write workspaces:read';
      const sharing = await credentialFor(suite.testApp, {
        type: 'service',
        scope: `${scope} workspaces:write`,
      });
      expect(await put(id, ADMIN, sharing)).toMatchObject(forbidden);
      expect(await put(id, MEMBER, sharing)).toMatchObject({ ok: true });
      // A member has the scopes that both the token and the role contain.
      const admin = await addMember(db(), workspaceId, 'admin');
      const narrow = { type: 'member', sub: admin, scope: 'workspaces:write' } as const;
      expect(await put(id, ADMIN, await credentialFor(suite.testApp, narrow))).toMatchObject(
        forbidden,
      );
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    it('must be users of the kind member, in an existing workspace', async () => {
      expect(await put('usr_unknown', MEMBER)).toMatchObject(notFound);
      const { id } = await addUser(db(), { kind: 'staff' });
      expect(await put(id, MEMBER)).toMatchObject(conflict);
      const nowhere = {
        workspaceId: 'ws_unknown',
        userId: (await addUser(db(), { kind: 'member' })).id,
        role: MEMBER,
      };
      expect(await call(putMember, nowhere)).toMatchObject(notFound);
      expect(await call(removeMember, nowhere)).toMatchObject(notFound);
      expect(await call(listMembers, { workspaceId: 'ws_unknown' })).toMatchObject(notFound);
      expect(await rolesNow()).toEqual({});
    });

    it('become owners, and stop being owners, only through owners and staff', async () => {
      const owner = await addMember(db(), workspaceId, 'owner');
      const admin = await addMember(db(), workspaceId, 'admin');
      const other = await addMember(db(), workspaceId, 'member');
      const asAdmin = await credentialOf(admin);
      const asOwner = await credentialOf(owner);
      expect(await put(other, ADMIN, asAdmin)).toMatchObject({ ok: true });
      for (const [userId, role] of [
        [other, OWNER],
        [admin, OWNER],
        [owner, ADMIN],
        [owner, MEMBER],
      ] as const) {
        expect(await put(userId, role, asAdmin)).toMatchObject(forbidden);
      }
      expect(await remove(owner, asAdmin)).toMatchObject(forbidden);
      expect(await rolesNow()).toEqual({ [owner]: 'owner', [admin]: 'admin', [other]: 'admin' });

      expect(await put(other, OWNER, asOwner)).toMatchObject({ ok: true });
      expect(await put(owner, ADMIN, await credentialOf(other))).toMatchObject({ ok: true });
      expect(await put(owner, OWNER, asOwner)).toMatchObject(forbidden);
      expect(await put(owner, OWNER)).toMatchObject({ ok: true });
    });

    it('include the last owner of a workspace, who cannot be removed', async () => {
      const owner = await addMember(db(), workspaceId, 'owner');
      for (const credential of [staff, await credentialOf(owner)]) {
        expect(await put(owner, ADMIN, credential)).toMatchObject(conflict);
        expect(await remove(owner, credential)).toMatchObject(conflict);
        expect(await put(owner, OWNER, credential)).toMatchObject({ ok: true });
      }
      const { id: disabled } = await addUser(db(), { kind: 'member', disabled: true });
      await addMember(db(), workspaceId, 'owner', disabled);
      expect(await put(owner, ADMIN)).toMatchObject(conflict);
      expect(await remove(owner)).toMatchObject(conflict);
      expect(await remove(disabled)).toMatchObject({ ok: true });
      const second = await addMember(db(), workspaceId, 'owner');
      const answers = await Promise.all([owner, second].map((userId) => remove(userId)));
      expect(answers.filter(({ ok }) => ok).length).toBe(1);
      expect(Object.values(await rolesNow())).toEqual(['owner']);
    });

    it('are not added by members, who get the same error for unknown users', async () => {
      const asOwner = await credentialOf(await addMember(db(), workspaceId, 'owner'));
      const stranger = await addUser(db(), { kind: 'member' });
      const answers = [];
      for (const id of [stranger.id, (await addUser(db(), {})).id, 'usr_unknown']) {
        answers.push(await put(id, MEMBER, asOwner), await remove(id, asOwner));
      }
      expect(answers).toHaveLength(6);
      const messages = answers.map((answer) => (answer.ok ? '' : answer.error.message));
      for (const answer of answers) expect(answer).toMatchObject(notFound);
      expect(new Set(messages).size).toBe(1);
      expect(Object.values(await rolesNow())).toEqual(['owner']);
    });

    it('can leave, whatever their role, unless no owner would be left', async () => {
      const leave = (credential: Credential) => call(leaveWorkspace, { workspaceId }, credential);
      const owner = await addMember(db(), workspaceId, 'owner');
      for (const role of ['owner', 'admin', 'member'] as const) {
        const credential = await credentialOf(await addMember(db(), workspaceId, role));
        expect(await leave(credential), role).toMatchObject({ ok: true });
        expect(await leave(credential), role).toMatchObject(forbidden);
      }
      expect(await leave(await credentialOf(owner))).toMatchObject(conflict);
      expect(await rolesNow()).toEqual({ [owner]: 'owner' });
    });

    it('who were added without an invitation name the workspace to change something', async () => {
      const { ownerId: theirs } = await addWorkspace(db(), '');
      const { id } = await addUser(db(), { kind: 'member' });
      expect(await put(id, MEMBER)).toMatchObject({ ok: true });
      const credential = await credentialFor(suite.testApp, {
        type: 'member',
        sub: id,
        scope: 'documents:read links:write',
      });
      const list = (named = '') => call(listDocuments, { workspaceId: named }, credential);
      const change = (named = '') =>
        call(createLink, { workspaceId: named, documentId: 'doc_none' }, credential);
      const unnamed = { ok: false, error: { code: 'invalid_argument', fields: ['workspace_id'] } };
      expect(await list()).toMatchObject({ ok: true });
      expect(await change()).toMatchObject(unnamed);
      expect(await change(workspaceId)).toMatchObject(notFound);

      // The workspace that the user joined is still the only candidate.
      await addMember(db(), theirs, 'member', id);
      await expect.poll(() => list(theirs)).toMatchObject({ ok: true });
      expect(await change()).toMatchObject(notFound);
      expect(await list()).toMatchObject({ ok: true });
    });

    it('gain and lose access at once, also when another process changed it', async () => {
      const { id } = await addUser(db(), { kind: 'member' });
      const credential = await credentialOf(id);
      const read = () => call(getWorkspace, { workspaceId }, credential);
      expect(await read()).toMatchObject(forbidden);
      await put(id, MEMBER);
      expect(await read()).toMatchObject({ ok: true });
      await remove(id);
      expect(await read()).toMatchObject(forbidden);
      await addMember(db(), workspaceId, 'member', id);
      await expect.poll(read).toMatchObject({ ok: true });
    });
  });
});
