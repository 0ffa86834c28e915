// A caller with users:write tries to gain or remove the permissions of another user.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { beforeAll, expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { putMember } from '../../src/sharing/workspaces/store.ts';
import { transact } from '../../src/storage/database.ts';
import { lockRow } from '../../src/storage/queries/row-locks.ts';
import { describeApp } from '../support/app-suite.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential, Transport, UnaryMethod } from '../support/transports.ts';
import { addTotp, addUser } from '../support/user-rows.ts';

const { updateUser, disableUser, enableUser, setPassword, removeTotp } = UserService.method;
const { deleteUser, mailPasswordLink } = UserService.method;
const { revokeUserSession, revokeUserSessions } = SessionService.method;
const sessionId = `ses_${'0'.repeat(22)}`;

const password = 'the password of an attacker';
let counter = 0;
const newEmail = () => `attacker-${Date.now()}-${counter++}@example.com`;

type CodeOf = <M extends UnaryMethod>(
  method: M,
  request: MessageInitShape<M['input']>,
  caller: Credential,
) => Promise<string>;

/** Every call that could take over another user; returns the code of each. */
async function attack(transport: Transport, userId: string, credential: Credential) {
  const answers = {
    password: await transport.call(setPassword, { userId, password }, credential),
    totp: await transport.call(removeTotp, { userId }, credential),
    email: await transport.call(updateUser, { userId, email: newEmail() }, credential),
    enable: await transport.call(enableUser, { userId }, credential),
    link: await transport.call(mailPasswordLink, { userId }, credential),
    session: await transport.call(revokeUserSession, { userId, sessionId }, credential),
    sessions: await transport.call(revokeUserSessions, { userId }, credential),
    disable: await transport.call(disableUser, { userId }, credential),
    delete: await transport.call(deleteUser, { userId }, credential),
  };
  return Object.values(answers).map((answer) => (answer.ok ? 'ok' : answer.error.code));
}

describeApp('a caller with only users:write', (suite) => {
  const db = () => suite.app.inside.db;
  const scope = 'users:read users:write';
  let callers: Credential[];
  beforeAll(async () => {
    const { id } = await addUser(db(), { kind: 'staff', scopes: scope });
    callers = [
      await credentialFor(suite.testApp, { type: 'service', scope }),
      await credentialFor(suite.testApp, { type: 'staff', sub: id, scope }),
    ];
  });
  const userRow = (id: string) =>
    db().selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  const refused = Array(9).fill('forbidden');

  describeOneTransport(suite, (name) => {
    itHoldsFor([
      ['owner', false],
      ['owner', true],
      ['member', true],
    ] as const)('cannot take over a user with a role', async (role, disabled) => {
      const user = await addUser(db(), { kind: 'member', disabled });
      await addMember(db(), (await addWorkspace(db(), '')).ownerId, role, user.id);
      await addTotp(suite.testApp, user.id);
      for (const caller of callers) {
        expect(await attack(suite.transport(name), user.id, caller)).toEqual(refused);
      }
      expect(await userRow(user.id)).toEqual(user);
      const seeds = db().selectFrom('totp_seeds').select('user_id').where('user_id', '=', user.id);
      expect(await seeds.execute()).toHaveLength(1);
    });

    it('cannot take over or weaken staff with other scopes', async () => {
      const user = await addUser(db(), { kind: 'staff', scopes: `${scope} audit:read` });
      for (const caller of callers) {
        expect(await attack(suite.transport(name), user.id, caller)).toEqual(refused);
        for (const scopes of [[], ['users:read', 'users:write'], ['users:write']]) {
          const mask = { paths: ['scopes'] };
          const request = { userId: user.id, scopes, updateMask: mask };
          expect(await suite.transport(name).call(updateUser, request, caller)).toMatchObject({
            ok: false,
            error: { code: 'forbidden' },
          });
        }
      }
      expect(await userRow(user.id)).toEqual(user);
      // A name gives no permission.
      const renamed = { userId: user.id, name: 'Renamed' };
      for (const caller of callers) {
        expect(await suite.transport(name).call(updateUser, renamed, caller)).toMatchObject({
          ok: true,
        });
      }
    });

    it('can weaken staff who hold only scopes of other services', async () => {
      const user = await addUser(db(), { kind: 'staff', scopes: 'payments:read users:read' });
      const [caller = {}] = callers;
      const transport = suite.transport(name);
      const fewer = { userId: user.id, scopes: ['payments:read'] };
      expect(await transport.call(updateUser, fewer, caller)).toMatchObject({ ok: true });
      expect(await attack(transport, user.id, caller)).toEqual([
        ...refused.slice(4),
        // The session does not exist.
        'not_found',
        ...Array(3).fill('ok'),
      ]);
    });

    it('cannot win a race against a role that is being granted', async () => {
      const user = await addUser(db(), { kind: 'member' });
      const { ownerId } = await addWorkspace(db(), '');
      let answer: Promise<string[]> | undefined;
      await transact(db(), async (trx) => {
        await lockRow(trx, 'users', 'id', user.id);
        const create_time = Date.now();
        await putMember(trx, {
          workspace_id: ownerId,
          user_id: user.id,
          role: 'owner',
          create_time,
        });
        answer = attack(suite.transport(name), user.id, callers[0] ?? {});
        // Time for the first attack to reach the row.
        await sleep(400);
      });
      expect(await answer).toEqual(refused);
      expect(await userRow(user.id)).toEqual(user);
    });
  });
});

