import { beforeAll, describe, expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { useAdministrator } from '../support/administrator.ts';
import { describeApp } from '../support/app-suite.ts';
import { callJson } from '../support/json-calls.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor, liveSessions, subjectOf } from '../support/member-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential } from '../support/transports.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { createUser, getUser, listUsers, updateUser, disableUser, enableUser } = UserService.method;

const password = 'a long enough password';
let counter = 0;
const newEmail = () => `user-${Date.now()}-${counter++}@example.com`;

const { listUserSessions, revokeUserSession, revokeUserSessions, listSessions } =
  SessionService.method;
const notFound = { ok: false, error: { code: 'not_found' } };

describeApp('users', (suite) => {
  const { admin } = useAdministrator(suite);
  const db = () => suite.app.inside.db;
  const countUsers = async () => (await db().selectFrom('users').select('id').execute()).length;

  it('are created over HTTP with every field, without the password in any answer', async () => {
    const email = newEmail();
    const fields = {
      ...{ email: ` ${email.toUpperCase()} `, name: 'Ada', kind: 'USER_KIND_STAFF', password },
      scopes: ['links:read', 'users:read', 'links:read'],
    };
    const response = await callJson<{ id: string }>(suite.app, 'POST', '/users', fields, admin());
    expect(response.status).toBe(201);
    const user = response.body;
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_[0-9A-Za-z]{22}$/),
      kind: 'USER_KIND_STAFF',
      email,
      name: 'Ada',
      scopes: ['links:read', 'users:read'],
      totp_enabled: false,
      recovery_codes_left: 0,
      password_enabled: true,
      create_time: expect.stringMatching(/Z$/),
      update_time: expect.stringMatching(/Z$/),
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
      ...{ creator: expect.stringMatching(/^usr_/), creator_name: '' },
    });
    expect(response.headers.get('location')).toBe(`/users/${user.id}`);
    const read = await callJson(suite.app, 'GET', `/users/${user.id}`, undefined, admin());
    expect(read.body).toEqual({ ...user, creator_name: 'Test user' });
    const row = await db().selectFrom('users').selectAll().where('id', '=', user.id).execute();
    expect(row).toMatchObject([{ password_hash: expect.stringMatching(/^\$argon2id\$/) }]);
  });

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name, admin);

    it('are created, read, listed, changed, disabled and enabled', async () => {
      const email = newEmail();
      const { user } = messageOf(
        await call(createUser, { email, password, kind: UserKind.MEMBER, name: 'Bo' }),
      );
      const userId = user?.id ?? '';
      expect(user).toMatchObject({ email, kind: UserKind.MEMBER, name: 'Bo', scopes: [] });

      const found = await call(listUsers, { email: email.toUpperCase() });
      expect(found).toMatchObject({ ok: true, message: { users: [{ id: userId }] } });
      const none = await call(listUsers, { email, kind: UserKind.STAFF });
      expect(none).toMatchObject({ ok: true, message: { users: [] } });

      const moved = newEmail();
      const changed = await call(updateUser, { userId, email: moved, name: 'Bob' });
      expect(changed).toMatchObject({ ok: true, message: { user: { email: moved, name: 'Bob' } } });

      await addSession(db(), userId);
      const off = await call(disableUser, { userId });
      expect(off).toMatchObject({ ok: true, message: { user: { disableTime: {} } } });
      expect(await liveSessions(db(), userId)).toEqual([]);
      expect(await call(disableUser, { userId })).toEqual(off);
      const on = await call(enableUser, { userId });
      expect(on.ok && on.message.user?.disableTime).toBeUndefined();
      expect(await call(getUser, { userId })).toMatchObject({
        ok: true,
        message: { user: { ...(on.ok ? on.message.user : {}), creatorName: 'Test user' } },
      });
    });

    itHoldsFor([
      ['no email address', { email: '' }, 'email'],
      ['a malformed email address', { email: 'nobody' }, 'email'],
      ['no kind', { kind: UserKind.UNSPECIFIED }, 'kind'],
      ['a kind that there is not', { kind: 9 as UserKind }, 'kind'],
      ['scopes for a member', { kind: UserKind.MEMBER, scopes: ['links:read'] }, 'scopes'],
      ['a malformed scope', { scopes: ['links:delete'] }, 'scopes'],
      ['a long name', { name: 'x'.repeat(256) }, 'name'],
    ])('cannot be created with a bad field', async (_, fields, field) => {
      const before = await countUsers();
      const request = { email: newEmail(), password, kind: UserKind.STAFF, ...fields };
      expect(await call(createUser, request)).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields: [field] },
      });
      expect(await countUsers()).toBe(before);
    });

    it('cannot share an email address, in any case', async () => {
      const { email } = await addUser(db(), { kind: 'member' });
      const other = await addUser(db(), { kind: 'member' });
      const request = { email: email.toUpperCase(), password, kind: UserKind.MEMBER };
      const conflict = { ok: false, error: { code: 'conflict' } };
      expect(await call(createUser, request)).toMatchObject(conflict);
      expect(await call(updateUser, { userId: other.id, email })).toMatchObject(conflict);
      expect(await call(updateUser, { userId: other.id, email: other.email })).toMatchObject({
        ok: true,
      });
    });

    describe('with more permissions than the caller', () => {
      const scope = 'users:read users:write links:read';
      let limited: Credential;
      beforeAll(async () => {
        const { id } = await addUser(db(), { kind: 'staff', scopes: scope });
        limited = await credentialFor(suite.testApp, { type: 'staff', sub: id, scope });
      });
      const forbidden = { ok: false, error: { code: 'forbidden' } };

      it('cannot be made by granting scopes to others or to oneself', async () => {
        const before = await countUsers();
        const request = { email: newEmail(), password, kind: UserKind.STAFF };
        const more = { ...request, scopes: ['links:read', 'links:write'] };
        expect(await call(createUser, more, limited)).toMatchObject(forbidden);
        const service = await credentialFor(suite.testApp, {
          type: 'service',
          scope: 'users:write',
        });
        expect(await call(createUser, more, service)).toMatchObject(forbidden);
        expect(await countUsers()).toBe(before);
        const less = { ...request, scopes: ['links:read'] };
        expect(await call(createUser, less, limited)).toMatchObject({ ok: true });

        const weak = await addUser(db(), { kind: 'staff', scopes: 'links:read' });
        const grant = { userId: weak.id, scopes: ['links:read', 'audit:read'] };
        expect(await call(updateUser, grant, limited)).toMatchObject(forbidden);
        expect(await call(updateUser, grant)).toMatchObject({ ok: true });
        // Scopes that the user already has are not a grant.
        const kept = { userId: weak.id, scopes: ['links:read', 'audit:read', 'users:read'] };
        expect(await call(updateUser, kept, limited)).toMatchObject({ ok: true });
      });
    });
  });

  describe('the sessions of a user', () => {
    describeOneTransport(suite, (name) => {
      const call = suite.callsThrough(name, admin);

      it('are listed for staff, newest first and without ended ones', async () => {
        const { id: userId } = await addUser(db());
        const first = await addSession(db(), userId, { createTime: Date.now() - 1_000 });
        const second = await addSession(db(), userId);
        const ended = await addSession(db(), userId);
        await call(revokeUserSession, { userId, sessionId: ended.id });

        const { sessions, nextPageToken: pageToken } = messageOf(
          await call(listUserSessions, { userId, pageSize: 1 }),
        );
        expect(sessions).toMatchObject([
          { id: second.id, address: '127.0.0.1', amr: ['pwd'], current: false },
        ]);
        expect(await call(listUserSessions, { userId, pageToken })).toMatchObject({
          message: { sessions: [{ id: first.id }], nextPageToken: '' },
        });
        expect(await call(listUserSessions, { userId: 'usr_none' })).toMatchObject(notFound);
      });

      it('end one by one, and their tokens stop working', async () => {
        const { id: userId } = await addUser(db(), { kind: 'member' });
        const own = await credentialFor(suite.testApp, { type: 'member', sub: userId, scope: '' });
        const { id: other } = await addSession(db(), userId);
        const { id: stranger } = await addUser(db());
        const { sid: sessionId } = subjectOf(own);
        const elsewhere = { userId: stranger, sessionId };
        expect(await call(revokeUserSession, elsewhere)).toMatchObject(notFound);

        const ended = await call(revokeUserSession, { userId, sessionId });
        expect(ended).toMatchObject({ ok: true });
        expect(await liveSessions(db(), userId)).toEqual([other]);
        const refused = { ok: false, error: { code: 'unauthenticated' } };
        expect(await call(listSessions, {}, own)).toMatchObject(refused);
        expect(await call(revokeUserSession, { userId, sessionId })).toMatchObject(notFound);
      });

      it('end all at once, also without one', async () => {
        const { id: userId } = await addUser(db());
        for (let i = 0; i < 3; i++) await addSession(db(), userId);
        for (let i = 0; i < 2; i++) {
          expect(await call(revokeUserSessions, { userId })).toMatchObject({ ok: true });
          expect(await liveSessions(db(), userId)).toEqual([]);
        }
        expect(await call(revokeUserSessions, { userId: 'usr_none' })).toMatchObject(notFound);
      });
    });
  });
});
