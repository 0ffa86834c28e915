// The service denies staff functions to members, whatever the console shows.
import { describe, expect, it } from 'vitest';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { signToken } from '../support/signed-tokens.ts';

const { app, visitAs, member, staff } = useConsole();

const paths = [
  '/clients',
  '/clients/cli_0000000000000000000000',
  '/customers',
  '/customers/cus_0000000000000000000000',
  '/accounts',
  '/signing-keys',
  '/users',
  '/users/usr_0000000000000000000000',
  '/audit',
];

describe.each(paths)('%s', (path) => {
  it('is not in the menu of a member, and its URL shows an error', async () => {
    const { page, open } = await visitAs(await member('admin'));
    await open(path);
    const problem = page.getByRole('alert').first();
    await problem.getByText('You don’t have access').waitFor();
    await problem.getByText(/Request ID: [\w-]{8,}/).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Signing keys' }).count()).toBe(0);
    await expectAccessible(page);
  });
});

const calls: ReadonlyArray<readonly [method: string, request: object]> = [
  ['ClientService/ListClients', {}],
  ['ClientService/GetClient', { clientId: 'cli_0000000000000000000000' }],
  ['ClientService/CreateClient', { name: 'Mine', scopes: ['users:write'] }],
  ['CustomerService/ListCustomers', {}],
  ['CustomerService/GetCustomer', { customerId: 'cus_0000000000000000000000' }],
  ['AccountService/ListAccounts', {}],
  ['SigningKeyService/ListSigningKeys', {}],
  ['SigningKeyService/CreateSigningKey', {}],
  ['UserService/ListUsers', {}],
  ['UserService/GetUser', { userId: 'usr_0000000000000000000000' }],
  ['UserService/DisableUser', { userId: 'usr_0000000000000000000000' }],
  ['AuditService/ListAuditEvents', {}],
];

describe('the Connect transport', () => {
  const statusOf = async (method: string, request: object, token: string) => {
    const answer = await fetch(`${app().app.publicUrl}/latchkey.identity.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(request),
    });
    const { code } = (await answer.json()) as { code?: string };
    return [answer.status, code];
  };

  it.each(calls)(
    'refuses %s to a member, and to staff without the scope',
    async (method, request) => {
      const { id } = await member('admin');
      const scope = 'documents:read workspaces:read';
      const ofMember = await signToken(app().app, { type: 'member', scope, sub: id });
      expect(await statusOf(method, request, ofMember)).toEqual([403, 'permission_denied']);
      const other = await staff(['documents:read']);
      const ofStaff = await signToken(app().app, { type: 'staff', scope, sub: other.id });
      expect(await statusOf(method, request, ofStaff)).toEqual([403, 'permission_denied']);
    },
  );
});
