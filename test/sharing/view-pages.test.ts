// Limits the number of pages that one list of views reads.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { makeWatchedLink, type ViewFields } from '../support/link-views.ts';
import { callSharingApi } from '../support/sharing-api.ts';

type List = { views: ViewFields[]; next_page_token: string };

describeApp('the list of views', (suite) => {
  it('returns at most 5,000 pages at once, and the other views in the next answers', async () => {
    const { db } = suite.app.inside;
    const link = await makeWatchedLink(suite.testApp);
    for (let v = 0; v < 12; v++) {
      const id = `viw_${v}`;
      const view = { id, link_id: link.id, email: '', create_time: v };
      await db
        .insertInto('views')
        .values({ ...view, email_verified: 0, duration_ms: 900 })
        .execute();
      const rows = Array.from({ length: 900 }, (_, page) => page + 1);
      await db
        .insertInto('view_pages')
        .values(rows.map((page) => ({ view_id: id, visit: 'a', page, duration_ms: 1 })))
        .execute();
    }

    const sizes: number[] = [];
    const seen: string[] = [];
    let token = '';
    do {
      const path = `/links/${link.id}/views?page_size=200&page_token=${token}`;
      const { body } = await callSharingApi<List>(suite.testApp, 'GET', path);
      sizes.push(body.views.reduce((sum, { pages }) => sum + pages.length, 0));
      seen.push(...body.views.map(({ id }) => id));
      token = body.next_page_token;
    } while (token !== '');

    expect(sizes).toEqual([4_500, 4_500, 1_800]);
    expect(seen).toEqual(Array.from({ length: 12 }, (_, v) => `viw_${11 - v}`));
  });
});
