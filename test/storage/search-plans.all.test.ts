// Every kind of resource that a search finds is read through indexes, everywhere and in the
// workspaces of a caller.
import { expect, it } from 'vitest';
import { identitySearchKinds } from '../../src/identity/search-kinds.ts';
import { sharingSearchKinds } from '../../src/sharing/search-kinds.ts';
import { findMatches } from '../../src/storage/search.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { fillSettings, fillTables } from '../support/many-rows.ts';
import { describeDialects } from '../support/matrix.ts';
import { findCosts, queriesOf } from '../support/query-plans.ts';

const kinds = [...identitySearchKinds, ...sharingSearchKinds].filter(({ isSmall }) => !isSmall);

describeDialects('a search', (dialect) => {
  it('reads ranges of indexes, and few rows in all', { timeout: 180_000 }, async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect), fillSettings);
    await fillTables(db, dialect);
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
    expect(explained).toBe(32);
  });
});
