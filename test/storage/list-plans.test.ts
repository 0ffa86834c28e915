// Every list is read through an index in its order, because its table may hold millions of rows.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  CompiledQuery as Compiled,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { describe, expect, it, test } from 'vitest';
import { selectEvents, selectScanEnd } from '../../src/audit/store.ts';
import { findCredentials } from '../../src/credentials/store.ts';
import { findAccounts } from '../../src/identity/accounts/store.ts';
import { findClients } from '../../src/identity/clients/store.ts';
import { findCustomers } from '../../src/identity/customers/store.ts';
import { findSigningKeys } from '../../src/identity/keys/store.ts';
import { findOldSessions, findSessions } from '../../src/identity/sessions/store.ts';
import { findUsers } from '../../src/identity/users/store.ts';
import { findDocuments } from '../../src/sharing/documents/store.ts';
import { findLinks } from '../../src/sharing/links/store.ts';
import { findViews } from '../../src/sharing/views/store.ts';
import { findMembers, findWorkspaces } from '../../src/sharing/workspaces/store.ts';
import type { PageQuery } from '../../src/storage/page-token.ts';
import type { Database, Schema } from '../../src/storage/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { type Dialect, describeDialects } from '../support/harness.ts';
import { fillTables, rowsPerTable } from '../support/many-rows.ts';

type List = {
  readonly find: { readonly name: string };
  readonly filter: string;
  readonly read: (db: Database, page: PageQuery) => Promise<unknown>;
  /** Few rows are sorted, however large the table is. */
  readonly sortsFew?: boolean;
  /** The only index that selects exactly the rows of the list. */
  readonly index?: string;
};

const noFilter = { target: '', actor_id: '', action: '', code: '' };
const noTimes = { start: undefined, end: undefined };
const event = { ...noFilter, ...noTimes };
const email = { email: 'a@b', kind: undefined };
const staff = { email: undefined, kind: 'staff' } as const;

const lists: List[] = [
  { find: findAccounts, filter: 'none', read: (db, page) => findAccounts(db, {}, page) },
  {
    find: findAccounts,
    filter: 'the customer',
    read: (db, page) => findAccounts(db, { customerId: '1' }, page),
    sortsFew: true,
  },
  {
    find: findAccounts,
    filter: 'ids',
    read: (db, page) => findAccounts(db, { ids: ['1', '2'] }, page),
    sortsFew: true,
  },
  { find: selectEvents, filter: 'none', read: (db, page) => events(db, {}, page) },
  { find: selectEvents, filter: 'times', read: (db, p) => events(db, { start: 1, end: 9 }, p) },
  ...(['target', 'actor_id', 'action', 'code'] as const).map((column) => ({
    find: selectEvents,
    filter: column,
    read: (db: Database, page: PageQuery) => events(db, { [column]: '1' }, page),
  })),
  {
    find: selectEvents,
    filter: 'two, as far as a scan goes',
    read(db, page) {
      const floor = { time: (page.after?.time ?? rowsPerTable) - 1_000, id: '1' };
      return selectEvents(db, { ...event, action: '1', code: '2' }, page, floor).execute();
    },
  },
  {
    find: selectScanEnd,
    filter: 'two',
    read: (db, { after }) =>
      selectScanEnd(db, { ...event, action: '1', code: '2' }, after, 500).execute(),
  },
  { find: findClients, filter: 'none', read: findClients },
  ...(['cs', 'ck', 'wk'] as const).map((kind) => ({
    find: findCredentials,
    filter: `the owner of ${kind}`,
    read: (db: Database, page: PageQuery) => findCredentials(db, { kind, id: '1' }, page),
  })),
  { find: findCustomers, filter: 'none', read: findCustomers },
  { find: findSigningKeys, filter: 'none', read: findSigningKeys },
  {
    find: findSessions,
    filter: 'the user',
    read: (db, page) => findSessions(db, '1', 1, page),
    index: 'sessions_live',
  },
  {
    find: findOldSessions,
    filter: 'the user',
    read: (db) => findOldSessions(db, '1', 1, 99),
    index: 'sessions_live',
  },
  {
    find: findUsers,
    filter: 'none',
    read: (db, p) => findUsers(db, { email: undefined, kind: undefined }, p),
  },
  { find: findUsers, filter: 'the e-mail', read: (db, page) => findUsers(db, email, page) },
  { find: findUsers, filter: 'the kind', read: (db, page) => findUsers(db, staff, page) },
  { find: findDocuments, filter: 'the workspace', read: (db, p) => findDocuments(db, '1', p) },
  {
    find: findLinks,
    filter: 'the workspace',
    read: (db, page) => findLinks(db, { workspaceId: '1', documentId: '' }, page),
  },
  {
    find: findLinks,
    filter: 'the document',
    read: (db, page) => findLinks(db, { workspaceId: '1', documentId: '3' }, page),
    index: 'links_document',
  },
  { find: findViews, filter: 'the link', read: (db, page) => findViews(db, '1', page) },
  { find: findWorkspaces, filter: 'none', read: (db, p) => findWorkspaces(db, undefined, p) },
  {
    find: findWorkspaces,
    filter: 'the member',
    read: (db, page) => findWorkspaces(db, '1', page),
    sortsFew: true,
  },
  { find: findMembers, filter: 'the workspace', read: (db, page) => findMembers(db, '1', page) },
];

