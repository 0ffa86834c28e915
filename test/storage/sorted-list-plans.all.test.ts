// Every list that can be sorted and searched is read through an index, in each of its orders.
import type { CompiledQuery } from 'kysely';
import { expect, it, test } from 'vitest';
import { credentialList, findCredentials } from '../../src/credentials/store.ts';
import { accountList, findAccounts } from '../../src/identity/accounts/store.ts';
import { audienceList, findAudiences } from '../../src/identity/audiences/store.ts';
import {
  clientKeyList,
  clientList,
  federatedIdentityList,
  findClientKeys,
  findClients,
  findFederatedIdentities,
} from '../../src/identity/clients/store.ts';
import { customerList, findCustomers } from '../../src/identity/customers/store.ts';
import { findSigningKeys, signingKeyList } from '../../src/identity/keys/store.ts';
import { findProviders, providerList } from '../../src/identity/providers/store.ts';
import { findSessions, sessionList } from '../../src/identity/sessions/store.ts';
import { findIssuers, issuerList } from '../../src/identity/trusted-issuers/store.ts';
import { findUsers, userList } from '../../src/identity/users/store.ts';
import { documentList, findDocuments } from '../../src/sharing/documents/store.ts';
import { domainList, findDomains } from '../../src/sharing/domains/store.ts';
import { findFolders, folderList } from '../../src/sharing/folders/store.ts';
import { findLinks, linkList } from '../../src/sharing/links/list/store.ts';
import { findViews, viewLists } from '../../src/sharing/views/store.ts';
import { findVisitors, visitorList } from '../../src/sharing/visitors/store.ts';
import {
  findInvitations,
  findMembers,
  findWorkspaces,
  invitationList,
  memberList,
  workspaceList,
} from '../../src/sharing/workspaces/store.ts';
import { scan } from '../../src/storage/list.ts';
import type { ListQuery, SortColumns } from '../../src/storage/list-request.ts';
import type { Database } from '../../src/storage/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { fillSettings, fillTables } from '../support/many-rows.ts';
import { type Dialect, describeDialects } from '../support/matrix.ts';
import { findCosts, functionsWith, type PlanLimits, queriesOf } from '../support/query-plans.ts';

/** A list that can be sorted and searched. */
type SortedList = PlanLimits & {
  readonly find: { readonly name: string };
  readonly sorts: SortColumns;
  readonly read: (db: Database, query: ListQuery) => Promise<unknown>;
  /** Whether the list examines the rows in slices, also without a search. */
  readonly isExamined?: true;
};

const examined = {
  state: { is: 'expired', now: 1 },
  reader: 'a@example.com',
  expiring: { from: 1, before: 30_000 },
} as const;

