import { beforeEach, expect, it } from 'vitest';
import { InvitationService } from '../../gen/latchkey/sharing/v1/invitation_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { Executor, MemberRow } from '../../src/storage/schema/schema.ts';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { tokenOfMail } from '../support/mailed-links.ts';
import { describeOneTransport, describeTransports } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addClient, addWorkspace, changeAsOtherProcess } from '../support/owner-rows.ts';
import type { Credential } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

const { createInvitation, listInvitations, revokeInvitation, listMembers } =
  WorkspaceService.method;
const { readInvitation, acceptInvitation, joinWorkspace } = InvitationService.method;
const password = 'a new and much longer password';
const page = 'invitation';
const refused = { ok: false, error: { code: 'identity.credential_invalid' } };
const forbidden = { ok: false, error: { code: 'forbidden' } };
const conflict = { ok: false, error: { code: 'conflict' } };
let addresses = 0;
const newAddress = () => `invited-${++addresses}@example.com`;

describeApp('an invitation', (suite) => {
  const db = () => suite.app.inside.db;

  /** Each test begins without counted mails. */
  beforeEach(async () => {
    suite.clock.frozen = undefined;
    await db().deleteFrom('throttle_counters').execute();
  });

  async function newWorkspace(role: MemberRow['role'] = 'owner') {
    const { ownerId: workspaceId } = await addWorkspace(db(), '');
    const userId = await addMember(db(), workspaceId, role);
    const token = { type: 'member', sub: userId, scope: memberScope } as const;
    return { workspaceId, userId, own: await credentialFor(suite.testApp, token) };
  }
  type Inviting = { workspaceId: string; own: Credential };

  function helpers(name: 'http' | 'grpc' | 'connect') {
    const call: ReturnType<typeof suite.transport>['call'] = (method, request, credential) =>
      suite.transport(name).call(method, request, credential);
    const invite = ({ workspaceId, own }: Inviting, email: string, role = MemberRole.MEMBER) =>
      call(createInvitation, { workspaceId, email, role }, own);
    async function invited(by: Inviting, email = newAddress(), role = MemberRole.MEMBER) {
      const answer = await invite(by, email, role);
      if (!answer.ok) throw new Error(answer.error.message);
      const token = await tokenOfMail(suite.testApp, email, { page });
      return { email, token, invitationId: answer.message.invitation?.id ?? '' };
    }
    const accept = (token: string, text = password) =>
      call(acceptInvitation, { token, name: 'Grace', password: text });
    async function emails({ workspaceId, own }: Inviting): Promise<string[]> {
      const answer = await call(listMembers, { workspaceId }, own);
      return answer.ok ? answer.message.members.map(({ email }) => email) : [];
    }
    return { call, invite, invited, accept, emails };
  }

  describeTransports(suite, (name) => {
    const { call, invited, accept, emails } = helpers(name);

    it('lets a new user choose a password and join, once', async () => {
      const by = await newWorkspace();
      const { email, token, invitationId } = await invited(by);
      expect(await call(readInvitation, { token })).toMatchObject({
        ok: true,
        message: {
          email,
          workspaceName: 'Test workspace',
          role: MemberRole.MEMBER,
          hasUser: false,
        },
      });

      const accepted = await accept(token);
      expect(accepted).toMatchObject({ ok: true, message: { workspaceId: by.workspaceId } });
      const events = await db()
        .selectFrom('audit_events')
        .select(['action', 'actor_type', 'actor_id'])
        .where('target', '=', invitationId)
        .where('code', '=', 'ok')
        .orderBy('action')
        .execute();
      const member = { actor_type: 'member' };
      expect(events).toEqual([
        {
          ...member,
          action: 'InvitationService.AcceptInvitation',
          actor_id: accepted.ok ? accepted.message.userId : '',
        },
        { ...member, action: 'WorkspaceService.CreateInvitation', actor_id: by.userId },
      ]);

      expect(await emails(by)).toContain(email);
      const browser = new CookieClient(suite.transport(name));
      const signedIn = await browser.signedIn({ email, password });
      expect(signedIn.user).toMatchObject({ name: 'Grace', kind: 'member' });
      expect(await accept(token)).toMatchObject(refused);
      expect(await call(readInvitation, { token })).toMatchObject(refused);
    });

    it('lets an existing user with the address join after a sign-in', async () => {
      const by = await newWorkspace();
      const user = await addUser(db(), { kind: 'member', email: newAddress() });
      const { token } = await invited(by, user.email);
      expect(await call(readInvitation, { token })).toMatchObject({ message: { hasUser: true } });
      expect(await accept(token)).toMatchObject(conflict);
      const join = (userId: string, own: Credential) => call(joinWorkspace, { token, userId }, own);
      const { id: otherId } = await addUser(db(), { kind: 'member' });
      const other = await credentialFor(suite.testApp, { type: 'member', sub: otherId, scope: '' });
      expect(await join(otherId, other)).toMatchObject(forbidden);
      expect(await join(user.id, other)).toMatchObject(forbidden);

      const own = await credentialFor(suite.testApp, { type: 'member', sub: user.id, scope: '' });
      expect(await join(user.id, own)).toMatchObject({
        ok: true,
        message: { workspaceId: by.workspaceId },
      });
      expect(await emails(by)).toContain(user.email);
      expect(await join(user.id, own)).toMatchObject(refused);
    });

    it('is listed until it is revoked, which makes its link invalid', async () => {
      const by = await newWorkspace();
      const { workspaceId, own } = by;
      const { email, token, invitationId } = await invited(by, newAddress(), MemberRole.ADMIN);
      const list = () => call(listInvitations, { workspaceId }, own);
      expect(await list()).toMatchObject({
        message: {
          invitations: [{ id: invitationId, workspaceId, email, role: MemberRole.ADMIN }],
        },
      });
      const stranger = await newWorkspace();
      const ids = { workspaceId: stranger.workspaceId, invitationId };
      const notFound = { ok: false, error: { code: 'not_found' } };
      expect(await call(revokeInvitation, ids, stranger.own)).toMatchObject(notFound);

      const revoke = () => call(revokeInvitation, { workspaceId, invitationId }, own);
      expect(await revoke()).toMatchObject({ ok: true });
      expect(await list()).toMatchObject({ message: { invitations: [] } });
      expect(await accept(token)).toMatchObject(refused);
      expect(await revoke()).toMatchObject(notFound);
    });
  });

  describeOneTransport(suite, (name) => {
    const { call, invite, invited, accept, emails } = helpers(name);

    it('refuses a name with control characters, and can be accepted afterwards', async () => {
      const { token } = await invited(await newWorkspace());
      const disguised = { token, name: 'Grace\u202e', password };
      const error = { code: 'invalid_argument', fields: ['name'] };
      expect(await call(acceptInvitation, disguised)).toMatchObject({ ok: false, error });
      expect(await accept(token)).toMatchObject({ ok: true });
    });

    it('gives no role that its creator may not give', async () => {
      const admin = await newWorkspace('admin');
      expect(await invite(admin, newAddress(), MemberRole.OWNER)).toMatchObject(forbidden);
      expect(await invite(admin, newAddress(), MemberRole.ADMIN)).toMatchObject({ ok: true });
      const member = await newWorkspace('member');
      expect(await invite(member, newAddress())).toMatchObject(forbidden);
      const { ownerId, text: _ } = await addClient(db(), 'workspaces:write');
      const token = { type: 'service', sub: ownerId, scope: 'workspaces:write' } as const;
      const service = {
        workspaceId: admin.workspaceId,
        own: await credentialFor(suite.testApp, token),
      };
      expect(await invite(service, newAddress())).toMatchObject(forbidden);
    });

    it('to be an owner is revoked and replaced by owners only', async () => {
      const owner = await newWorkspace();
      const { workspaceId } = owner;
      const admin = await addMember(db(), workspaceId, 'admin');
      const token = { type: 'member', sub: admin, scope: memberScope } as const;
      const asAdmin = { workspaceId, own: await credentialFor(suite.testApp, token) };
      const { email, invitationId } = await invited(owner, newAddress(), MemberRole.OWNER);

      const revoke = ({ own }: Inviting) =>
        call(revokeInvitation, { workspaceId, invitationId }, own);
      expect(await revoke(asAdmin)).toMatchObject(forbidden);
      expect(await invite(asAdmin, email)).toMatchObject(forbidden);

      expect(await revoke(owner)).toMatchObject({ ok: true });
      expect(await invite(asAdmin, email)).toMatchObject({ ok: true });
    });

    it('becomes invalid when its creator may no longer give the role', async () => {
      const changes: ((trx: Executor, userId: string) => { execute(): Promise<unknown> })[] = [
        (trx, id) => trx.updateTable('members').set({ role: 'member' }).where('user_id', '=', id),
        (trx, id) => trx.deleteFrom('members').where('user_id', '=', id),
        (trx, id) => trx.updateTable('users').set({ disable_time: 1 }).where('id', '=', id),
      ];
      for (const change of changes) {
        const by = await newWorkspace('admin');
        const { token } = await invited(by);
        await changeAsOtherProcess(db(), (trx) => change(trx, by.userId).execute());
        expect(await accept(token)).toMatchObject(refused);
      }
    });

    it('to be an owner becomes invalid when its creator is an owner no longer', async () => {
      const by = await newWorkspace();
      const { token } = await invited(by, newAddress(), MemberRole.OWNER);
      await changeAsOtherProcess(db(), (trx) =>
        trx
          .updateTable('members')
          .set({ role: 'admin' })
          .where('user_id', '=', by.userId)
          .execute(),
      );
      expect(await accept(token)).toMatchObject(refused);
    });

    it('expires after seven days', async () => {
      const by = await newWorkspace();
      const start = Date.now();
      suite.clock.frozen = start;
      const { token } = await invited(by);
      suite.clock.frozen = start + 7 * 86_400_000;
      expect(await accept(token)).toMatchObject(refused);
      suite.clock.frozen -= 1;
      expect(await accept(token)).toMatchObject({ ok: true });
    });

    it('is replaced by the next one to the same address', async () => {
      const by = await newWorkspace();
      const { email, token } = await invited(by);
      expect(await invite(by, email.toUpperCase())).toMatchObject({ ok: true });
      const next = await tokenOfMail(suite.testApp, email, { page, count: 2 });
      for (const [text, outcome] of [
        [token, refused],
        [next, { ok: true }],
      ] as const) {
        expect(await accept(text)).toMatchObject(outcome);
      }
    });

    it('is accepted once if two calls use the link at the same time', async () => {
      const by = await newWorkspace();
      const { email, token } = await invited(by);
      const answers = await Promise.all([accept(token), accept(token)]);
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      expect((await emails(by)).filter((one) => one === email)).toHaveLength(1);
    });

    it('cannot be sent to a member, and not without an address', async () => {
      const by = await newWorkspace();
      const { email, token } = await invited(by);
      await accept(token);
      expect(await invite(by, email)).toMatchObject(conflict);
      const error = { code: 'invalid_argument', fields: ['email'] };
      expect(await invite(by, 'not an address')).toMatchObject({ ok: false, error });
    });

    it('refuses an easy password and stays valid', async () => {
      const by = await newWorkspace();
      const { token } = await invited(by);
      const error = { code: 'invalid_argument', fields: ['password'] };
      expect(await accept(token, 'short')).toMatchObject({ ok: false, error });
      expect(await accept(token)).toMatchObject({ ok: true });
    });

    it('is refused after 100 open ones, and after five to an address', async () => {
      const by = await newWorkspace();
      const { invitationId } = await invited(by);
      const row = await db()
        .selectFrom('invitations')
        .selectAll()
        .where('id', '=', invitationId)
        .executeTakeFirstOrThrow();
      const email = newAddress();
      for (let i = 0; i < 5; i++) expect(await invite(by, email)).toMatchObject({ ok: true });
      const error = { code: 'rate_limited' };
      expect(await invite(by, email.replace('@', '+1@'))).toMatchObject({ ok: false, error });
      const rows = Array.from({ length: 98 }, (_, i) => ({
        ...row,
        id: `inv_${i}`,
        email: `filler-${i}@example.com`,
      }));
      await db().insertInto('invitations').values(rows).execute();
      expect(await invite(by, newAddress())).toMatchObject(conflict);
      await db().deleteFrom('invitations').where('email', 'like', 'filler-%').execute();
    });

    it('stores and logs no token', async () => {
      const { token } = await invited(await newWorkspace());
      const [, secret = ''] = token.split('.');
      expect(secret).toHaveLength(43);
      const rows = await db().selectFrom('invitations').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(await suite.testApp.logText()).not.toContain(secret);
    });
  });
});
