// Every list that has one order is read through an index in this order, because its table may hold
// millions of rows.
import { sql } from 'kysely';
import { expect, it, test } from 'vitest';
import { selectEvents, selectScanEnd } from '../../src/audit/store.ts';
import { findOldSessions } from '../../src/identity/sessions/store.ts';
import { countViewsByDay } from '../../src/sharing/insight/store.ts';
import { findViewsIn } from '../../src/sharing/views/store.ts';
import type { PageQuery } from '../../src/storage/page-token.ts';
import type { Database } from '../../src/storage/schema.ts';
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

describeDialects('a list', (dialect) => {
  // Fills every table.
  it('is read by an index, in its order', { timeout: 180_000 }, async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect), fillSettings);
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

test('the filler gives each list a large table', async () => {
  const db = await openUntilFinished(await migratedDatabaseUrl('sqlite'));
  await fillTables(db, 'sqlite');
  const { rows } = await sql<{ n: number }>`select count(*) as n from members`.execute(db);
  expect(rows).toEqual([{ n: rowsPerTable }]);
});