const sortedLists: SortedList[] = [
  {
    find: findDocuments,
    filter: 'the workspace',
    ...documentList,
    read: (db, query) => findDocuments(db, { workspaceId: '1' }, query),
  },
  ...[undefined, '1', ''].map((folderId) => ({
    find: findFolders,
    filter: folderId === undefined ? 'the workspace' : `the parent “${folderId}”`,
    ...folderList,
    read: (db: Database, query: ListQuery) =>
      findFolders(db, { workspaceId: '1', parentId: folderId }, query),
  })),
  ...['1', ''].map((folderId) => ({
    find: findDocuments,
    filter: `the folder “${folderId}”`,
    ...documentList,
    read: (db: Database, query: ListQuery) =>
      findDocuments(db, { workspaceId: '1', folderId }, query),
  })),
  {
    find: findLinks,
    filter: 'the workspace',
    ...linkList,
    read: (db, query) => findLinks(db, { workspaceId: '1', documentId: '', folderId: '' }, query),
  },
  {
    find: findLinks,
    filter: 'the document',
    ...linkList,
    read: (db, query) => findLinks(db, { workspaceId: '1', documentId: '1', folderId: '' }, query),
  },
  {
    find: findLinks,
    filter: 'the folder',
    ...linkList,
    read: (db, query) => findLinks(db, { workspaceId: '1', documentId: '', folderId: '1' }, query),
  },
  ...['', '1'].map((documentId) => ({
    find: findLinks,
    filter: `the state, the reader and the expiry, of the document “${documentId}”`,
    ...linkList,
    read: (db: Database, query: ListQuery) =>
      findLinks(db, { workspaceId: '1', documentId, folderId: '', ...examined }, query),
    isExamined: true as const,
  })),
  ...(['link_id', 'document_id'] as const).map((column) => ({
    find: findViews,
    filter: column === 'link_id' ? 'the link' : 'the document',
    ...viewLists[column],
    read: (db: Database, query: ListQuery) => findViews(db, { column, id: '1', version: 0 }, query),
  })),
  {
    find: findVisitors,
    filter: 'the workspace',
    ...visitorList,
    read: (db, query) => findVisitors(db, '1', query),
  },
  {
    find: findWorkspaces,
    filter: 'none',
    ...workspaceList,
    read: (db, query) => findWorkspaces(db, undefined, query),
  },
  {
    find: findWorkspaces,
    filter: 'the member',
    ...workspaceList,
    read: (db, query) => findWorkspaces(db, '1', query),
    sortsFew: true,
  },
  {
    find: findMembers,
    filter: 'the workspace',
    ...memberList,
    read: (db, query) => findMembers(db, '1', query),
  },
  {
    find: findInvitations,
    filter: 'the workspace',
    ...invitationList,
    read: (db, query) => findInvitations(db, '1', 1, query),
  },
  {
    find: findDomains,
    filter: 'the workspace',
    ...domainList,
    read: (db, query) => findDomains(db, '1', query),
  },
  ...(['cs', 'ck', 'wk'] as const).map((kind) => ({
    find: findCredentials,
    filter: `the owner of ${kind}`,
    ...credentialList,
    read: (db: Database, query: ListQuery) => findCredentials(db, { kind, id: '1' }, query),
  })),
  { find: findAudiences, filter: 'none', ...audienceList, read: findAudiences },
  { find: findProviders, filter: 'none', ...providerList, read: findProviders },
  {
    find: findClientKeys,
    filter: 'the client',
    ...clientKeyList,
    read: (db, query) => findClientKeys(db, '1', query),
    sortsFew: true,
  },
  {
    find: findFederatedIdentities,
    filter: 'the client',
    ...federatedIdentityList,
    read: (db, query) => findFederatedIdentities(db, '1', query),
    sortsFew: true,
  },
  { find: findIssuers, filter: 'none', ...issuerList, read: findIssuers },
  { find: findClients, filter: 'none', ...clientList, read: findClients },
  { find: findCustomers, filter: 'none', ...customerList, read: findCustomers },
  { find: findSigningKeys, filter: 'none', ...signingKeyList, read: findSigningKeys },
  {
    find: findSessions,
    filter: 'the user',
    ...sessionList,
    read: (db, query) => findSessions(db, '1', 1, query),
    sortsFew: true,
    index: 'sessions_live',
  },
  ...[undefined, 'staff' as const].map((kind) => ({
    find: findUsers,
    filter: kind ?? 'none',
    ...userList,
    read: (db: Database, query: ListQuery) => findUsers(db, { email: undefined, kind }, query),
  })),
  {
    find: findUsers,
    filter: 'the email',
    ...userList,
    read: (db, query) => findUsers(db, { email: 'a@b', kind: undefined }, query),
  },
  {
    find: findAccounts,
    filter: 'none',
    ...accountList,
    read: (db, query) => findAccounts(db, {}, query),
  },
  ...[{ customerId: '1' }, { ids: ['1', '2'] }].map((filter) => ({
    find: findAccounts,
    filter: Object.keys(filter).join(),
    ...accountList,
    read: (db: Database, query: ListQuery) => findAccounts(db, filter, query),
    sortsFew: true,
  })),
];

/** Each order, on the first and on a later page, and a search. */
function queriesFor({ sorts, isExamined }: SortedList): [string, ListQuery][] {
  const filter = isExamined ? 'expired' : '';
  const first = { limit: 50, text: '', filter, after: undefined, total: undefined };
  return Object.entries(sorts).flatMap(([field, kind]) =>
    [true, false].flatMap((descending): [string, ListQuery][] => {
      const query = { ...first, sort: { field, kind, descending } };
      const [low, high] = kind === 'text' ? ['10', '95'] : [1_000, 19_000];
      const after = { value: descending ? high : low, id: '5000' };
      const order = `by ${field}${descending ? ' desc' : ''}`;
      return [
        [`${order}, the first page`, query],
        [`${order}, a later page`, { ...query, after }],
        [`${order}, a search`, { ...query, after, text: 'a' }],
      ];
    }),
  );
}

test('every list of a store is explained', () => {
  const explained = new Set(sortedLists.map(({ find }) => find.name));
  expect(functionsWith('readList(').sort()).toEqual([...explained].sort());
});

describeDialects('a list', (dialect) => {
  // Explains hundreds of queries.
  const timeout = 180_000;
  it('is read by an index in each order, and searched in slices', { timeout }, async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect), fillSettings);
    await fillTables(db, dialect);
    const bad: string[] = [];
    for (const list of sortedLists) {
      for (const [name, query] of queriesFor(list)) {
        for (const sent of await searchQueriesOf(dialect, list, query)) {
          // PostgreSQL may sort the rows of a slice.
          const isPage = query.text === '' && query.filter === '';
          const sortedMax = isPage ? {} : { sortedMax: 1_000 };
          const costs = await findCosts(db, dialect, sent, { ...list, ...sortedMax });
          if (costs !== '') bad.push(`${list.find.name}, ${list.filter}, ${name}: ${costs}`);
        }
      }
    }
    expect(bad).toEqual([]);
  });
});

/** Collects the queries of a page, and of a search the queries of one slice of 1,000 rows. */
async function searchQueriesOf(
  dialect: Dialect,
  { read }: SortedList,
  query: ListQuery,
): Promise<CompiledQuery[]> {
  const { slicesMax } = scan;
  Object.assign(scan, { slicesMax: 1 });
  try {
    const [low, high] = query.sort.kind === 'text' ? ['11', '94'] : [2_000, 18_000];
    const value = query.sort.descending ? high : low;
    return await queriesOf(dialect, (db) => read(db, query), [{ value, id: `${value}`, count: 1 }]);
  } finally {
    Object.assign(scan, { slicesMax });
  }
}
