// Names contain no characters that disguise them in a list, a mail or a terminal.
import { create } from '@bufbuild/protobuf';
import { beforeAll, expect } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { describeApp } from '../support/app-suite.ts';
import { credentialFor } from '../support/member-rows.ts';
import { addClient, addCustomer, addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { UnaryMethod } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

const clients = ClientService.method;
const customers = CustomerService.method;
const users = UserService.method;

describeApp('a name', (suite) => {
  const owners = { clientId: '', customerId: '', userId: '', workspaceId: '' };
  let staff: { readonly authorization: string };

  beforeAll(async () => {
    const { db } = suite.app.inside;
    owners.clientId = (await addClient(db, 'a:read')).ownerId;
    owners.customerId = (await addCustomer(db, 'a:read')).ownerId;
    owners.workspaceId = (await addWorkspace(db, '')).ownerId;
    owners.userId = (await addUser(db, { kind: 'member', name: 'Before' })).id;
    const scope = [...managementScopes, 'a:read', 'documents:read'].join(' ');
    const { id: sub } = await addUser(db, { kind: 'staff', scopes: scope });
    staff = await credentialFor(suite.testApp, { type: 'staff', sub, scope });
  });

  const password = 'a long enough password';
  const email = 'new@example.com';
  const member = { kind: UserKind.MEMBER, email, password };
  const methods: readonly [UnaryMethod, object][] = [
    [clients.createClient, { clientId: '', scopes: ['a:read'] }],
    [clients.updateClient, {}],
    [clients.createClientSecret, {}],
    [clients.rotateClientSecret, {}],
    [customers.createCustomer, {}],
    [customers.updateCustomer, {}],
    [customers.createApiKey, { scopes: ['a:read'] }],
    [users.createUser, member],
    [users.updateUser, {}],
    [ApiKeyService.method.createApiKey, { scopes: ['documents:read'] }],
  ];

  itHoldsFor(
    methods.map(([method, fields]) => [method.name, method, fields] as const),
    10,
  )('has no control characters', async (_, method, fields) => {
    const known = new Set(method.input.fields.map(({ localName }) => localName));
    const ids = Object.fromEntries(Object.entries(owners).filter(([field]) => known.has(field)));
    const call = (name: string) => {
      const request = create(method.input, { ...ids, ...fields, name });
      return suite.transport('grpc').call(method, request as never, staff);
    };
    const refused = { ok: false, error: { code: 'invalid_argument', fields: ['name'] } };
    for (const name of ['W\u0007', 'W\r\nX', 'W\u202efdp.exe']) {
      expect(await call(name), JSON.stringify(name)).toMatchObject(refused);
    }
    expect(await call('Wörter “and” emoji 🔑')).toMatchObject({ ok: true });
  });
});
