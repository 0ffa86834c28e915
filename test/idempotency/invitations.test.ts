// The mails of invitations that are created with an Idempotency-Key.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { newKey } from '../support/creating-calls.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { credentialFor, memberScope } from '../support/member-rows.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp.ts';
import { openTransports, type Transport } from '../support/transports.ts';

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

it('an earlier invitation stays valid until the mail of its replacement is sent', async () => {
  const own = await credentialFor(test, { type: 'service', scope: memberScope });
  const email = 'invited-again@example.com';
  const request = { workspaceId: test.env.WORKSPACE_ID, email, role: MemberRole.MEMBER };
  const [transport] = transports as [Transport];
  const invite = () => transport.call(WorkspaceService.method.createInvitation, request, own);
  const { db } = test.app.inside;
  const stored = () =>
    db.selectFrom('invitations').selectAll().where('email', '=', email).execute();

  const { invitation } = messageOf(await invite());
  const earlier = await stored();
  expect(earlier).toMatchObject([{ id: invitation?.id }]);
  let whileMailing: unknown;
  onRecipient = async () => {
    whileMailing = await stored();
  };
  refused.add(email);
  expect(codeOf(await invite())).toBe('unavailable');
  expect(whileMailing).toEqual(earlier);
  expect(await stored()).toEqual(earlier);

  refused.delete(email);
  const { invitation: replacement } = messageOf(await invite());
  expect(whileMailing).toEqual(earlier);
  expect(await stored()).toMatchObject([{ id: replacement?.id }]);
});
