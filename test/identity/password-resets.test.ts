import { expect, it } from 'vitest';
import { PasswordResetService } from '../../gen/latchkey/identity/v1/password_reset_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { mailsOf } from '../support/gate-visitor.ts';
import { tokenOfMail, tokensFor } from '../support/mailed-links.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor, liveSessions } from '../support/member-rows.ts';
import { updateRow } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addSession, addTotp, addUser } from '../support/user-rows.ts';

const { requestPasswordReset, resetPassword } = PasswordResetService.method;
const oldPassword = 'correct horse battery staple';
const password = 'a new and much longer password';
const page = 'reset-password';
const refused = { ok: false, error: { code: 'identity.credential_invalid' } };

describeApp('a password reset', (suite) => {
  const db = () => suite.app.inside.db;
  const add = (user: Parameters<typeof addUser>[1] = {}) =>
    addUser(db(), { kind: 'member', password: oldPassword, ...user });

  forgetAttempts(suite);

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name);
    const request = (email: string) => call(requestPasswordReset, { email });
    const reset = (token: string, text = password) =>
      call(resetPassword, { token, password: text });
    async function tokenFor(email: string, count = 1): Promise<string> {
      expect(await request(email)).toMatchObject({ ok: true });
      return tokenOfMail(suite.testApp, email.toLowerCase(), { page, count });
    }
    const signIn = (email: string, text: string, otp = '') =>
      new CookieClient(suite.transport(name)).signIn({ email, password: text, otp });

    it('sets the password once, ends all sessions and records both calls', async () => {
      const { id, email } = await add();
      await addSession(db(), id);

      const token = await tokenFor(email.toUpperCase());
      expect(await liveSessions(db(), id)).toHaveLength(1);
      expect(await reset(token)).toMatchObject({ ok: true });

      expect(await liveSessions(db(), id)).toEqual([]);
      expect(await signIn(email, oldPassword)).toMatchObject(refused);
      expect(await signIn(email, password)).toMatchObject({ ok: true });
      expect(await reset(token, 'another long password')).toMatchObject(refused);
      const events = await db()
        .selectFrom('audit_events')
        .select(['action', 'actor_type', 'address'])
        .where('target', '=', id)
        .where('code', '=', 'ok')
        .where('action', 'like', 'PasswordResetService.%')
        .orderBy('action')
        .execute();
      expect(events).toEqual([
        {
          action: 'PasswordResetService.RequestPasswordReset',
          actor_type: 'anonymous',
          address: '127.0.0.1',
        },
        {
          action: 'PasswordResetService.ResetPassword',
          actor_type: 'anonymous',
          address: '127.0.0.1',
        },
      ]);
    });

    it('does not remove the second factor', async () => {
      const { id, email } = await add();
      const codeAt = await addTotp(suite.testApp, id);
      await reset(await tokenFor(email));

      expect(await signIn(email, password)).toMatchObject({
        ok: false,
        error: { code: 'identity.code_required' },
      });
      expect(await signIn(email, password, codeAt(Date.now()))).toMatchObject({ ok: true });
    });

    it('refuses an easy password and keeps the link', async () => {
      const { email } = await add();
      const token = await tokenFor(email);
      for (const text of ['short', email, 'passwordpassword']) {
        const error = { code: 'invalid_argument', fields: ['password'] };
        expect(await reset(token, text)).toMatchObject({ ok: false, error });
      }
      expect(await reset(token)).toMatchObject({ ok: true });
    });

    it('answers the same for addresses without a user and for disabled users', async () => {
      const { email } = await add({ disabled: true });
      const unknown = `no-one-${name}@example.com`;
      const known = (await add()).email;
      const answers = [];
      for (const one of [email, unknown, known]) answers.push(await request(one));

      expect(answers[0]).toEqual(answers[2]);
      expect(answers[1]).toEqual(answers[2]);
      await tokenOfMail(suite.testApp, known, { page });
      const mailed = (await mailsOf(suite.testApp)).map(({ to }) => to);
      expect(mailed).not.toContain(email);
      expect(mailed).not.toContain(unknown);
    });

    it('expires an hour after the request', async () => {
      const { email } = await add();
      const start = Date.now();
      suite.clock.frozen = start;
      const token = await tokenFor(email);
      suite.clock.frozen = start + 3_600_000;
      expect(await reset(token)).toMatchObject(refused);
      suite.clock.frozen = start + 3_599_999;
      expect(await reset(token)).toMatchObject({ ok: true });
    });

    itHoldsFor(['email', 'password_hash', 'disable_time'] as const, 3)(
      'is not possible after a change of the user',
      async (column) => {
        const { id, email } = await add();
        const token = await tokenFor(email);
        const value = column === 'disable_time' ? Date.now() : `changed-${id}@example.com`;
        await updateRow(db(), 'users', id, { [column]: value });
        expect(await reset(token)).toMatchObject(refused);
      },
    );

    it('makes the earlier links of the user invalid, which a second request does not', async () => {
      const { email } = await add();
      const first = await tokenFor(email);
      const second = await tokenFor(email, 2);
      expect(await reset(first)).toMatchObject({ ok: true });
      expect(await reset(second)).toMatchObject(refused);
    });

    it('succeeds once if two calls use the link at the same time', async () => {
      const { email } = await add();
      const token = await tokenFor(email);
      const answers = await Promise.all([reset(token), reset(token)]);
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    });

    it('requires the whole token', async () => {
      const { email } = await add();
      const token = await tokenFor(email);
      const [id = '', secret = ''] = token.split('.');
      const wrong = `${secret.slice(1)}${secret.startsWith('a') ? 'b' : 'a'}`;
      for (const text of [id, secret, `${id}.${wrong}`, `${token}.`, `${id}.`, 'nonsense']) {
        expect(await reset(text), text).toMatchObject(refused);
      }
      expect(await reset(token)).toMatchObject({ ok: true });
    });

    it('is throttled for each address, with and without a user', async () => {
      const { email } = await add();
      const limited = { ok: false, error: { code: 'rate_limited' } };
      for (const one of [email, 'no-one@example.com']) {
        for (let i = 0; i < 5; i++) expect(await request(one)).toMatchObject({ ok: true });
        expect(await request(one)).toMatchObject(limited);
      }
      await tokenOfMail(suite.testApp, email, { page, count: 5 });
      expect(await tokensFor(suite.testApp, email, page)).toHaveLength(5);
    });

    it('is throttled for each network', async () => {
      for (let i = 0; i < 20; i++) {
        expect(await request(`many-${i}@example.com`)).toMatchObject({ ok: true });
      }
      const error = { code: 'rate_limited' };
      expect(await request('one-more@example.com')).toMatchObject({ ok: false, error });
    });

    it('is not possible for a text that is not an address', async () => {
      const error = { code: 'invalid_argument', fields: ['email'] };
      expect(await request('not an address')).toMatchObject({ ok: false, error });
    });

    it('by a link is not affected by an own change of the name', async () => {
      const { id, email } = await add();
      const token = await tokenFor(email);
      const staff = await credentialFor(suite.testApp, { type: 'service', scope: 'users:write' });
      const renamed = { userId: id, name: 'Renamed' };
      await call(UserService.method.updateUser, renamed, staff);
      expect(await reset(token)).toMatchObject({ ok: true });
    });
  });
});