describeApp('the last holder of a management scope', (suite) => {
  const db = () => suite.app.inside.db;
  const conflict = { ok: false, error: { code: 'conflict' } };
  const mask = { paths: ['scopes'] };

  describeOneTransport(suite, (name) => {
    itHoldsFor(managementScopes, 22)(
      'cannot lose a scope of management or be disabled',
      async (last) => {
        const all = managementScopes.join(' ');
        await transact(db(), (trx) =>
          trx.updateTable('users').set({ disable_time: 1 }).where('kind', '=', 'staff').execute(),
        );
        const others = managementScopes.filter((scope) => scope !== last);
        // None of these users can replace the holder.
        await addUser(db(), { kind: 'staff', scopes: others.join(' ') });
        await addUser(db(), { kind: 'staff', scopes: `super_${last} ${last}2` });
        await addUser(db(), { kind: 'member', scopes: last });
        await addUser(db(), { kind: 'staff', scopes: all, disabled: true });
        const holder = await addUser(db(), { kind: 'staff', scopes: all });
        const own = await credentialFor(suite.testApp, {
          type: 'staff',
          sub: holder.id,
          scope: all,
        });
        const service = await credentialFor(suite.testApp, { type: 'service', scope: all });
        const transport = suite.transport(name);
        for (const caller of [own, service]) {
          const without = { userId: holder.id, scopes: others, updateMask: mask };
          expect(await transport.call(updateUser, without, caller)).toMatchObject(conflict);
          const none = { userId: holder.id, scopes: [], updateMask: mask };
          expect(await transport.call(updateUser, none, caller)).toMatchObject(conflict);
          expect(await transport.call(disableUser, { userId: holder.id }, caller)).toMatchObject(
            conflict,
          );
        }
        const row = db().selectFrom('users').selectAll().where('id', '=', holder.id);
        expect(await row.executeTakeFirst()).toEqual(holder);
        // Scopes that another enabled staff user holds can be removed.
        const request = { userId: holder.id, scopes: [last], updateMask: mask };
        expect(await transport.call(updateUser, request, service)).toMatchObject({ ok: true });
      },
    );

    it('remains if two holders disable each other concurrently', async () => {
      await transact(db(), (trx) => trx.updateTable('users').set({ disable_time: 1 }).execute());
      const scopes = 'users:read users:write';
      const both = [await addUser(db(), { scopes }), await addUser(db(), { scopes })];
      const service = await credentialFor(suite.testApp, { type: 'service', scope: scopes });
      const answers = await Promise.all(
        both.map(({ id: userId }) => suite.transport(name).call(disableUser, { userId }, service)),
      );
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    });
  });
});

describeApp('the roles of a workspace', (suite) => {
  const db = () => suite.app.inside.db;
  const { putMember: putRole, removeMember } = WorkspaceService.method;
  const { createApiKey } = ApiKeyService.method;

  describeOneTransport(suite, (name) => {
    const codeOf: CodeOf = async (method, request, caller) => {
      const answer = await suite.transport(name).call(method, request, caller);
      return answer.ok ? 'ok' : answer.error.code;
    };

    /** A workspace with an owner, and a caller with that role. */
    async function workspace(role: 'admin' | 'member') {
      const { ownerId: workspaceId } = await addWorkspace(db(), '');
      const owner = await addMember(db(), workspaceId, 'owner');
      const self = await addMember(db(), workspaceId, role);
      const other = await addMember(db(), workspaceId, 'member');
      const caller = await credentialFor(suite.testApp, {
        type: 'member',
        sub: self,
        scope: memberScope,
      });
      return { workspaceId, owner, self, other, caller };
    }

    it('do not let an admin become, remove or impersonate an owner', async () => {
      const { workspaceId, owner, self, other, caller } = await workspace('admin');
      const put = (userId: string, role: MemberRole) =>
        codeOf(putRole, { workspaceId, userId, role }, caller);
      for (const userId of [self, other, owner]) {
        expect(await put(userId, MemberRole.OWNER)).toBe('forbidden');
      }
      expect(await put(owner, MemberRole.MEMBER)).toBe('forbidden');
      expect(await codeOf(removeMember, { workspaceId, userId: owner }, caller)).toBe('forbidden');
      for (const userId of [owner, other]) {
        expect(await codeOf(setPassword, { userId, password }, caller)).toBe('forbidden');
        expect(await codeOf(removeTotp, { userId }, caller)).toBe('forbidden');
      }
    });

    it('do not let a member grant roles or create keys', async () => {
      const { workspaceId, owner, self, caller } = await workspace('member');
      for (const role of [MemberRole.OWNER, MemberRole.ADMIN, MemberRole.MEMBER]) {
        expect(await codeOf(putRole, { workspaceId, userId: self, role }, caller)).toBe(
          'forbidden',
        );
      }
      const userId = owner;
      expect(await codeOf(removeMember, { workspaceId, userId }, caller)).toBe('forbidden');
      const key = { workspaceId, name: 'A key', scopes: ['links:read'] };
      expect(await codeOf(createApiKey, key, caller)).toBe('forbidden');
    });

    it('protect a user from users:write with workspaces:write', async () => {
      const { workspaceId, owner, other } = await workspace('member');
      await addMember(db(), workspaceId, 'owner');
      const scope = 'users:write workspaces:write';
      const caller = await credentialFor(suite.testApp, { type: 'service', scope });
      // A role in another workspace still protects the user.
      const elsewhere = await addWorkspace(db(), '');
      await addMember(db(), elsewhere.ownerId, 'member', owner);
      await codeOf(removeMember, { workspaceId, userId: owner }, caller);
      expect(await attack(suite.transport(name), owner, caller)).toEqual(
        Array(9).fill('forbidden'),
      );
      const role = MemberRole.OWNER;
      const grant = { workspaceId, userId: other, role };
      expect(await codeOf(putRole, grant, caller)).toBe('forbidden');
    });
  });
});
