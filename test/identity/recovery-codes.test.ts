import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport, type TransportName } from '../support/matrix.ts';
import { credentialFor, subjectOf } from '../support/member-rows.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import type { Credential } from '../support/transports.ts';
import { addTotp, addUser, codeAt, fromBase32 } from '../support/user-rows.ts';

const { confirmTotp, createRecoveryCodes, enrolTotp, getUser, removeTotp } = UserService.method;
const password = 'correct horse battery staple';
const tooMany = { ok: false, error: { code: 'rate_limited' } };
type User = { userId: string; email: string; own: Credential };
const wrongPassword = { ok: false, error: { code: 'identity.credential_invalid' } };
const refused = { ok: false, error: { code: 'identity.code_invalid' } };

describeApp('a recovery code', (suite) => {
  const db = () => suite.app.inside.db;

  forgetAttempts(suite);

  function open(name: TransportName) {
    const call = suite.callsThrough(name);
    return {
      call,
      async newUser() {
        const { id: userId, email } = await addUser(db(), { kind: 'member', password });
        const own = await credentialFor(suite.testApp, { type: 'member', sub: userId, scope: '' });
        return { userId, email, own };
      },
      async codesOf({ userId, own }: User): Promise<string[]> {
        return messageOf(await call(createRecoveryCodes, { userId }, own)).codes;
      },
      async left({ userId, own }: User): Promise<number | undefined> {
        const answer = await call(getUser, { userId }, own);
        return answer.ok ? answer.message.user?.recoveryCodesLeft : undefined;
      },
      signIn: ({ email }: Pick<User, 'email'>, otp: string, text = password) =>
        new CookieClient(suite.transport(name)).signIn({ email, password: text, otp }),
    };
  }

  it('is refused after fifty guesses from one network at other users', async () => {
    const { newUser, codesOf, signIn } = open('http');
    const user = await newUser();
    await addTotp(suite.testApp, user.userId);
    const [code = ''] = await codesOf(user);
    suite.clock.frozen = Date.now();
    for (let i = 0; i < 10; i++) {
      const other = await addUser(db(), { password });
      for (let guess = 0; guess < 5; guess++) {
        expect(await signIn(other, '0000-0000-0000-0000', 'wrong')).toMatchObject(wrongPassword);
      }
    }
    expect(await signIn(user, code)).toMatchObject(tooMany);
    suite.clock.frozen += 1_000;
    expect(await signIn(user, code)).toMatchObject({ ok: true });
  });

  describeOneTransport(suite, (name) => {
    const { call, newUser, codesOf, left, signIn } = open(name);

    it('signs the user in once, with the right password', async () => {
      const user = await newUser();
      const codeAt = await addTotp(suite.testApp, user.userId);
      const codes = await codesOf(user);
      expect(new Set(codes).size).toBe(10);
      for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[^-]{4}$/);
      const [first = '', second = ''] = codes;

      expect(await signIn(user, first, 'a wrong password')).toMatchObject(wrongPassword);
      const answer = await signIn(user, first);
      if (!answer.ok) throw new Error(answer.error.message);
      expect(decodeJwt(answer.message.accessToken)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
      expect(await left(user)).toBe(9);
      expect(await signIn(user, first)).toMatchObject(refused);

      const typed = second.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O');
      expect(await signIn(user, typed)).toMatchObject({ ok: true });
      expect(await signIn(user, codeAt(Date.now()))).toMatchObject({ ok: true });
      const uses = db()
        .selectFrom('audit_events')
        .select('id')
        .where('action', '=', 'SessionService.UseRecoveryCode')
        .where('target', '=', user.userId);
      expect(await uses.execute()).toHaveLength(2);
    });

    it('signs the user in once if several sign-ins use it at the same time', async () => {
      const user = await newUser();
      await addTotp(suite.testApp, user.userId);
      const [code = ''] = await codesOf(user);
      const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(user, code)));
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      for (const answer of answers) if (!answer.ok) expect(answer).toMatchObject(refused);
      expect(await left(user)).toBe(9);
    });

    it('is refused after five guesses, until the wait is over', async () => {
      const user = await newUser();
      await addTotp(suite.testApp, user.userId);
      const [code = ''] = await codesOf(user);
      suite.clock.frozen = Date.now();
      for (let i = 0; i < 5; i++) {
        expect(await signIn(user, `0000-0000-0000-000${i}`)).toMatchObject(refused);
      }
      expect(await signIn(user, code)).toMatchObject(tooMany);
      suite.clock.frozen += 1_000;
      expect(await signIn(user, code)).toMatchObject({ ok: true });
    });

    it('is replaced by new codes, and deleted with the second factor', async () => {
      const user = await newUser();
      await addTotp(suite.testApp, user.userId);
      const [old = ''] = await codesOf(user);
      const [current = ''] = await codesOf(user);
      expect(await left(user)).toBe(10);
      expect(await signIn(user, old)).toMatchObject(refused);

      await call(removeTotp, { userId: user.userId }, user.own);
      expect(await left(user)).toBe(0);
      await addTotp(suite.testApp, user.userId);
      expect(await signIn(user, current)).toMatchObject(refused);
    });

    it('of an earlier second factor, which release 0.1 removed, is refused', async () => {
      const user = await newUser();
      await addTotp(suite.testApp, user.userId);
      const [old = ''] = await codesOf(user);
      await db().deleteFrom('totp_seeds').where('user_id', '=', user.userId).execute();
      const { userId, own } = user;
      const seed = await call(enrolTotp, { userId }, own);
      const code = codeAt(fromBase32(seed.ok ? seed.message.secret : ''), Date.now());
      expect(await call(confirmTotp, { userId, code }, own)).toMatchObject({ ok: true });
      expect(await left(user)).toBe(0);
      expect(await signIn(user, old)).toMatchObject(refused);
    });

    it('of another user is refused', async () => {
      const [first, second] = [await newUser(), await newUser()];
      for (const { userId } of [first, second]) await addTotp(suite.testApp, userId);
      const [code = ''] = await codesOf(first);
      expect(await signIn(second, code)).toMatchObject(refused);
      expect(await left(first)).toBe(10);
    });

    it('is not repeated to a session of the user without the second factor', async () => {
      const { userId, own } = await newUser();
      const weak = await credentialFor(suite.testApp, { type: 'member', sub: userId, scope: '' });
      await addTotp(suite.testApp, userId);
      const create = (credential: Credential) =>
        call(createRecoveryCodes, { userId }, { ...credential, idempotencyKey: 'codes' });
      const first = await create(own);
      await changeAsOtherProcess(db(), (trx) =>
        trx
          .updateTable('sessions')
          .set({ amr: 'pwd' })
          .where('id', '=', subjectOf(weak).sid)
          .execute(),
      );
      const code = 'second_factor_required';
      expect(await create(weak)).toMatchObject({ ok: false, error: { code } });
      expect(await create(own)).toEqual(first);
    });

    it('requires a confirmed second factor', async () => {
      const { userId, own } = await newUser();
      const notFound = { ok: false, error: { code: 'not_found' } };
      expect(await call(createRecoveryCodes, { userId }, own)).toMatchObject(notFound);
      await addTotp(suite.testApp, userId, { confirmed: false });
      expect(await call(createRecoveryCodes, { userId }, own)).toMatchObject(notFound);
    });
  });
});
