import { beforeAll, describe, expect, it } from 'vitest';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { describeApp } from '../support/app-suite.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addMember, credentialFor, liveSessions } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential } from '../support/transports.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { createUser, getUser, listUsers, updateUser, disableUser, enableUser } = UserService.method;

const password = 'a long enough password';
let counter = 0;
const newEmail = () => `user-${Date.now()}-${counter++}@example.com`;

describeApp('users', (suite) => {
  let staff: { readonly authorization: string };
  beforeAll(async () => {
    const { id } = await addUser(suite.app.inside.db, {
      kind: 'staff',
      scopes: managementScopes.join(' '),
    });
    staff = await credentialFor(suite.testApp, {
      type: 'staff',
      sub: id,
      scope: managementScopes.join(' '),
    });
  });
  const db = () => suite.app.inside.db;
  const countUsers = async () => (await db().selectFrom('users').select('id').execute()).length;

  it('are created over HTTP with every field, without the password in any answer', async () => {
    const email = newEmail();
    const response = await fetch(`${suite.app.publicUrl}/users`, {
      method: 'POST',
      headers: {
        authorization: staff.authorization ?? '',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        email: ` ${email.toUpperCase()} `,
        name: 'Ada',
        kind: 'USER_KIND_STAFF',
        password,
        scopes: ['links:read', 'users:read', 'links:read'],
      }),
    });
    expect(response.status).toBe(201);
    const user = (await response.json()) as { id: string };
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
    const headers = staff;
    const read = await fetch(`${suite.app.publicUrl}/users/${user.id}`, { headers });
    expect(await read.json()).toEqual({ ...user, creator_name: 'Test user' });
    const row = await db().selectFrom('users').selectAll().where('id', '=', user.id).execute();
    expect(row).toMatchObject([{ password_hash: expect.stringMatching(/^\$argon2id\$/) }]);
  });

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name, () => staff);

    it('are created, read, listed, changed, disabled and enabled', async () => {
      const email = newEmail();
      const made = await call(createUser, { email, password, kind: UserKind.MEMBER, name: 'Bo' });
      if (!made.ok) throw new Error(made.error.message);
      const { user } = made.message;
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

    itHoldsFor(
      [
        ['no email address', { email: '' }, 'email'],
        ['a malformed email address', { email: 'nobody' }, 'email'],
        ['no kind', { kind: UserKind.UNSPECIFIED }, 'kind'],
        ['a kind that there is not', { kind: 9 as UserKind }, 'kind'],
        ['scopes for a member', { kind: UserKind.MEMBER, scopes: ['links:read'] }, 'scopes'],
        ['a malformed scope', { scopes: ['links:delete'] }, 'scopes'],
        ['a long name', { name: 'x'.repeat(256) }, 'name'],
      ],
      7,
    )('cannot be created with a bad field', async (_, fields, field) => {
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

      it('cannot be given another email address, or be enabled or disabled', async () => {
        const strong = await addUser(db(), { kind: 'staff', scopes: `${scope} audit:read` });
        const change = { userId: strong.id, email: newEmail() };
        expect(await call(updateUser, change, limited)).toMatchObject(forbidden);
        expect(await call(updateUser, { userId: strong.id, name: 'x' }, limited)).toMatchObject({
          ok: true,
        });
        expect(await call(disableUser, { userId: strong.id }, limited)).toMatchObject(forbidden);
        expect(await call(disableUser, { userId: strong.id })).toMatchObject({ ok: true });
        expect(await call(enableUser, { userId: strong.id }, limited)).toMatchObject(forbidden);
        expect(await call(enableUser, { userId: strong.id })).toMatchObject({ ok: true });
      });

      it('include members of workspaces', async () => {
        const { ownerId } = await addWorkspace(db(), '');
        const change = { userId: await addMember(db(), ownerId, 'member'), email: newEmail() };
        expect(await call(updateUser, change, limited)).toMatchObject(forbidden);
        expect(await call(updateUser, change)).toMatchObject({ ok: true });
      });
    });
  });
});
