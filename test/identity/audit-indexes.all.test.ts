// Every filter of the audit log uses an index in the order of the answer: the log may hold millions
// of events.
import { CompiledQuery, sql } from 'kysely';
import { expect, it } from 'vitest';
import { managementScopes } from '../../src/api/access/scopes.ts';
import type { Principal } from '../../src/api/principal.ts';
import { findNames, reachesOf } from '../../src/audit/names/names.ts';
import { idKinds } from '../../src/audit/names/store.ts';
import { type EventFilter, selectEvents } from '../../src/audit/store.ts';
import { encodeBase62Number } from '../../src/base/crypto/ids.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { type Dialect, describeDialects } from '../support/matrix.ts';
import { queriesOf } from '../support/query-plans.ts';
import { itHoldsFor } from '../support/rule.ts';

const any: EventFilter = {
  token_id: '',
  target: '',
  actor_id: '',
  action: '',
  code: '',
  start: undefined,
  end: undefined,
};

/** A query, and the index that must serve it: the one of the most selective filter. */
const questions: [name: string, filter: Partial<EventFilter>, index: string][] = [
  ['everything', {}, 'newest'],
  ['a time', { start: 1, end: 2 }, 'newest'],
  ['an actor', { actor_id: 'a' }, 'actor_id'],
  ['an action', { action: 'a' }, 'action'],
  ['a target', { target: 'a' }, 'target'],
  ['a code', { code: 'a' }, 'code'],
  ['an actor and a code', { actor_id: 'a', code: 'ok' }, 'actor_id'],
  ['an action and a code', { action: 'a', code: 'ok' }, 'action'],
  ['an actor and an action', { actor_id: 'a', action: 'a' }, 'actor_id'],
  ['a token', { token_id: 'a' }, 'token_id'],
  ['a token and an actor', { token_id: 'a', actor_id: 'a' }, 'token_id'],
  ['a target and all else', { target: 'a', actor_id: 'a', action: 'a', code: 'ok' }, 'target'],
];

describeDialects('the events', (dialect) => {
  itHoldsFor(questions, 12)(
    'are found by an index, in order, for every filter',
    async (_, filter, index) => {
      const db = await openUntilFinished(await freshDatabaseUrl(dialect));
      for (const after of [undefined, { time: 5, id: 'evt' }]) {
        const times = filter.start === undefined ? [{}, { start: 1, end: 9 }] : [{}];
        for (const time of times) {
          const page = { limit: 50, after };
          const selected = { ...any, ...filter, ...time };
          const plan = await planOf(db, dialect, selectEvents(db, selected, page).compile());
          expect(plan).toContain(`audit_events_${index}`);
          expect(plan).not.toMatch(/sort|b-tree|SeqScan/i);
        }
      }
    },
  );
});

describeDialects('the names of a page', (dialect) => {
  const scopes = new Set(managementScopes);
  const times = { sessionId: '', authTime: 0 };
  const staff = { type: 'staff', userId: '', scopes, ...times } as const;
  const prefixes = Object.keys(idKinds);
  const ids = prefixes.flatMap((prefix) =>
    Array.from({ length: 200 }, (_, n) => `${prefix}_${encodeBase62Number(n, 22)}`),
  );

  const reachesFor = (principal: Principal) =>
    reachesOf({ principal, membershipsOf: async () => new Map() });

  it('are found by primary keys, in one query for each kind of id', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const reaches = await reachesFor(staff);
    const queries = await queriesOf(dialect, (recorder) =>
      findNames(recorder, reaches, [...ids, ...ids]),
    );
    expect(queries.map(({ parameters }) => parameters.length)).toEqual(prefixes.map(() => 200));
    for (const query of queries) {
      const plan = await planOf(db, dialect, query);
      expect([query.sql, plan]).toEqual([query.sql, expect.not.stringMatching(/\bSCAN |Seq Scan/)]);
    }
  });

  it('are not read without the scopes', async () => {
    const all = await reachesFor(staff);
    const none = await reachesFor({ ...staff, scopes: new Set(['audit:read']) });
    expect(await queriesOf(dialect, (recorder) => findNames(recorder, none, ids))).toEqual([]);
    expect(await queriesOf(dialect, (recorder) => findNames(recorder, all, []))).toEqual([]);
  });
});

async function planOf(db: Database, dialect: Dialect, query: CompiledQuery): Promise<string> {
  if (dialect === 'sqlite') {
    return explain(db, 'explain query plan', query);
  }
  // For an empty or small table the planner would not use an index.
  return db.transaction().execute(async (trx) => {
    for (const way of ['seqscan', 'bitmapscan', 'sort']) {
      await sql.raw(`set local enable_${way} = off`).execute(trx);
    }
    return explain(trx, 'explain', query);
  });
}

async function explain(db: Executor, words: string, query: CompiledQuery): Promise<string> {
  const explained = CompiledQuery.raw(`${words} ${query.sql}`, [...query.parameters]);
  return JSON.stringify((await db.executeQuery(explained)).rows);
}
