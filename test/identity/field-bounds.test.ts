// The bounds of the fields of the identity module. Each call names the field that is out of bounds.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { useManager } from '../support/manager-calls.ts';
import { addClient, addCustomer } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { UnaryMethod } from '../support/transports.ts';

const { createClient, updateClient, createClientSecret, rotateClientSecret } = ClientService.method;
const { createCustomer, updateCustomer, createApiKey, rotateApiKey, putAccounts } =
  CustomerService.method;
const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken } = VerificationService.method;
const { signIn } = SessionService.method;

const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}:read`);
const repeated = Array(101).fill('accounts:read').join(' ');
const name = { paths: ['name'] };
const ofClient = { clientId: 'cli_none' };
const ofCustomer = { customerId: 'cus_none' };
const client = { clientId: 'a', clientSecret: 'b', scope: 'a:read' };
const user = { email: 'a', password: 'b' };

type Row = readonly [method: UnaryMethod, request: object, ...fields: string[]];

/** Makes the request of a row fit its method. */
const row = <M extends UnaryMethod>(
  method: M,
  request: MessageInitShape<M['input']> & object,
  ...fields: string[]
): Row => [method, request, ...fields];

const malformedScopes = [
  '',
  'payments',
  'payments:delete',
  'Payments:read',
  'payments:read ',
  'payments:read\n',
  'payments:read payments:write',
  '1payments:read',
  'p\u0000:read',
  `${'p'.repeat(65)}:read`,
];

const rows: readonly Row[] = [
  row(createClient, { name: '' }, 'name'),
  row(createClient, { name: 'x'.repeat(256) }, 'name'),
  row(createClient, { name: 'a\u0000b' }, 'name'),
  row(createClient, { name: 'x', scopes: many(101) }, 'scopes'),
  ...malformedScopes.map((scope) =>
    row(createClient, { name: 'x', scopes: ['payments:read', scope] }, 'scopes'),
  ),
  row(updateClient, { ...ofClient, name: '', updateMask: name }, 'name'),
  row(createClientSecret, { ...ofClient, name: 'x'.repeat(256) }, 'name'),
  row(rotateClientSecret, { ...ofClient, name: 'x'.repeat(256) }, 'name'),
  row(rotateClientSecret, { ...ofClient, overlapSeconds: 2_592_001 }, 'overlap_seconds'),
  row(createCustomer, { name: '' }, 'name'),
  row(createCustomer, { name: 'x'.repeat(256) }, 'name'),
  row(updateCustomer, { ...ofCustomer, name: '', updateMask: name }, 'name'),
  row(updateCustomer, { ...ofCustomer, name: 'x'.repeat(256) }, 'name'),
  row(createApiKey, { ...ofCustomer, scopes: [] }, 'scopes'),
  row(createApiKey, { ...ofCustomer, scopes: ['a:read b:read'] }, 'scopes'),
  row(createApiKey, { ...ofCustomer, scopes: ['a:read'], name: 'x'.repeat(256) }, 'name'),
  row(rotateApiKey, { ...ofCustomer, keyId: 'a', overlapSeconds: 2_592_001 }, 'overlap_seconds'),
  ...['', 'acc 1', 'acc_1,acc_2', 'acc\u0000', 'a'.repeat(129)].map((id) =>
    row(putAccounts, { ...ofCustomer, accountIds: ['acc_1', id] }, 'account_ids'),
  ),
  row(putAccounts, { ...ofCustomer, accountIds: many(1001) }, 'account_ids'),
  row(issueToken, { scope: 'a:read' }, 'client_id', 'client_secret'),
  row(issueToken, { ...client, clientId: '' }, 'client_id'),
  row(issueToken, { ...client, clientSecret: '' }, 'client_secret'),
  row(issueToken, { ...client, clientId: 'c'.repeat(129) }, 'client_id'),
  row(issueToken, { ...client, clientSecret: 's'.repeat(257) }, 'client_secret'),
  row(issueToken, { ...client, scope: 'a'.repeat(7201) }, 'scope'),
  row(issueToken, { ...client, grantType: 'g'.repeat(129) }, 'grant_type'),
  row(issueToken, { ...client, resource: 'a'.repeat(2049) }, 'resource'),
  row(exchangeApiKey, { apiKey: 'k', resource: 'a'.repeat(2049) }, 'resource'),
  row(exchangeApiKey, { apiKey: '' }, 'api_key'),
  row(exchangeApiKey, { apiKey: 'k'.repeat(257) }, 'api_key'),
  row(exchangeApiKey, { apiKey: 'k', scope: 'a'.repeat(7201) }, 'scope'),
  row(verifyToken, { token: '' }, 'token'),
  row(verifyToken, { token: 'a'.repeat(16_385) }, 'token'),
  row(verifyToken, { token: 'x', scope: 'accounts' }, 'scope'),
  row(verifyToken, { token: 'x', accountId: 'a'.repeat(129) }, 'account_id'),
  row(signIn, {}, 'email', 'password'),
  row(signIn, { ...user, email: 'a'.repeat(255) }, 'email'),
  row(signIn, { ...user, password: 'p'.repeat(1025) }, 'password'),
  row(signIn, { ...user, password: 'é'.repeat(513) }, 'password'),
  row(signIn, { ...user, otp: '0'.repeat(33) }, 'otp'),
];

describeAppOnSqlite('a field', (suite) => {
  const manager = useManager(suite, managementScopes.join(' '));

  itHoldsFor(
    rows.map(([method, request, ...fields]) => [method.name, method, request, fields] as const),
    50,
  )('that is out of bounds is named', async (_, method, request, fields) => {
    const credential = method === signIn ? {} : manager;
    const answer = await suite.transport('grpc').call(method, request as never, credential);
    expect(answer).toMatchObject({ error: { code: 'invalid_argument', fields } });
  });
  // The number of scopes is checked after the credential.
  itHoldsFor([many(101).join(' '), repeated])('of too many scopes is named', async (scope) => {
    const { db } = suite.app.inside;
    const { ownerId: clientId, text: clientSecret } = await addClient(db, 'accounts:read');
    const { text: apiKey } = await addCustomer(db, 'accounts:read');
    const { call } = suite.transport('grpc');
    const refused = { error: { code: 'invalid_argument', fields: ['scope'] } };
    expect(await call(issueToken, { clientId, clientSecret, scope })).toMatchObject(refused);
    expect(await call(exchangeApiKey, { apiKey, scope })).toMatchObject(refused);
  });
});
