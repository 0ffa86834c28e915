// The rules that every list of the API follows: its text search, its orders and its total.
import { beforeAll, expect, it } from 'vitest';
import { managementScopes } from '../src/api/access/scopes.ts';
import { describeApp } from './support/app-suite.ts';
import { addListedRows } from './support/listed-rows.ts';
import { credentialFor } from './support/member-rows.ts';
import { allMethods } from './support/method-calls.ts';
import { addClient, addCustomer, addWorkspace } from './support/owner-rows.ts';
import { itHoldsFor } from './support/rule.ts';
import type { UnaryMethod } from './support/transports.ts';
import { addUser } from './support/user-rows.ts';

const lists = allMethods.filter(
  (method): method is UnaryMethod =>
    method.methodKind === 'unary' &&
    method.output.fields.some(({ name }) => name === 'next_page_token'),
);

/**
 * The orders of each list, and a text in two rows. The audit log has filters instead, and a
 * document has few versions.
 */
const facts: Record<string, { orders: readonly string[]; text: string }> = {
  'AccountService.ListAccounts': { orders: ['create_time', 'id'], text: 'ACC-1' },
  'AudienceService.ListAudiences': { orders: ['create_time', 'name'], text: 'wanted' },
  'IdentityProviderService.ListIdentityProviders': {
    orders: ['create_time', 'name'],
    text: 'wanted',
  },
  'TrustedIssuerService.ListTrustedIssuers': { orders: ['create_time', 'name'], text: 'wanted' },
  'ClientService.ListClients': { orders: ['create_time', 'name'], text: 'wanted' },
  'ClientService.ListClientSecrets': { orders: ['create_time', 'name'], text: 'wanted' },
  'ClientService.ListClientKeys': { orders: ['create_time', 'name'], text: 'wanted' },
  'ClientService.ListFederatedIdentities': {
    orders: ['create_time', 'subject'],
    text: 'wanted',
  },
  'CustomerService.ListCustomers': { orders: ['create_time', 'name'], text: 'wanted' },
  'CustomerService.ListApiKeys': { orders: ['create_time', 'name'], text: 'wanted' },
  'SessionService.ListSessions': { orders: ['create_time', 'refresh_time'], text: '192.0.2.1' },
  'SessionService.ListUserSessions': {
    orders: ['create_time', 'refresh_time'],
    text: '192.0.2.1',
  },
  'SigningKeyService.ListSigningKeys': { orders: ['create_time'], text: 'wanted' },
  'UserService.ListUsers': { orders: ['create_time', 'name', 'email'], text: 'wanted' },
  'DocumentService.ListDocuments': {
    orders: ['create_time', 'name', 'size_bytes', 'view_count'],
    text: 'wanted',
  },
  'FolderService.ListFolders': { orders: ['create_time', 'name'], text: 'wanted' },
  'LinkService.ListLinks': { orders: ['create_time', 'name', 'view_count'], text: 'wanted' },
  'LinkService.ListLinkViews': {
    orders: ['create_time', 'email', 'duration_ms'],
    text: 'wanted@EXAMPLE.com',
  },
  'InsightService.ListDocumentViews': { orders: ['create_time'], text: 'wanted@EXAMPLE.com' },
  'VisitorService.ListVisitors': {
    orders: ['create_time', 'last_view_time', 'view_count', 'email'],
    text: 'wanted@EXAMPLE.com',
  },
  'ApiKeyService.ListApiKeys': { orders: ['create_time', 'name'], text: 'wanted' },
  'WorkspaceService.ListWorkspaces': { orders: ['create_time', 'name'], text: 'wanted' },
  'WorkspaceService.ListMembers': { orders: ['create_time'], text: 'wanted' },
  'WorkspaceService.ListInvitations': { orders: ['create_time'], text: 'wanted' },
  'DomainService.ListDomains': { orders: ['create_time'], text: 'wanted' },
};

const nameOf = (method: UnaryMethod) => `${method.parent.name}.${method.name}`;

const withoutText = [
  ...['AuditService.ListAuditEvents', 'DocumentService.ListVersions'],
  'VisitorService.ListVisitorViews',
];
const ofText = lists.filter((method) => !withoutText.includes(nameOf(method)));

/** Fields that would make a list shorter. */
const optionalFilters: Record<string, readonly string[]> = {
  ListAccounts: ['customerId', 'workspaceId'],
  ListLinks: ['documentId', 'folderId'],
  ListLinkViews: ['version'],
  ListDocumentViews: ['version'],
};

const badTokens = [
  'garbage',
  ...['2.1.doc_a', "1.1.doc_a' or 1=1"].map((text) => Buffer.from(text).toString('base64url')),
  'x'.repeat(513),
];

type Page = { readonly rows: readonly unknown[]; readonly total: number; readonly token: string };

