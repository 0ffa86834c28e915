// Forged reports, and reports from other visitors, do not change a view.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import {
  makeWatchedLink,
  openLink,
  readPages,
  reportView,
  viewsIn,
  viewsOf,
  visit,
} from '../support/link-views.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type LinkFields } from '../support/sharing-api.ts';

describeApp('a view of a link', (suite) => {
  const { watchedLink, wait, begun, after } = viewsIn(suite);
  const test = () => suite.testApp;

  const tooMany = Array.from({ length: 501 }, (_, page) => `${page}:1`).join();
  itHoldsFor<[what: string, field: string, form: string]>(
    [
      ['more time than has passed', 'pages', `visit=${visit}&pages=1:66000`],
      ['more time in all than has passed', 'pages', `visit=${visit}&pages=1:33000,2:33000`],
      ['an enormous time', 'pages', `visit=${visit}&pages=1:999999999999`],
      ['negative time', 'pages', `visit=${visit}&pages=1:-1`],
      ['half a millisecond', 'pages', `visit=${visit}&pages=1:0.5`],
      ['no number', 'pages', `visit=${visit}&pages=1:NaN`],
      ['a page beyond the end', 'pages', `visit=${visit}&pages=4:1000`],
      ['a negative page', 'pages', `visit=${visit}&pages=-1:1000`],
      ['a duplicate page', 'pages', `visit=${visit}&pages=1:1000,1:1000`],
      ['too many pages', 'pages', `visit=${visit}&pages=${tooMany}`],
      ['no pages', 'pages', `visit=${visit}&pages=`],
      ['pages twice', 'pages', `visit=${visit}&pages=1:1&pages=2:1`],
      ['no pages', 'pages', `visit=${visit}`],
      ['no visit', 'visit', 'pages=1:1000'],
      ['a malformed visit', 'visit', 'visit=%27%3B--&pages=1:1000'],
      ["another view's id", 'view_id', `visit=${visit}&pages=1:1&view_id=viw_${'0'.repeat(22)}`],
      ['an empty form', 'visit', ''],
    ],
    17,
  )(
    'is not changed by a forged report, and the answer names the field',
    async (_what, field, form) => {
      const cookie = await begun(60);

      const answer = await reportView(watchedLink(), cookie, form);

      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { code: 'invalid_argument', errors: [{ field }] },
      ]);
      expect(await after(cookie, [])).toMatchObject({ duration_ms: 0, pages: [] });
    },
  );

  it('is not changed without a cookie, or with a cookie of another link', async () => {
    const cookie = await begun(60);
    const other = await makeWatchedLink(test());
    const otherCookie = await openLink(other);
    wait(60_000);

    const statuses: number[] = [];
    for (const one of ['', otherCookie, `${cookie}A`, cookie.replace('=', '=A')]) {
      statuses.push((await reportView(watchedLink(), one, readPages('1:1000'))).status);
    }

    expect(statuses).toEqual([403, 403, 403, 403]);
    expect(await after(cookie, [])).toMatchObject({ duration_ms: 0, pages: [] });
    await test().app.inside.views.flush();
    expect(await viewsOf(test(), other)).toMatchObject([{ duration_ms: 0, pages: [] }]);
  });

  it('is not changed by a page of another origin', async () => {
    const cookie = await begun(60);
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: test().app.publicUrl },
      { origin: 'https://evil.example.com' },
    ];
    for (const headers of foreign) {
      const answer = await reportView(watchedLink(), cookie, readPages('1:1000'), headers);
      expect(answer.status, JSON.stringify(headers)).toBe(403);
    }
    expect(await after(cookie, [])).toMatchObject({ duration_ms: 0 });

    const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    expect((await reportView(watchedLink(), cookie, readPages('1:1000'), own)).status).toBe(204);
    const { publicUrl: origin } = test().app;
    expect((await reportView(watchedLink(), cookie, readPages('1:2000'), { origin })).status).toBe(
      204,
    );
    expect(await after(cookie, [])).toMatchObject({ duration_ms: 2_000 });
  });

  it('is not changed once its link is revoked or expired, or has another gate', async () => {
    const end = new Date(suite.clock.now() + 90_000).toISOString();
    const ends: [status: number, close: (link: LinkFields) => Promise<unknown>][] = [
      [410, ({ id }) => callSharingApi(test(), 'DELETE', `/links/${id}`)],
      [403, ({ id }) => callSharingApi(test(), 'PATCH', `/links/${id}`, { email_required: true })],
      [410, async () => wait(90_000)],
    ];
    for (const [status, close] of ends) {
      const one = await makeWatchedLink(test(), { expire_time: end });
      const cookie = await begun(10, one);
      const before = await after(cookie, [readPages('1:1000')], one);
      expect(before).toMatchObject({ duration_ms: 1_000 });

      await close(one);

      expect((await reportView(one, cookie, readPages('1:2000'))).status).toBe(status);
      expect(await after(cookie, [], one)).toEqual(before);
    }
  });
});
