// The mails of invitations that are created with an Idempotency-Key.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UserAccessService } from '../../gen/latchkey/identity/v1/user_access_pb.js';
import { InvitationService } from '../../gen/latchkey/sharing/v1/invitation_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { allScopes } from '../support/administrator.ts';
import { newKey } from '../support/creating-calls.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { addInvitation } from '../support/invitation-rows.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { credentialFor, memberScope } from '../support/member-rows.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp.ts';
import { type Credential, openTransports, type Transport } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

let test: TestApp;
let transports: Transport[];
let smtp: TestSmtpServer;
const refused = new Set<string>();
let onRecipient = async () => {};
beforeAll(async () => {
  smtp = await startSmtpServer({
    onRcptTo: ({ address }, _, done) => {
      const answer = () => done(refused.has(address) ? new Error('full') : undefined);
      onRecipient().then(answer, done);
    },
  });
  const server = { host: '127.0.0.1', port: smtp.port, encryption: 'local' } as const;
  test = await startTestApp({ config: { smtp: { ...server, login: undefined } } });
  transports = openTransports(test.app);
});
afterAll(async () => {
  for (const transport of transports) transport.close();
  await test.remove();
  await smtp.stop();
});

it('a call sends one mail, and none if it is repeated', async () => {
  const own = await credentialFor(test, { type: 'service', scope: memberScope });
  for (const transport of transports) {
    const email = `invited-${transport.name}@example.com`;
    const request = { workspaceId: test.env.WORKSPACE_ID, email, role: MemberRole.MEMBER };
    const { createInvitation } = WorkspaceService.method;
    const credential = { ...own, idempotencyKey: newKey() };
    const invite = () => transport.call(createInvitation, request, credential);

    refused.add(email);
    expect(codeOf(await invite())).toBe('unavailable');
    expect(codeOf(await invite())).toBe('unavailable');
    const { db } = test.app.inside;
    expect(await db.selectFrom('recorded_answers').select('key').execute()).toEqual([]);

    refused.delete(email);
    const { invitation } = messageOf(await invite());
    expect(invitation).toMatchObject({ email });
    expect(messageOf(await invite())).toMatchObject({ invitation });
    expect(smtp.arrived.filter(({ to }) => to.includes(email))).toHaveLength(1);
    await db.deleteFrom('recorded_answers').execute();
  }
});

/** The invitations of an address, with their events and the number of recorded answers. */
async function stateOf(email: string) {
  const { db } = test.app.inside;
  const rows = await db.selectFrom('invitations').selectAll().where('email', '=', email).execute();
  const ids = rows.map(({ id }) => id);
  const events = await db
    .selectFrom('audit_events')
    .select('action')
    .where('target', 'in', ids)
    .execute();
  const answers = await db.selectFrom('recorded_answers').select('key').execute();
  return { rows, actions: events.map(({ action }) => action), answers: answers.length };
}

it('an invitation whose mail fails leaves the one that it replaced', async () => {
  const own = await credentialFor(test, { type: 'service', scope: memberScope });
  const email = 'invited-again@example.com';
  const request = { workspaceId: test.env.WORKSPACE_ID, email, role: MemberRole.MEMBER };
  const [transport] = transports as [Transport];
  const invite = (credential: Credential = own) =>
    transport.call(WorkspaceService.method.createInvitation, request, credential);

  const { invitation } = messageOf(await invite());
  const { rows: earlier } = await stateOf(email);
  expect(earlier).toMatchObject([{ id: invitation?.id }]);
  // A process that ends during the mail leaves this state.
  let whileMailing: unknown;
  onRecipient = async () => {
    whileMailing = await stateOf(email);
  };
  const actions = ['WorkspaceService.CreateInvitation'];
  refused.add(email);
  expect(codeOf(await invite({ ...own, idempotencyKey: newKey() }))).toBe('unavailable');
  const both = { rows: [...earlier, { email }], actions: [...actions, ...actions] };
  expect(whileMailing).toMatchObject({ ...both, answers: 1 });
  expect(await stateOf(email)).toEqual({ rows: earlier, actions, answers: 0 });

  refused.delete(email);
  whileMailing = undefined;
  const { invitation: replacement } = messageOf(await invite());
  expect(whileMailing).toMatchObject({ ...both, answers: 0 });
  const after = { rows: [{ id: replacement?.id }], actions, answers: 0 };
  expect(await stateOf(email)).toMatchObject(after);
  const ended = await test.app.inside.db
    .selectFrom('audit_events')
    .select(['action', 'actor_type'])
    .where('target', '=', invitation?.id ?? '')
    .orderBy('id')
    .execute();
  expect(ended).toContainEqual({
    action: 'WorkspaceService.RevokeInvitation',
    actor_type: 'system',
  });
});

/** Each mail of the server waits until two have arrived. */
function waitForTwoMails(): void {
  const waiting: (() => void)[] = [];
  onRecipient = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 2) for (const go of waiting) go();
    });
}

