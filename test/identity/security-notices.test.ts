// Mails to users about changes of their password, address and factors, and about new devices.
import { describe, expect, it } from 'vitest';
import { PasswordResetService } from '../../gen/latchkey/identity/v1/password_reset_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { InvitationService } from '../../gen/latchkey/sharing/v1/invitation_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { describeApp, startPlace } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { mailsOf } from '../support/gate-visitor.ts';
import { callJson } from '../support/json-calls.ts';
import { tokenOfMail } from '../support/mailed-links.ts';
import { messageOf } from '../support/manager-calls.ts';
import { credentialFor, memberScope } from '../support/member-rows.ts';
import { addTotp, addUser, codeAt, fromBase32 } from '../support/user-rows.ts';

const users = UserService.method;
const password = 'correct horse battery staple';
const next = 'another long password';

describeApp('a mail to the user', (suite) => {
  const db = () => suite.app.inside.db;
  const transport = () => suite.transport('connect');
  forgetAttempts(suite);

  async function start() {
    const user = await addUser(db(), { kind: 'member', password });
    const own = await credentialFor(suite.testApp, { type: 'member', scope: '', sub: user.id });
    const scope = 'users:write';
    const service = await credentialFor(suite.testApp, { type: 'service', scope });
    return { userId: user.id, email: user.email, own, service };
  }
  const mailsTo = async (email: string) =>
    (await mailsOf(suite.testApp)).filter(({ to }) => to === email);
  /** Waits until the subjects of the mails to an address are these. */
  async function expectMails(email: string, subjects: readonly string[]) {
    const sent = async () => (await mailsTo(email)).map(({ subject }) => subject);
    await expect.poll(sent, { timeout: 10_000 }).toEqual(subjects);
    return mailsTo(email);
  }
  const signIn = (email: string, otp = '') =>
    new CookieClient(transport()).signedIn({ email, password, otp });

  it('follows a password that the user sets', async () => {
    const { userId, email, own } = await start();
    const request = { userId, password: next, currentPassword: password };
    messageOf(await transport().call(users.setPassword, request, own));
    const [mail] = await expectMails(email, ['Your password was changed']);
    for (const body of [mail?.text, mail?.html]) {
      expect(body).toMatch(/Time: \d+ \w+ \d{4}, \d\d:\d\d UTC/);
      expect(body).toContain('Network: 127.0.0.1');
      expect(body).toContain('If this was not you');
      expect(body).toContain(`${suite.app.publicUrl}/console/forgot-password`);
      expect(body).not.toContain('By:');
      expect(body).not.toMatch(/[\u00ad\u200b-\u200f\u2060\ufeff]/);
      for (const secret of [password, next]) expect(body).not.toContain(secret);
    }
  });

  it('follows a new password from a service, and a reset', async () => {
    const { userId, email, service } = await start();
    messageOf(await transport().call(users.setPassword, { userId, password: next }, service));
    const changed = 'Your password was changed';
    const [mail] = await expectMails(email, [changed]);
    expect(mail?.text).toContain('- By: a service client');

    const { requestPasswordReset, resetPassword } = PasswordResetService.method;
    messageOf(await transport().call(requestPasswordReset, { email }));
    const token = await tokenOfMail(suite.testApp, email, { page: 'reset-password' });
    messageOf(await transport().call(resetPassword, { token, password }));
    await expectMails(email, [changed, 'Reset your password', changed]);
  });

  it('goes to the old and the new address', async () => {
    const { userId, email, service } = await start();
    const changed = `new-$$-${email}`;
    const request = { userId, email: changed, name: 'Ada' };
    messageOf(await transport().call(users.updateUser, request, service));
    for (const to of [email, changed]) {
      const [mail] = await expectMails(to, ['Your email address was changed']);
      expect(mail?.text).toContain(`- Old address: ${email}\n- New address: ${changed}\n`);
    }
    messageOf(await transport().call(users.updateUser, { userId, name: 'Grace' }, service));
    messageOf(await transport().call(users.setPassword, { userId, password: next }, service));
    await expectMails(changed, ['Your email address was changed', 'Your password was changed']);
  });

  it('follows each change of the second factor', async () => {
    const { userId, email, own } = await start();
    const call = transport().call;
    messageOf(await call(users.removeTotp, { userId }, own));
    const { secret } = messageOf(await call(users.enrolTotp, { userId }, own));
    messageOf(await call(users.removeTotp, { userId }, own));
    const { secret: seed } = messageOf(await call(users.enrolTotp, { userId }, own));
    const code = codeAt(fromBase32(seed), Date.now());
    messageOf(await call(users.confirmTotp, { userId, code }, own));
    const added = 'An authenticator app was added';
    await expectMails(email, [added]);
    const { codes } = messageOf(await call(users.createRecoveryCodes, { userId }, own));
    await expectMails(email, [added, 'You have new recovery codes']);
    messageOf(await call(users.removeTotp, { userId }, own));
    const removed = 'Your authenticator app was removed';
    const mails = await expectMails(email, [added, 'You have new recovery codes', removed]);
    for (const text of [secret, seed, ...codes]) expect(JSON.stringify(mails)).not.toContain(text);
  });

  it('follows a sign-in from a new device, except the first one', async () => {
    const { email } = await start();
    const browser = new CookieClient(transport());
    await browser.signedIn({ email, password });
    await browser.signedIn({ email, password });
    await signIn(email);
    const [mail] = await expectMails(email, ['New sign-in to your account']);
    expect(mail?.text).toContain('Network: 127.0.0.1');
  });

  it('does not follow the first sign-in after an invitation', async () => {
    const { WORKSPACE_ID: workspaceId } = suite.testApp.env;
    const email = `invited-${Date.now()}@example.com`;
    const inviter = await credentialFor(suite.testApp, { type: 'service', scope: memberScope });
    const request = { workspaceId, email, role: MemberRole.MEMBER };
    const { createInvitation } = WorkspaceService.method;
    messageOf(await transport().call(createInvitation, request, inviter));
    const token = await tokenOfMail(suite.testApp, email, { page: 'invitation' });
    const { acceptInvitation } = InvitationService.method;
    messageOf(await transport().call(acceptInvitation, { token, name: 'Ada', password }));
    await signIn(email);
    await signIn(email);
    await expectMails(email, ['You are invited to a workspace', 'New sign-in to your account']);
  });

  it('follows the use of a recovery code', async () => {
    const { userId, email, own } = await start();
    await addTotp(suite.testApp, userId);
    const request = { userId };
    const { codes } = messageOf(await transport().call(users.createRecoveryCodes, request, own));
    // Mails do not wait for each other.
    await expectMails(email, ['You have new recovery codes']);
    await signIn(email, codes[0]);
    await expectMails(email, ['You have new recovery codes', 'A recovery code was used']);
  });

  it('comes at most five times in a row about the same', async () => {
    const { userId, email, service } = await start();
    for (let i = 0; i < 8; i++) await signIn(email);
    const subjects = Array(5).fill('New sign-in to your account');
    await expectMails(email, subjects);
    // The mail about a later change follows all mails about the sign-ins.
    messageOf(await transport().call(users.setPassword, { userId, password: next }, service));
    await expectMails(email, [...subjects, 'Your password was changed']);
  });
});

describe('the network in a mail', () => {
  it('is shortened for IPv6', async () => {
    const config = { trustedProxies: ['127.0.0.1'] };
    const { testApp, app, db } = await startPlace({ config });
    const { email } = await addUser(db, { kind: 'member', password });
    const from = { 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' };
    for (let i = 0; i < 2; i++) {
      const signIn = await callJson(app, 'POST', '/sessions', { email, password }, from);
      expect(signIn.status).toBe(200);
    }
    const texts = async () =>
      (await mailsOf(testApp)).filter(({ to }) => to === email).map(({ text }) => text);
    await expect.poll(texts).toHaveLength(1);
    expect((await texts())[0]).toContain('Network: 2001:db8:1:2::/64\n');
  });
});
