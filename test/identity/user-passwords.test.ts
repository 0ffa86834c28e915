import { randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { beforeAll, describe, expect, it } from 'vitest';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { encodeBase62 } from '../../src/base/crypto/ids.ts';
import { isCommonPassword } from '../../src/identity/users/password-rules.ts';
import { describeApp } from '../support/app-suite.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addMember, credentialFor, liveSessions, subjectOf } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential } from '../support/transports.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { createUser, setPassword } = UserService.method;

describeApp('passwords', (suite) => {
  const db = () => suite.app.inside.db;
  let staff: { readonly authorization: string };
  beforeAll(async () => {
    const scopes = managementScopes.join(' ');
    const { id } = await addUser(db(), { kind: 'staff', scopes });
    staff = await credentialFor(suite.testApp, { type: 'staff', sub: id, scope: scopes });
  });
  const hashOf = async (id: string) => {
    const [row] = await db().selectFrom('users').selectAll().where('id', '=', id).execute();
    return row?.password_hash ?? '';
  };

  describeOneTransport(suite, (name) => {
    const set = (userId: string, password: string, credential: Credential = staff) =>
      suite.transport(name).call(setPassword, { userId, password }, credential);
    const invalid = { ok: false, error: { code: 'invalid_argument', fields: ['password'] } };

    itHoldsFor(
      [
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
      ],
      13,
    )('are rejected if they are too weak', async (_, password) => {
      const email = 'somebody@example.com';
      const made = await suite
        .transport(name)
        .call(createUser, { email, password, kind: UserKind.MEMBER }, staff);
      expect(made).toMatchObject(invalid);
      if (!made.ok) expect(made.error.message).not.toContain(password);
      const user = await addUser(db(), { kind: 'member', email: `${name}.${Date.now()}.${email}` });
      const own = password.replace('SOMEBODY@example.com', user.email.toUpperCase());
      expect(await set(user.id, own)).toMatchObject(invalid);
      expect(await hashOf(user.id)).toBe('');
    });

    itHoldsFor(
      [
        ['12 characters', 'twelve chars'],
        ['12 characters of four bytes each', '🔑🗝🚪🏠🌍🌙🌞🌊🌋🌲🌵🌾'],
        ['1024 bytes', 'ab'.repeat(512)],
        ['words of which one is common', 'dragon lantern quay'],
        ['a common word in many digits', '83-1120-77461-love-58-302'],
        ['spaces around it', '  spaces around it  '],
      ],
      6,
    )('are accepted if they are strong', async (_, password) => {
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

    it.each(['staff', 'member'] as const)(
      'end the other sessions if %s set their own',
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

    it('cannot be set for a user with more permissions than the caller', async () => {
      const scope = 'users:write links:read';
      const caller = await addUser(db(), { kind: 'staff', scopes: scope });
      const limited = await credentialFor(suite.testApp, { type: 'staff', sub: caller.id, scope });
      const service = await credentialFor(suite.testApp, { type: 'service', scope });
      const strong = await addUser(db(), { kind: 'staff', scopes: `${scope} audit:read` });
      const { ownerId } = await addWorkspace(db(), '');
      const owner = await addMember(db(), ownerId, 'owner');
      for (const [id, credential] of [
        [strong.id, limited],
        [strong.id, service],
        [owner, limited],
        [owner, service],
      ] as const) {
        expect(await set(id, 'another password', credential)).toMatchObject({
          ok: false,
          error: { code: 'forbidden' },
        });
        expect(await hashOf(id)).toBe('');
      }
      const equal = await addUser(db(), { kind: 'staff', scopes: 'links:read' });
      expect(await set(equal.id, 'another password', limited)).toMatchObject({ ok: true });
      expect(await set(owner, 'another password')).toMatchObject({ ok: true });
    });
  });
});

describe('the list of common passwords', () => {
  it('has more than 3,000 entries that are long enough when padded', async () => {
    const words = dictionary['passwords-common'].filter((text) => /^[a-z]{6,}$/.test(text));
    expect(words.length).toBeGreaterThan(3_000);
    for (const word of words)
      expect(await isCommonPassword(`${word.toUpperCase()}2026!!`), word).toBe(true);
  });

  it('does not reject random passwords, such as those of the bootstrap', async () => {
    for (let i = 0; i < 20_000; i++) {
      const password = encodeBase62(randomBytes(16), 22);
      expect(await isCommonPassword(password), password).toBe(false);
    }
  });
});