/** An invitation with its token, and calls that replace, read, revoke and accept it. */
async function anEarlier(email: string) {
  const own = await credentialFor(test, { type: 'service', scope: memberScope });
  const workspaceId = test.env.WORKSPACE_ID;
  const earlier = await addInvitation(test, email, workspaceId);
  const [transport] = transports as [Transport];
  const { createInvitation, revokeInvitation } = WorkspaceService.method;
  const { readInvitation, acceptInvitation } = InvitationService.method;
  const { id: invitationId, token } = earlier;
  const accepted = { token, name: 'Grace', password: 'a new and much longer password' };
  return {
    earlier: invitationId,
    replace: () =>
      transport.call(createInvitation, { workspaceId, email, role: MemberRole.MEMBER }, own),
    read: async () => codeOf(await transport.call(readInvitation, { token })),
    revoke: () => transport.call(revokeInvitation, { workspaceId, invitationId }, own),
    accept: () => transport.call(acceptInvitation, accepted),
    ids: async () => (await stateOf(email)).rows.map(({ id }) => id),
  };
}

it('the earlier invitation stays valid until the mail of the later one is sent', async () => {
  const { replace, read } = await anEarlier('valid-during@example.com');
  const codes: string[] = [];
  onRecipient = async () => {
    codes.push(await read());
  };
  messageOf(await replace());
  codes.push(await read());
  expect(codes).toEqual(['ok', 'identity.credential_invalid']);
});

it('two replacing calls whose mails fail leave the earlier invitation', async () => {
  const email = 'fails-twice@example.com';
  const { earlier, replace, read, ids } = await anEarlier(email);
  refused.add(email);
  waitForTwoMails();
  const answers = await Promise.all([replace(), replace()]);
  expect(answers.map(codeOf)).toEqual(['unavailable', 'unavailable']);
  expect(await ids()).toEqual([earlier]);
  expect(await read()).toBe('ok');
});

it('of two replacing calls at the same time, one leaves its invitation', async () => {
  const { replace, ids } = await anEarlier('sent-twice@example.com');
  waitForTwoMails();
  const created = await Promise.all([replace(), replace()]);
  const left = await ids();
  expect(left).toHaveLength(1);
  expect(created.map((answer) => messageOf(answer).invitation?.id)).toContain(left[0]);
});

it('an earlier invitation that is revoked during a mail that fails stays revoked', async () => {
  const email = 'revoked-during@example.com';
  const { replace, revoke, read, ids } = await anEarlier(email);
  refused.add(email);
  onRecipient = async () => {
    messageOf(await revoke());
  };
  expect(codeOf(await replace())).toBe('unavailable');
  expect(await ids()).toEqual([]);
  expect(await read()).toBe('identity.credential_invalid');
});

it('accepting the earlier invitation during the mail ends the later one', async () => {
  const { replace, accept, ids } = await anEarlier('accepted-during@example.com');
  onRecipient = async () => {
    messageOf(await accept());
  };
  messageOf(await replace());
  expect(await ids()).toEqual([]);
});

it('all access that is revoked during a mail leaves no invitation of the leaver', async () => {
  const { db } = test.app.inside;
  const [transport] = transports as [Transport];
  const admin = await credentialFor(test, { type: 'staff', scope: allScopes });
  const aSender = async () => {
    const { id } = await addUser(db, { kind: 'staff', scopes: memberScope });
    return { id, own: await credentialFor(test, { type: 'staff', sub: id, scope: memberScope }) };
  };
  const outcomes: Record<string, unknown> = {};
  for (const leaver of ['first', 'second'] as const) {
    for (const mail of ['sent', 'refused'] as const) {
      const email = `left-${leaver}-${mail}@example.com`;
      const request = { workspaceId: test.env.WORKSPACE_ID, email, role: MemberRole.MEMBER };
      const senders = { first: await aSender(), second: await aSender() };
      const invite = ({ own }: typeof senders.first) =>
        transport.call(WorkspaceService.method.createInvitation, request, own);
      onRecipient = async () => {};
      messageOf(await invite(senders.first));
      if (mail === 'refused') refused.add(email);
      onRecipient = async () => {
        const { id: userId } = senders[leaver];
        messageOf(
          await transport.call(UserAccessService.method.revokeAllAccess, { userId }, admin),
        );
      };
      const answer = await invite(senders.second);
      const { rows } = await stateOf(email);
      const { id } = senders.second;
      const isLeft = rows.map(({ inviter_id }) => (inviter_id === id ? 'second' : 'first'));
      outcomes[`${leaver} ${mail}`] = [codeOf(answer), ...isLeft];
    }
  }
  expect(outcomes).toEqual({
    // The second sender stays.
    'first sent': ['ok', 'second'],
    'first refused': ['unavailable'],
    'second sent': ['ok'],
    // The invitation of the first sender was not replaced.
    'second refused': ['unavailable', 'first'],
  });
});
