import { randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, it } from 'vitest';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { encodeBase62 } from '../../src/base/crypto/ids.ts';
import { isCommonPassword } from '../../src/identity/users/password-rules.ts';
import { useAdministrator } from '../support/administrator.ts';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor, liveSessions, subjectOf } from '../support/member-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { createUser, setPassword } = UserService.method;

describeApp('passwords', (suite) => {
  const db = () => suite.app.inside.db;
  const { admin } = useAdministrator(suite);
  const hashOf = async (id: string) => {
    const [row] = await db().selectFrom('users').selectAll().where('id', '=', id).execute();
    return row?.password_hash ?? '';
  };

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name, admin);
    const set = (userId: string, password: string) => call(setPassword, { userId, password });
    const invalid = { ok: false, error: { code: 'invalid_argument', fields: ['password'] } };

    itHoldsFor([
      ['11 characters', 'elevenchars'],
      ['11 characters of four bytes each', '🔑🗝🚪🏠🌍🌙🌞🌊🌋🌲🌵'],
      ['12 characters that are 11 once normalised', 'abcdefghijé'.normalize('NFD')],
      ['more than 1024 bytes', 'é'.repeat(513)],
      ['one repeated character', 'a'.repeat(40)],
      ['the email address in another case', 'my SOMEBODY@example.com pass'],
      ['a common password', '1qaz2wsx3edc4rfv'],
      ['a common password in another case', 'FinalFantasy'],
      ['a common password with digits and signs after it', 'Password1234!'],
      ['a common password with digits before it', '2026-Dragon-01'],
      ['a common password repeated', 'Liverpoolliverpool'],
      ['common digits repeated', '696969696969'],
      ['a NUL', 'a long enough\u0000password'],
    ])('are rejected if they are too weak', async (_, password) => {
      const email = 'somebody@example.com';
      const made = await call(createUser, { email, password, kind: UserKind.MEMBER });
      expect(made).toMatchObject(invalid);
      if (!made.ok) expect(made.error.message).not.toContain(password);
      const user = await addUser(db(), { kind: 'member', email: `${name}.${Date.now()}.${email}` });
      const own = password.replace('SOMEBODY@example.com', user.email.toUpperCase());
      expect(await set(user.id, own)).toMatchObject(invalid);
      expect(await hashOf(user.id)).toBe('');
    });

    itHoldsFor([
      ['12 characters', 'twelve chars'],
      ['12 characters of four bytes each', '🔑🗝🚪🏠🌍🌙🌞🌊🌋🌲🌵🌾'],
      ['1024 bytes', 'ab'.repeat(512)],
      ['words of which one is common', 'dragon lantern quay'],
      ['a common word in many digits', '83-1120-77461-love-58-302'],
      ['spaces around it', '  spaces around it  '],
    ])('are accepted if they are strong', async (_, password) => {
      const { id } = await addUser(db(), { kind: 'member' });
      expect(await set(id, password)).toMatchObject({ ok: true });
      expect(await verify(await hashOf(id), password.normalize('NFKC'))).toBe(true);
    });

    it('end every session of the user if another user sets them', async () => {
      const { id } = await addUser(db(), { kind: 'member' });
      await addSession(db(), id);
      await addSession(db(), id);
      const bystander = await addUser(db(), { kind: 'member' });
      const { id: kept } = await addSession(db(), bystander.id);
      expect(await set(id, 'another password')).toMatchObject({ ok: true });
      expect(await liveSessions(db(), id)).toEqual([]);
      expect(await liveSessions(db(), bystander.id)).toEqual([kept]);
    });

    itHoldsFor(['staff', 'member'] as const)(
      'end the other sessions if users set their own',
      async (type) => {
        const currentPassword = 'the current password';
        const { id } = await addUser(db(), { kind: type, password: currentPassword });
        await addSession(db(), id);
        const own = await credentialFor(suite.testApp, { type, scope: '', sub: id });
        const { sid } = subjectOf(own);
        expect(await liveSessions(db(), id)).toHaveLength(2);
        const request = { userId: id, password: 'another password', currentPassword };
        const changed = await suite.transport(name).call(setPassword, request, own);
        expect(changed).toMatchObject({ ok: true });
        expect(await liveSessions(db(), id)).toEqual([sid]);
        expect(await verify(await hashOf(id), 'another password')).toBe(true);
      },
    );
  });
});

