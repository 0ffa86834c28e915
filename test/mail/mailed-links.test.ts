import { afterAll, beforeAll, expect, it } from 'vitest';
import { PasswordResetService } from '../../gen/latchkey/identity/v1/password_reset_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { credentialFor, memberScope } from '../support/member-rows.ts';
import { closedPort } from '../support/smtp.ts';
import { openTransports, type Transport } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

let test: TestApp;
let transports: Transport[];
beforeAll(async () => {
  const smtp = { host: '127.0.0.1', port: closedPort, encryption: 'local' } as const;
  test = await startTestApp({ config: { smtp: { ...smtp, login: undefined } } });
  transports = openTransports(test.app);
});
afterAll(async () => {
  for (const transport of transports) transport.close();
  await test.remove();
});

it('an invitation whose mail cannot be sent is not stored', async () => {
  const own = await credentialFor(test, { type: 'service', scope: memberScope });
  for (const transport of transports) {
    const email = `invited-${transport.name}@example.com`;
    const request = { workspaceId: test.env.WORKSPACE_ID, email, role: MemberRole.MEMBER };
    const answer = await transport.call(WorkspaceService.method.createInvitation, request, own);
    expect(answer).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  }
  expect(await test.app.inside.db.selectFrom('invitations').selectAll().execute()).toEqual([]);
});

it('a password reset whose mail cannot be sent answers the same and logs a warning', async () => {
  const { email } = await addUser(test.app.inside.db, {
    kind: 'member',
    password: 'a long password',
  });
  for (const transport of transports) {
    for (const one of [email, 'no-one@example.com']) {
      const { requestPasswordReset } = PasswordResetService.method;
      expect(await transport.call(requestPasswordReset, { email: one })).toMatchObject({
        ok: true,
      });
    }
  }
  await expect.poll(() => test.logText()).toContain('a mail for a password reset was not sent');
  expect(await test.logText()).not.toContain(email);
});
