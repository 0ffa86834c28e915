// At least one enabled staff user must always be able to manage users.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor } from '../support/member-rows.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import type { Credential } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

const { updateUser, disableUser } = UserService.method;
const scope = 'users:read users:write';
const conflict = { ok: false, error: { code: 'conflict' } };

describeApp('the last staff user with users:write', (suite) => {
  const db = () => suite.app.inside.db;
  let service: Credential;
  let last: string;

  beforeEach(async () => {
    service = await credentialFor(suite.testApp, { type: 'service', scope: `links:read ${scope}` });
    await changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('users').set({ disable_time: 1 }).execute(),
    );
    last = (await addUser(db(), { kind: 'staff', scopes: `links:read ${scope}` })).id;
    // None of these users can replace the last one.
    await addUser(db(), { kind: 'staff', scopes: scope, disabled: true });
    await addUser(db(), { kind: 'staff', scopes: 'users:read super_users:write users:write2' });
    await addUser(db(), { kind: 'member', scopes: scope });
  });
  afterEach(async () => {
    const row = await db().selectFrom('users').selectAll().where('id', '=', last).execute();
    expect(row).toMatchObject([{ disable_time: null, scopes: expect.stringContaining(scope) }]);
  });

  describeOneTransport(suite, (name) => {
    it('cannot be disabled or lose that scope', async () => {
      const transport = suite.transport(name);
      expect(await transport.call(disableUser, { userId: last }, service)).toMatchObject(conflict);
      const scopes = ['links:read', 'users:read'];
      const narrowed = await transport.call(updateUser, { userId: last, scopes }, service);
      expect(narrowed).toMatchObject(conflict);
      const renamed = await transport.call(updateUser, { userId: last, name: 'Last' }, service);
      expect(renamed).toMatchObject({ ok: true, message: { user: { name: 'Last' } } });
    });

    it('survives if two disable each other concurrently', async () => {
      const other = await addUser(db(), { kind: 'staff', scopes: scope });
      const both = [last, other.id];
      const answers = await Promise.all(
        both.map((userId) => suite.transport(name).call(disableUser, { userId }, service)),
      );
      expect(answers.filter(({ ok }) => ok).length).toBe(1);
      last = both[answers.findIndex(({ ok }) => !ok)] ?? '';
    });
  });
});