describeApp('every list', (suite) => {
  const ids = {
    workspaceId: '',
    clientId: '',
    customerId: '',
    linkId: '',
    documentId: '',
    userId: '',
  };
  let staff: { authorization: string };

  beforeAll(async () => {
    const { db } = suite.app.inside;
    const scope = [...managementScopes, 'documents:read', 'links:read', 'accounts:read'].join(' ');
    const caller = await addUser(db, { kind: 'staff', scopes: scope });
    staff = await credentialFor(suite.testApp, { type: 'staff', sub: caller.id, scope });
    const client = await addClient(db, 'a:read');
    const customer = await addCustomer(db, 'a:read', { accounts: ['acc-1', 'acc-12', 'b', 'c'] });
    const workspace = await addWorkspace(db, 'links:read');
    Object.assign(ids, { workspaceId: workspace.ownerId, linkId: 'lnk_0', documentId: 'doc_0' });
    Object.assign(ids, { clientId: client.ownerId, customerId: customer.ownerId });
    Object.assign(ids, { userId: caller.id });
    await addListedRows(db, ids, caller.id);
    // The retention runs every minute. It must not delete a row that a test expects.
    await suite.app.inside.deleteOldRows();
  });

  /** Reads a page. The fields have the same names in each list. */
  async function read(method: UnaryMethod, request: object): Promise<Page | readonly string[]> {
    const known = new Set(method.input.fields.map(({ localName }) => localName));
    const filters = optionalFilters[method.name] ?? [];
    const scoped = Object.entries(ids).filter(
      ([field]) => known.has(field) && !filters.includes(field),
    );
    const input = { ...Object.fromEntries(scoped), ...request };
    const answer = await suite.transport('grpc').call(method, input as never, staff);
    if (!answer.ok) return [answer.error.code, ...answer.error.fields];
    const message = answer.message as unknown as Record<string, unknown>;
    const list = method.output.fields.find(({ fieldKind }) => fieldKind === 'list');
    return {
      rows: message[list?.localName ?? ''] as unknown[],
      total: message.totalSize as number,
      token: message.nextPageToken as string,
    };
  }

  async function walk(method: UnaryMethod, request: object): Promise<Page[]> {
    const pages: Page[] = [];
    let token = '';
    do {
      const page = await read(method, { ...request, pageToken: token });
      if (!('token' in page)) throw new Error(page.join());
      pages.push(page);
      token = page.token;
    } while (token !== '');
    return pages;
  }

  const keyOf = (row: unknown) => {
    const { id, kid, userId } = row as Record<string, string>;
    return id ?? kid ?? userId;
  };

  it('has a query, an order and a total, except the audit log', () => {
    const fields = ofText.map(({ input, output }) => [
      ...input.fields.map(({ name }) => name).filter((name) => /^(query|order_by)$/.test(name)),
      ...output.fields.map(({ name }) => name).filter((name) => name === 'total_size'),
    ]);
    expect(fields).toEqual(fields.map(() => ['query', 'order_by', 'total_size']));
    expect(ofText.map(nameOf).sort()).toEqual(Object.keys(facts).sort());
  });

  const named = ofText.map((method) => [nameOf(method), method] as const);
  const factsOf = (name: string) => facts[name] ?? { orders: [], text: '' };

  itHoldsFor(named, 17)(
    'returns each row once in each order, and the other direction reversed',
    async (name, method) => {
      const { orders } = factsOf(name);
      const all = await walk(method, {});
      const newestFirst = all.flatMap((page) => page.rows.map(keyOf));
      const total = newestFirst.length;
      expect(total).toBeGreaterThanOrEqual(4);
      expect(orders).toContain('create_time');
      for (const order of orders) {
        const [up, down] = [
          await walk(method, { orderBy: order, pageSize: 2 }),
          await walk(method, { orderBy: `${order} desc`, pageSize: 2 }),
        ].map((pages) => pages.flatMap((page) => page.rows.map(keyOf)));
        expect(new Set(up).size, order).toBe(total);
        expect(up?.length, order).toBe(total);
        if (order === 'create_time') expect(newestFirst).toEqual(down);
        expect(down, order).toEqual(up?.reverse());
      }
      expect(new Set(all.map((page) => page.total))).toEqual(new Set([total]));
    },
  );

  itHoldsFor(named, 17)('finds the rows that contain a text', async (name, method) => {
    const { orders, text } = factsOf(name);
    for (const order of orders) {
      const pages = await walk(method, { query: text, orderBy: order, pageSize: 1 });
      expect(pages.flatMap((page) => page.rows).length, order).toBe(2);
      expect(new Set(pages.map((page) => page.total)), order).toEqual(new Set([2]));
    }
    const none = await walk(method, { query: 'no row contains this' });
    expect(none).toEqual([{ rows: [], total: 0, token: '' }]);
  });

  itHoldsFor(named, 17)(
    'refuses an unknown order, a bad page size, and a bad or another page token',
    async (name, method) => {
      const { orders, text } = factsOf(name);
      const refused = ['invalid_argument', 'order_by'];
      expect(await read(method, { orderBy: 'digest' })).toEqual(refused);
      expect(await read(method, { pageSize: -1 })).toEqual(['invalid_argument', 'page_size']);
      for (const pageToken of badTokens) {
        expect(await read(method, { pageToken })).toEqual(['invalid_argument', 'page_token']);
      }
      const first = await read(method, { orderBy: orders[0], pageSize: 1 });
      const pageToken = 'token' in first ? first.token : '';
      expect(pageToken).not.toBe('');
      for (const other of [{}, { query: text }, { orderBy: `${orders[0]} desc` }]) {
        const answer = await read(method, { ...other, pageToken });
        expect(answer).toEqual(['invalid_argument', 'page_token']);
      }
    },
  );
});
