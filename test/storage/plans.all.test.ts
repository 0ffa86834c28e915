// Queries whose tables may hold millions of rows read indexes: lists that have one order, in this
// order, searches for resources of every kind, and those for the live credentials of an owner.
import { CompiledQuery, type RootOperationNode, sql } from 'kysely';
import { expect, it, test } from 'vitest';
import { selectEvents, selectScanEnd } from '../../src/audit/store.ts';
import { countLiveCredentials, endCredentials } from '../../src/credentials/store.ts';
import { identitySearchKinds } from '../../src/identity/search-kinds.ts';
import { findOldSessions } from '../../src/identity/sessions/store.ts';
import { countViewsByDay } from '../../src/sharing/insight/store.ts';
import { sharingSearchKinds } from '../../src/sharing/search-kinds.ts';
import { findViewsIn } from '../../src/sharing/views/store.ts';
import { transact } from '../../src/storage/database.ts';
import type { PageQuery } from '../../src/storage/queries/page-token.ts';
import { findMatches } from '../../src/storage/queries/search.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { fillSettings, fillTables, rowsPerTable } from '../support/many-rows.ts';
import { describeDialects } from '../support/matrix.ts';
import { findCosts, functionsWith, type PlanLimits, queriesOf } from '../support/query-plans.ts';

type List = PlanLimits & {
  readonly find: { readonly name: string };
  readonly read: (db: Database, page: PageQuery) => Promise<unknown>;
};

const noFilter = { token_id: '', target: '', actor_id: '', action: '', code: '' };
const noTimes = { start: undefined, end: undefined };
const event = { ...noFilter, ...noTimes };

const viewScopes = (['link_id', 'document_id'] as const).flatMap((column) =>
  [0, 1].map((version) => ({ column, id: '1', version })),
);

const lists: List[] = [
  { find: selectEvents, filter: 'none', read: (db, page) => events(db, {}, page) },
  { find: selectEvents, filter: 'times', read: (db, p) => events(db, { start: 1, end: 9 }, p) },
  ...(['token_id', 'target', 'actor_id', 'action', 'code'] as const).map((column) => ({
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
  ...viewScopes.flatMap((scope) => [
    {
      find: findViewsIn,
      filter: `${scope.column}, version ${scope.version}`,
      read: (db: Database, page: PageQuery) => findViewsIn(db, scope, page),
    },
    {
      find: countViewsByDay,
      filter: `${scope.column}, version ${scope.version}, which has few days`,
      read: (db: Database) => countViewsByDay(db, scope, [19_000]),
      sortsFew: true,
    },
  ]),
  {
    find: findViewsIn,
    filter: 'visitor',
    read: (db, page) => findViewsIn(db, { column: 'visitor', workspaceId: '1', email: '1' }, page),
  },
  {
    find: findOldSessions,
    filter: 'the user',
    read: (db) => findOldSessions(db, '1', 1, 99),
    index: 'sessions_live',
  },
];

function events(db: Database, filter: Partial<typeof event> | object, page: PageQuery) {
  return selectEvents(db, { ...event, ...filter }, page).execute();
}

const pages: [string, PageQuery][] = [
  ['the first page', { limit: 50, after: undefined }],
  ['a later page', { limit: 50, after: { time: 5_000, id: '5000' } }],
];

test('every list of a store is explained', () => {
  // The lists of the audit log use `selectIndexed`.
  const names = ['findOldSessions', 'findViewsIn', 'selectIndexed'];
  expect(functionsWith('selectNewestFirst(').sort()).toEqual(names);
});

const kinds = [...identitySearchKinds, ...sharingSearchKinds].filter(({ isSmall }) => !isSmall);

const owner = { kind: 'wk', id: '1' } as const;

const credentialQueries: [name: string, run: (db: Executor) => Promise<unknown>][] = [
  ['counted', (db) => countLiveCredentials(db, owner, 5)],
  ['ended', (db) => endCredentials(db, owner, { time: 5, overlapMs: 0 })],
];

describeDialects('a query', (dialect) => {
  /** Fills every table, which takes long. */
  async function fill(): Promise<Database> {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect), fillSettings);
    await fillTables(db, dialect);
    const { n } = await db
      .selectFrom('members')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirstOrThrow();
    expect(Number(n)).toBe(rowsPerTable);
    return db;
  }

  async function expectLists(db: Database): Promise<void> {
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
  }

  async function expectSearches(db: Database): Promise<void> {
    const bad: string[] = [];
    let explained = 0;
    for (const { kind, ...table } of kinds) {
      const scopes = table.workspace === undefined ? [undefined] : [undefined, ['1'], ['1', '2']];
      for (const workspaceIds of scopes) {
        const text = { text: '1234', slug: '1234' };
        const bounds = { workspaceIds, limit: 20, now: 1 };
        const [query] = await queriesOf(dialect, (recorder) =>
          findMatches(recorder, table, text, bounds),
        );
        if (query === undefined) throw new Error(`${kind} has no query`);
        explained++;
        const costs = await findCosts(db, dialect, query, { filter: 'none', sortedMax: 1_000 });
        if (costs !== '') bad.push(`${kind}, ${workspaceIds?.join() ?? 'everywhere'}: ${costs}`);
      }
    }
    expect(bad).toEqual([]);
    expect(explained).toBe(35);
  }

  /** Runs a query and returns its plan. */
  async function planOf(db: Database, run: (db: Executor) => Promise<unknown>): Promise<string> {
    const nodes: RootOperationNode[] = [];
    await transact(db, async (trx) => {
      await run(
        trx.withPlugin({
          transformQuery({ node }) {
            nodes.push(node);
            return node;
          },
          transformResult: async ({ result }) => result,
        }),
      );
    });
    const [node] = nodes;
    if (node === undefined) throw new Error('the function sent no query');
    const plain = db.withoutPlugins();
    const query = plain.getExecutor().compileQuery(node, { queryId: 'plan' });
    const words = dialect === 'sqlite' ? 'explain query plan' : 'explain';
    const explained = CompiledQuery.raw(`${words} ${query.sql}`, [...query.parameters]);
    return JSON.stringify((await plain.executeQuery(explained)).rows);
  }

  async function expectLiveCredentials(db: Database): Promise<void> {
    await transact(db, async (trx) => {
      const many = trx.updateTable('credentials').set({ revoke_time: 1 });
      await many.where('create_time', '>', 100).where('create_time', '<', 10_000).execute();
      const others = trx.updateTable('credentials').set({ expire_time: 2 });
      await others.where('create_time', '>=', 10_000).execute();
    });
    if (dialect === 'postgres') await sql`analyze`.execute(db);
    for (const [name, run] of credentialQueries) {
      expect(await planOf(db, run), name).toContain('credentials_live_workspace_id');
    }
  }

  it('reads the index for its filter and order', { timeout: 180_000 }, async () => {
    const db = await fill();
    await expectLists(db);
    await expectSearches(db);
    // The last ones, because they change the rows.
    await expectLiveCredentials(db);
  });
});