describe('the list of common passwords', () => {
  it('has more than 3,000 entries that are long enough when padded', async () => {
    const words = dictionary['passwords-common'].filter((text) => /^[a-z]{6,}$/.test(text));
    expect(words.length).toBeGreaterThan(3_000);
    const accepted: string[] = [];
    for (const word of words) {
      if (!(await isCommonPassword(`${word.toUpperCase()}2026!!`))) accepted.push(word);
    }
    expect(accepted).toEqual([]);
  });

  it('does not reject random passwords, such as those of the bootstrap', async () => {
    const rejected: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      const password = encodeBase62(randomBytes(16), 22);
      if (await isCommonPassword(password)) rejected.push(password);
    }
    expect(rejected).toEqual([]);
  });
});

const current = 'correct horse battery staple';
const next = 'another long password';

describeApp('a user who changes the own password', (suite) => {
  const db = () => suite.app.inside.db;
  forgetAttempts(suite);

  describeOneTransport(suite, (name) => {
    async function start() {
      const { id: userId, email } = await addUser(db(), { kind: 'member', password: current });
      const own = await credentialFor(suite.testApp, { type: 'member', scope: '', sub: userId });
      const change = (currentPassword: string, password = next, credential = own) =>
        suite.transport(name).call(setPassword, { userId, password, currentPassword }, credential);
      const signIn = (password: string) =>
        new CookieClient(suite.transport(name)).signIn({ email, password });
      return { userId, change, signIn };
    }
    const wrong = {
      ok: false,
      error: { code: 'identity.credential_invalid', fields: ['current_password'] },
    };

    it('is refused without the current one, or with a wrong one', async () => {
      const { change, signIn } = await start();
      expect(await change('')).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields: ['current_password'] },
      });
      expect(await change('not the password')).toMatchObject(wrong);
      expect(await signIn(current)).toMatchObject({ ok: true });
      expect(await signIn(next)).toMatchObject({ ok: false });
    });

    it('can repeat a change whose answer was lost', async () => {
      const { change, signIn } = await start();
      expect(await change(current)).toMatchObject({ ok: true });
      expect(await change(current)).toMatchObject({ ok: true });
      expect(await signIn(next)).toMatchObject({ ok: true });
      expect(await change(current, 'a third long password')).toMatchObject(wrong);
    });

    it('waits after several wrong ones, and the sign-in does not', async () => {
      const { change, signIn } = await start();
      suite.clock.frozen = Date.now();
      for (let i = 0; i < 5; i++) expect(await change(`guess ${i}`)).toMatchObject(wrong);
      // The waits double from one second.
      const limited = { ok: false, error: { code: 'rate_limited' } };
      expect(await change(current)).toMatchObject(limited);
      expect(await signIn(current)).toMatchObject({ ok: true });
      suite.clock.frozen += 1_000;
      expect(await change(current)).toMatchObject({ ok: true });
      const third = 'a third long password';
      for (let i = 0; i < 5; i++) expect(await change(`guess ${i}`, third)).toMatchObject(wrong);
    });

    it('is not delayed by new passwords that are refused', async () => {
      const { change } = await start();
      suite.clock.frozen = Date.now();
      for (let i = 0; i < 8; i++) {
        expect(await change(current, 'short')).toMatchObject({
          ok: false,
          error: { code: 'invalid_argument', fields: ['password'] },
        });
      }
      expect(await change(current)).toMatchObject({ ok: true });
    });

    it('is recorded with a wrong password', async () => {
      const { userId, change } = await start();
      await change('not the password');
      const events = () =>
        db()
          .selectFrom('audit_events')
          .select(['action', 'code', 'actor_id'])
          .where('target', '=', userId)
          .execute();
      const code = 'identity.credential_invalid';
      await expect
        .poll(events, { timeout: 10_000 })
        .toEqual([{ action: 'UserService.SetPassword', code, actor_id: userId }]);
    });
  });
});
