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
import { findInvitations, invitationList } from '../../src/sharing/workspaces/invitations/store.ts';
import {
  findMembers,
  findWorkspaces,
  memberList,
  workspaceList,
} from '../../src/sharing/workspaces/store.ts';
import { scan } from '../../src/storage/queries/list.ts';
import type { ListQuery, SortColumns } from '../../src/storage/queries/list-request.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
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

/** A list whose function gets these arguments before the query. */
const listOf = <A extends unknown[]>(
  find: (db: Database, ...args: [...A, ListQuery]) => Promise<unknown>,
  { sorts }: { readonly sorts: SortColumns },
  filter: string,
  ...args: A
): SortedList => ({ find, filter, sorts, read: (db, query) => find(db, ...args, query) });

/** Names a function that `listFrom` has made. */
function named<F extends object>(made: Readonly<Record<string, F>>): F {
  const [[name, find] = []] = Object.entries(made);
  if (find === undefined) throw new Error('there is no function');
  return Object.defineProperty(find, 'name', { value: name });
}

const ofWorkspace = { workspaceId: '1', documentId: '', folderId: '' };

const sortedLists: SortedList[] = [
  listOf(findDocuments, documentList, 'the workspace', { workspaceId: '1' }),
  ...[undefined, '1', ''].map((parentId) => {
    const filter = parentId === undefined ? 'the workspace' : `the parent “${parentId}”`;
    return listOf(findFolders, folderList, filter, { workspaceId: '1', parentId });
  }),
  ...['1', ''].map((folderId) => {
    const filter = `the folder “${folderId}”`;
    return listOf(findDocuments, documentList, filter, { workspaceId: '1', folderId });
  }),
  listOf(findLinks, linkList, 'the workspace', ofWorkspace),
  listOf(findLinks, linkList, 'the document', { ...ofWorkspace, documentId: '1' }),
  listOf(findLinks, linkList, 'the folder', { ...ofWorkspace, folderId: '1' }),
  ...['', '1'].map((documentId) => {
    const filter = `the state, the reader and the expiry, of the document “${documentId}”`;
    const of = { ...ofWorkspace, documentId, ...examined };
    return { ...listOf(findLinks, linkList, filter, of), isExamined: true as const };
  }),
  ...(['link_id', 'document_id'] as const).map((column) => {
    const filter = column === 'link_id' ? 'the link' : 'the document';
    return listOf(findViews, viewLists[column], filter, { column, id: '1', version: 0 });
  }),
  listOf(findVisitors, visitorList, 'the workspace', '1'),
  listOf<[string | undefined]>(findWorkspaces, workspaceList, 'none', undefined),
  {
    ...listOf<[string | undefined]>(findWorkspaces, workspaceList, 'the member', '1'),
    sortsFew: true,
  },
  listOf(findMembers, memberList, 'the workspace', '1'),
  listOf(findInvitations, invitationList, 'the workspace', '1', 1),
  listOf(findDomains, domainList, 'the workspace', '1'),
  ...(['cs', 'ck', 'wk'] as const).map((kind) =>
    listOf(findCredentials, credentialList, `the owner of ${kind}`, { kind, id: '1' }),
  ),
  listOf<[]>(named({ findAudiences }), audienceList, 'none'),
  listOf<[]>(named({ findProviders }), providerList, 'none'),
  { ...listOf(findClientKeys, clientKeyList, 'the client', '1'), sortsFew: true },
  {
    ...listOf(findFederatedIdentities, federatedIdentityList, 'the client', '1'),
    sortsFew: true,
  },
  listOf<[]>(named({ findIssuers }), issuerList, 'none'),
  listOf<[]>(named({ findClients }), clientList, 'none'),
  listOf<[]>(findCustomers, customerList, 'none'),
  listOf<[]>(named({ findSigningKeys }), signingKeyList, 'none'),
  {
    ...listOf(findSessions, sessionList, 'the user', '1', 1),
    sortsFew: true,
    index: 'sessions_live',
  },
  ...[undefined, 'staff' as const].map((kind) =>
    listOf(findUsers, userList, kind ?? 'none', { email: undefined, kind }),
  ),
  listOf(findUsers, userList, 'the email', { email: 'a@b', kind: undefined }),
  listOf(findAccounts, accountList, 'none', {}),
  ...[{ customerId: '1' }, { ids: ['1', '2'] }].map((filter) => ({
    ...listOf(findAccounts, accountList, Object.keys(filter).join(), filter),
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
  const lists = [...functionsWith('readList('), ...functionsWith('listFrom(')];
  expect(lists.sort()).toEqual([...explained].sort());
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
