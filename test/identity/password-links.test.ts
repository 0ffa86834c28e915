// Links with which staff let a user choose the password.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { expect, it } from 'vitest';
import { PasswordResetService } from '../../gen/latchkey/identity/v1/password_reset_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { readConfig } from '../../src/base/config/config.ts';
import { describeApp, startPlace } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { tokenOfMail, tokensFor } from '../support/mailed-links.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addUser } from '../support/user-rows.ts';

const { requestPasswordReset, resetPassword } = PasswordResetService.method;
const { mailPasswordLink } = UserService.method;
const password = 'a new and much longer password';
const page = 'reset-password';
const refused = { ok: false, error: { code: 'identity.credential_invalid' } };

describeApp('a password link', (suite) => {
  const db = () => suite.app.inside.db;

  forgetAttempts(suite);

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name);
    const request = (email: string) => call(requestPasswordReset, { email });
    const reset = (token: string) => call(resetPassword, { token, password });
    const signIn = (email: string, text: string) =>
      new CookieClient(suite.transport(name)).signIn({ email, password: text, otp: '' });

    it('sets the first password, once, within seven days', async () => {
      const manager = await managerCredential(suite.app, 'users:write');
      const mail = (userId: string) => call(mailPasswordLink, { userId }, manager);
      const { id, email } = await addUser(db(), { kind: 'member' });
      const start = Date.now();
      suite.clock.frozen = start;
      const { expireTime } = messageOf(await mail(id));
      const weekMs = 7 * 86_400_000;
      expect(expireTime && timestampMs(expireTime)).toBe(start + weekMs);
      const token = await tokenOfMail(suite.testApp, email, { page });
      expect(await request(email)).toMatchObject({ ok: true });
      // The service looks up the user after its answer. The mail for a later request shows that it
      // has done so.
      const other = await addUser(db(), { kind: 'member', password });
      expect(await request(other.email)).toMatchObject({ ok: true });
      await tokenOfMail(suite.testApp, other.email, { page });
      suite.clock.frozen = start + weekMs;
      expect(await reset(token)).toMatchObject(refused);
      suite.clock.frozen = start - 1;
      expect(await reset(token)).toMatchObject(refused);
      suite.clock.frozen = start + weekMs - 1;
      expect(await reset(token)).toMatchObject({ ok: true });
      expect(await reset(token)).toMatchObject(refused);
      expect(await signIn(email, password)).toMatchObject({ ok: true });
      // RequestPasswordReset mailed nothing before the user had a password.
      expect(await tokensFor(suite.testApp, email, page)).toHaveLength(1);
    });

    it('is refused for disabled, unknown and more privileged users', async () => {
      const manager = await managerCredential(suite.app, 'users:write');
      const mail = async (userId: string) =>
        codeOf(await call(mailPasswordLink, { userId }, manager));
      const { id: disabled } = await addUser(db(), { disabled: true });
      const { id: staff } = await addUser(db(), { scopes: 'clients:write' });
      expect(await Promise.all([disabled, staff, 'usr_none'].map(mail))).toEqual([
        'conflict',
        'forbidden',
        'not_found',
      ]);
      // The requests of anyone do not count for staff.
      const { id, email } = await addUser(db(), { kind: 'member' });
      for (let i = 0; i < 5; i++) expect(await request(email)).toMatchObject({ ok: true });
      for (let i = 0; i < 5; i++) expect(await mail(id)).toBe('ok');
      expect(await mail(id)).toBe('rate_limited');
      expect(await tokensFor(suite.testApp, email, page)).toHaveLength(5);
    });

    itHoldsFor([
      ['DisableUser', UserService.method.disableUser, UserService.method.enableUser],
      ['DeleteUser', UserService.method.deleteUser, UserService.method.undeleteUser],
      ['RevokeUserSessions', SessionService.method.revokeUserSessions, undefined],
    ] as const)('does not work after', async (_name, end, undo) => {
      const manager = await managerCredential(suite.app, 'users:write');
      const { id: userId, email } = await addUser(db(), { kind: 'member' });
      messageOf(await call(mailPasswordLink, { userId }, manager));
      const token = await tokenOfMail(suite.testApp, email, { page });
      messageOf(await call(end, { userId }, manager));
      if (undo !== undefined) messageOf(await call(undo, { userId }, manager));
      expect(await reset(token)).toMatchObject(refused);
    });
  });

  it('is deleted if the mail cannot be sent', async () => {
    const { smtp } = readConfig({
      LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
      LATCHKEY_MAIL_FROM: 'latchkey@example.com',
    });
    const { dialect } = suite;
    const { app, db, transport } = await startPlace({ dialect, config: { smtp } });
    const manager = await managerCredential(app, 'users:write');
    const { id: userId } = await addUser(db, { kind: 'member' });
    for (let i = 0; i < 6; i++) {
      const answer = await transport('http').call(mailPasswordLink, { userId }, manager);
      expect(codeOf(answer)).toBe('unavailable');
    }
    expect(await db.selectFrom('password_resets').selectAll().execute()).toEqual([]);
    const events = await db
      .selectFrom('audit_events')
      .select('action')
      .where('target', '=', userId)
      .where('action', 'like', '%PasswordLink')
      .orderBy('id')
      .execute();
    expect(new Set(events.map(({ action }) => action))).toEqual(
      new Set(['UserService.MailPasswordLink', 'UserService.WithdrawPasswordLink']),
    );
    expect(events).toHaveLength(12);
  });
});