function events(db: Database, filter: Partial<typeof event> | object, page: PageQuery) {
  return selectEvents(db, { ...event, ...filter }, page).execute();
}

const pages: [string, PageQuery][] = [
  ['the first page', { limit: 50, after: undefined }],
  ['a later page', { limit: 50, after: { time: 5_000, id: '5000' } }],
];

test('every list of a store is explained', () => {
  const src = path.resolve(import.meta.dirname, '../../src');
  const stores = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('/store.ts'),
  );
  // Each store function, with its source, that sorts by `selectNewestFirst`.
  const sorting = stores.flatMap((name) =>
    readFileSync(path.join(src, name), 'utf8')
      .split(/^(?=(?:export )?(?:async )?function )/m)
      .filter((text) => text.includes('selectNewestFirst('))
      .map((text) => /^(?:export )?(?:async )?function (\w+)/.exec(text)?.[1]),
  );
  const explained = new Set(lists.map(({ find }) => find.name));
  // Both functions that use it are explained.
  explained.add('selectIndexed');
  explained.delete('selectEvents');
  explained.delete('selectScanEnd');
  expect(sorting.sort()).toEqual([...explained].sort());
});

describeDialects('a list', (dialect) => {
  describe('with many rows', () => {
    it('is read by an index, in its order', async () => {
      const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
      await fillTables(db, dialect);
      const bad: string[] = [];
      for (const list of lists) {
        for (const [name, page] of pages) {
          for (const query of await queriesOf(dialect, (recorder) => list.read(recorder, page))) {
            const costs = await findCosts(db, dialect, query, list);
            if (costs !== '') bad.push(`${list.find.name}, ${list.filter}, ${name}: ${costs}`);
          }
        }
      }
      expect(bad).toEqual([]);
    });
  });
});

/** Collects the queries; none of them returns rows. */
async function queriesOf(
  dialect: Dialect,
  work: (db: Database) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const recorder = new Kysely<Schema>({
    dialect: {
      createAdapter: () => (dialect === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new DummyDriver(),
      createQueryCompiler: () =>
        dialect === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler(),
      createIntrospector: () => {
        throw new Error('no schema is asked for');
      },
    },
    log: ({ query }) => void queries.push(query),
  });
  await work(recorder);
  return queries;
}

/** Reports why a query gets slower as its table grows; empty if it does not. */
async function findCosts(
  db: Database,
  dialect: Dialect,
  { sql: text, parameters }: CompiledQuery,
  { sortsFew = false, filter, index = '' }: List,
): Promise<string> {
  if (dialect === 'sqlite') {
    const explained = Compiled.raw(`explain query plan ${text}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(explained);
    const plan = rows.map(({ detail }) => detail);
    // A scan in index order until the page is full is fast only without a filter.
    const scan = filter === 'none' ? /^SCAN (?!.*USING)/ : /^SCAN (?!\()/;
    const costs = plan.filter(
      (line) => scan.test(line) || (!sortsFew && line.includes('TEMP B-TREE')),
    );
    const isShort = costs.length === 0 && plan.join().includes(index);
    return isShort ? '' : plan.join('; ');
  }
  const explained = Compiled.raw(`explain (format json) ${text}`, [...parameters]);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explained);
  const nodes = rows[0]?.['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)) ?? [];
  const costs = nodes.filter(isCostly);
  if (index !== '' && !nodes.some((node) => node['Index Name'] === index)) {
    return `${index} is not used`;
  }
  return costs.map((node) => `${node['Node Type']} of ${node['Plan Rows']} rows`).join('; ');
}

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
};

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

function isCostly({ 'Node Type': type, 'Plan Rows': rows }: PlanNode): boolean {
  return type === 'Seq Scan' || (/Sort/.test(type) && rows > rowsPerTable / 20);
}

test('the filler gives each list a large table', async () => {
  const db = await openUntilFinished(await migratedDatabaseUrl('sqlite'));
  await fillTables(db, 'sqlite');
  const { rows } = await sql<{ n: number }>`select count(*) as n from members`.execute(db);
  expect(rows).toEqual([{ n: rowsPerTable }]);
});
