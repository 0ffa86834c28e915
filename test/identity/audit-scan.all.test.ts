// A filter that no index serves: a frequent action with a rare code.
import { expect, it, onTestFinished } from 'vitest';
import { findEvents } from '../../src/audit/events.ts';
import type { EventFilter } from '../../src/audit/store.ts';
import { parsePageRequest } from '../../src/storage/queries/page-token.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { fillEvents, fillSettings } from '../support/many-rows.ts';
import { describeDialects } from '../support/matrix.ts';

const filter: EventFilter = {
  token_id: '',
  target: '',
  actor_id: '',
  action: 'Service.Frequent',
  code: 'rare',
  start: undefined,
  end: undefined,
};

describeDialects('a filter that no index fits', (dialect) => {
  it('finds each event once, on pages that scan at most 100,000 events', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect), fillSettings);
    // Event n is of time n; every 70,000th one has the code.
    await fillEvents(db, dialect, { count: 210_000, action: filter.action, rareEvery: 70_000 });
    const queries: number[] = [];
    const counting = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        queries[queries.length - 1] = (queries.at(-1) ?? 0) + 1;
        return result;
      },
    });

    const pages: string[][] = [];
    let pageToken = '';
    do {
      queries.push(0);
      const page = await findEvents(
        counting,
        filter,
        parsePageRequest({ pageSize: 50, pageToken }),
      );
      pages.push(page.rows.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '' && pages.length < 10);

    expect(pages).toEqual([['210000', '140000'], ['70000'], []]);
    expect(Math.max(...queries)).toBe(40);
  });

  it('fills a page and continues after its last event', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await fillEvents(db, dialect, { count: 12_000, action: filter.action, rareEvery: 1_000 });

    const first = await findEvents(db, filter, parsePageRequest({ pageSize: 7, pageToken: '' }));
    const { nextPageToken: pageToken } = first;
    const second = await findEvents(db, filter, parsePageRequest({ pageSize: 7, pageToken }));

    expect(first.rows.map(({ create_time }) => create_time)).toEqual([
      12_000, 11_000, 10_000, 9_000, 8_000, 7_000, 6_000,
    ]);
    expect(second.rows.map(({ create_time }) => create_time)).toEqual([
      5_000, 4_000, 3_000, 2_000, 1_000,
    ]);
    expect(second.nextPageToken).toBe('');
  });

  it('does not block other calls while it scans', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    await fillEvents(db, dialect, { count: 100_000, action: filter.action, rareEvery: 200_000 });
    let turns = 0;
    let next = setImmediate(takeTurn);
    function takeTurn(): void {
      turns++;
      next = setImmediate(takeTurn);
    }
    onTestFinished(() => clearImmediate(next));

    await findEvents(db, filter, parsePageRequest({ pageSize: 50, pageToken: '' }));

    expect(turns).toBeGreaterThan(5);
  });
});
