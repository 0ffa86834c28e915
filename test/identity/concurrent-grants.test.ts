// A caller who loses scopes while the call runs.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { updateClient } from '../../src/identity/clients/store.ts';
import { updateUser } from '../../src/identity/users/store.ts';
import { lockUser } from '../../src/identity/users/users.ts';
import { putMember } from '../../src/sharing/workspaces/store.ts';
import type { Executor } from '../../src/storage/schema/schema.ts';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { callDuring } from '../support/lock-waits.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addClient, addWorkspace, changeAsOtherProcess } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential, Transport } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

const users = UserService.method;
const clients = ClientService.method;
const { createApiKey, rotateApiKey } = ApiKeyService.method;
const password = 'correct horse battery staple';

type Call = (transport: Transport, caller: Credential, target: string) => Promise<{ ok: boolean }>;

/** Calls on a user who has the scope clients:read. */
const callsOnUser: [string, Call][] = [
  ['SetPassword', (t, by, userId) => t.call(users.setPassword, { userId, password }, by)],
  ['RemoveTotp', (t, by, userId) => t.call(users.removeTotp, { userId }, by)],
  ['DisableUser', (t, by, userId) => t.call(users.disableUser, { userId }, by)],
  ['EnableUser', (t, by, userId) => t.call(users.enableUser, { userId }, by)],
  ['UpdateUser', (t, by, userId) => t.call(users.updateUser, emailChange(userId), by)],
  ['CreateUser', (t, by) => t.call(users.createUser, newUser(), by)],
];

/** Calls on a client that has the scope clients:read. */
const callsOnClient: [string, Call][] = [
  ['CreateClient', (t, by) => t.call(clients.createClient, newClient, by)],
  ['UpdateClient', (t, by, clientId) => t.call(clients.updateClient, scopeChange(clientId), by)],
  ['DisableClient', (t, by, clientId) => t.call(clients.disableClient, { clientId }, by)],
  ['CreateClientSecret', (t, by, clientId) => t.call(clients.createClientSecret, { clientId }, by)],
];

const userScopes = 'users:read users:write clients:read';
const clientScopes = 'clients:read clients:write';

describeApp('a caller who loses a scope during the call', (suite) => {
  itHoldsFor(callsOnUser, 6)('cannot call a method on a user as staff', async (_, call) => {
    const target = await addUser(db(suite), { scopes: 'clients:read' });
    const { id } = await addUser(db(suite), { scopes: userScopes });
    const by = await tokenOf(suite, 'staff', id, userScopes);

    const answer = await callWhile(
      suite,
      () => call(suite.transport('grpc'), by, target.id),
      (trx) => updateUser(trx, id, { scopes: 'users:read users:write' }),
    );

    expect(answer).toMatchObject(missing('clients:read'));
    const row = db(suite).selectFrom('users').selectAll().where('id', '=', target.id);
    expect(await row.executeTakeFirst()).toEqual(target);
  });

  itHoldsFor(callsOnClient, 4)('cannot call a method on a client as a client', async (_, call) => {
    const target = await addClient(db(suite), 'clients:read');
    const { ownerId: id } = await addClient(db(suite), clientScopes);
    const by = await tokenOf(suite, 'service', id, clientScopes);

    const answer = await callWhile(
      suite,
      () => call(suite.transport('grpc'), by, target.ownerId),
      (trx) => updateClient(trx, id, { scopes: 'clients:write' }),
    );

    expect(answer).toMatchObject(missing('clients:read'));
  });

  it('cannot use the scope of the method either', async () => {
    const target = await addUser(db(suite));
    const { id } = await addUser(db(suite), { scopes: 'users:write' });
    const by = await tokenOf(suite, 'staff', id, 'users:write');

    const answer = await callWhile(
      suite,
      () => suite.transport('grpc').call(users.setPassword, { userId: target.id, password }, by),
      (trx) => updateUser(trx, id, { scopes: '' }),
    );

    expect(answer).toMatchObject(missing('users:write'));
  });

  itHoldsFor(['CreateApiKey', 'RotateApiKey', 'PutMember'])(
    'cannot call a method as an admin who becomes a member',
    async (method) => {
      const added = await addWorkspace(db(suite), 'links:read');
      const workspaceId = added.ownerId;
      const id = await addMember(db(suite), workspaceId, 'admin');
      const other = await addMember(db(suite), workspaceId, 'member');
      const by = await tokenOf(suite, 'member', id, memberScope);
      const transport = suite.transport('grpc');
      const key = { workspaceId, name: 'A key', scopes: ['links:read'] };
      const role = { workspaceId, userId: other, role: MemberRole.MEMBER };
      const calls: Record<string, () => Promise<unknown>> = {
        CreateApiKey: () => transport.call(createApiKey, key, by),
        RotateApiKey: () =>
          transport.call(rotateApiKey, { workspaceId, keyId: added.credentialId }, by),
        PutMember: () => transport.call(WorkspaceService.method.putMember, role, by),
      };

      const answer = await callWhile(
        suite,
        calls[method] ?? (() => Promise.reject()),
        async (trx) => {
          await lockUser(trx, id);
          const row = { workspace_id: workspaceId, user_id: id, role: 'member', create_time: 1 };
          await putMember(trx, { ...row, role: 'member' });
        },
      );

      expect(answer).toMatchObject(
        missing(method === 'PutMember' ? 'workspaces:write' : 'api_keys:write'),
      );
    },
  );
});

const db = ({ app }: Suite) => app.inside.db;

const missing = (scope: string) => ({
  ok: false,
  error: { code: 'forbidden', message: expect.stringContaining(scope) },
});

/**
 * Makes a call while another process takes scopes from the caller. On SQLite, which runs one
 * transaction at a time, the guard of the call uses the cached grants of the caller.
 */
async function callWhile<T>(
  { dialect, app, testApp }: Suite,
  call: () => Promise<T>,
  change: (trx: Executor) => Promise<unknown>,
): Promise<T> {
  if (dialect === 'postgres') return callDuring(testApp.databaseUrl, call, change);
  await changeAsOtherProcess(app.inside.db, change);
  return call();
}

/** A token whose grants this process has cached. */
async function tokenOf(
  suite: Suite,
  type: 'staff' | 'member' | 'service',
  sub: string,
  scope: string,
): Promise<Credential> {
  const by = await credentialFor(suite.testApp, { type, sub, scope });
  await suite.transport('grpc').call(WorkspaceService.method.listMembers, {}, by);
  return by;
}

const emailChange = (userId: string) => ({
  userId,
  email: `${randomBytes(8).toString('hex')}@example.com`,
  updateMask: { paths: ['email'] },
});

const newUser = () => ({
  email: `${randomBytes(8).toString('hex')}@example.com`,
  kind: UserKind.STAFF,
  password,
  scopes: ['clients:read'],
});

const newClient = { name: 'A client', scopes: ['clients:read'] };

const scopeChange = (clientId: string) => ({
  clientId,
  scopes: [],
  updateMask: { paths: ['scopes'] },
});
