import { beforeAll, describe, expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeDialects, startTestApp } from '../support/harness.ts';
import {
  api,
  keyOf,
  type LinkFields,
  makeLink,
  makePng,
  makeZip,
  upload,
} from '../support/sharing.ts';
import { describeApp, describeDoors } from '../support/suite.ts';
import { admit, otherVisit, report, viewsOf, visit, watched } from '../support/views.ts';

const { listLinkViews } = LinkService.method;

describeApp('a view of a link', (suite) => {
  const start = 1_795_000_000_000;
  let link: LinkFields;
  const test = () => suite.testApp;
  beforeAll(async () => {
    suite.clock.frozen = start;
    link = await watched(test());
  });

  /** A view that began that long ago. */
  async function begun(secondsAgo: number, of = link): Promise<string> {
    const cookie = await admit(of);
    suite.clock.frozen = suite.clock.now() + secondsAgo * 1000;
    return cookie;
  }

  /** Reports, and reads the newest view once it is written. */
  async function after(cookie: string, reports: Record<string, string>[], of = link) {
    for (const form of reports) {
      const answer = await report(of, cookie, form);
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    }
    await test().app.inside.views.flush();
    return (await viewsOf(test(), of))[0];
  }

  const read = (pages: string, by = visit) => ({ visit: by, pages });

  it('tells how long the document was looked at, and each page', async () => {
    const cookie = await begun(60);

    const view = await after(cookie, [read('2:20000,1:5000'), read('1:7000,3:1500,0:500')]);

    expect(view).toMatchObject({
      email: 'reader@example.com',
      email_verified: false,
      duration_ms: 29_000,
      pages: [
        { page: 1, duration_ms: 7_000 },
        { page: 2, duration_ms: 20_000 },
        { page: 3, duration_ms: 1_500 },
      ],
    });
  });

  it('is the same after the same report again, and after a smaller one', async () => {
    const cookie = await begun(60);
    const once = await after(cookie, [read('1:5000,2:9000')]);

    const again = await after(cookie, [read('1:5000,2:9000'), read('1:1'), read('2:8999,1:0')]);

    expect(again).toEqual(once);
    expect(once).toMatchObject({ duration_ms: 14_000 });
  });

  it('adds up what was read after the page was opened again', async () => {
    const cookie = await begun(60);

    const view = await after(cookie, [read('1:5000'), read('1:3000,2:1000', otherVisit)]);

    expect(view).toMatchObject({
      duration_ms: 9_000,
      pages: [
        { page: 1, duration_ms: 8_000 },
        { page: 2, duration_ms: 1_000 },
      ],
    });
  });

  it('lasts no longer than the time that passes, in however many tabs', async () => {
    const cookie = await begun(60);
    const tabs = Array.from({ length: 5 }, (_, tab) =>
      read('1:30000,2:30000', `${tab}`.repeat(16)),
    );

    const view = await after(cookie, tabs);

    expect(view).toMatchObject({
      duration_ms: 60_000,
      pages: [
        { page: 1, duration_ms: 30_000 },
        { page: 2, duration_ms: 30_000 },
      ],
    });
  });

  const tooMany = Array.from({ length: 501 }, (_, page) => `${page}:1`).join();
  it.each<[what: string, field: string, form: string]>([
    ['more time than has passed', 'pages', `visit=${visit}&pages=1:66000`],
    ['more time in all than has passed', 'pages', `visit=${visit}&pages=1:33000,2:33000`],
    ['time without end', 'pages', `visit=${visit}&pages=1:999999999999`],
    ['negative time', 'pages', `visit=${visit}&pages=1:-1`],
    ['half a millisecond', 'pages', `visit=${visit}&pages=1:0.5`],
    ['no number', 'pages', `visit=${visit}&pages=1:NaN`],
    ['a page beyond the end', 'pages', `visit=${visit}&pages=4:1000`],
    ['a negative page', 'pages', `visit=${visit}&pages=-1:1000`],
    ['a page twice', 'pages', `visit=${visit}&pages=1:1000,1:1000`],
    ['too many pages', 'pages', `visit=${visit}&pages=${tooMany}`],
    ['no pages', 'pages', `visit=${visit}&pages=`],
    ['pages twice', 'pages', `visit=${visit}&pages=1:1&pages=2:1`],
    ['nothing of pages', 'pages', `visit=${visit}`],
    ['no visit', 'visit', 'pages=1:1000'],
    ['an odd visit', 'visit', 'visit=%27%3B--&pages=1:1000'],
    ["another view's id", 'view_id', `visit=${visit}&pages=1:1&view_id=viw_${'0'.repeat(22)}`],
    ['an empty form', 'visit', ''],
  ])('is not changed by a report of %s, which names the field', async (_what, field, form) => {
    const cookie = await begun(60);

    const answer = await report(link, cookie, form);

    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: 'invalid_argument', errors: [{ field }] },
    ]);
    expect(await after(cookie, [])).toMatchObject({ duration_ms: 0, pages: [] });
  });

  it('is not changed by who has no pass, or the pass of something else', async () => {
    const cookie = await begun(60);
    const other = await watched(test());
    const otherCookie = await admit(other);
    suite.clock.frozen = suite.clock.now() + 60_000;

    const statuses: number[] = [];
    for (const one of ['', otherCookie, `${cookie}A`, cookie.replace('viw_', 'viw_0')]) {
      statuses.push((await report(link, one, read('1:1000'))).status);
    }

    expect(statuses).toEqual([403, 403, 403, 403]);
    expect(await after(cookie, [])).toMatchObject({ duration_ms: 0, pages: [] });
    await test().app.inside.views.flush();
    expect(await viewsOf(test(), other)).toMatchObject([{ duration_ms: 0, pages: [] }]);
  });

  it("is not changed by another origin's page", async () => {
    const cookie = await begun(60);
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: test().app.publicUrl },
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      const answer = await report(link, cookie, read('1:1000'), headers);
      expect(answer.status, JSON.stringify(headers)).toBe(403);
    }
    expect(await after(cookie, [])).toMatchObject({ duration_ms: 0 });

    const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    expect((await report(link, cookie, read('1:1000'), own)).status).toBe(204);
    const { publicUrl: origin } = test().app;
    expect((await report(link, cookie, read('1:2000'), { origin })).status).toBe(204);
    expect(await after(cookie, [])).toMatchObject({ duration_ms: 2_000 });
  });

  it('is not changed once its link is revoked, has expired, or has another gate', async () => {
    const end = new Date(suite.clock.now() + 90_000).toISOString();
    const ends: [status: number, close: (link: LinkFields) => Promise<unknown>][] = [
      [410, ({ id }) => api(test(), 'DELETE', `/links/${id}`)],
      [403, ({ id }) => api(test(), 'PATCH', `/links/${id}`, { email_required: true })],
      [410, async () => (suite.clock.frozen = suite.clock.now() + 90_000)],
    ];
    for (const [status, close] of ends) {
      const one = await watched(test(), { expire_time: end });
      const cookie = await begun(10, one);
      const before = await after(cookie, [read('1:1000')], one);
      expect(before).toMatchObject({ duration_ms: 1_000 });

      await close(one);

      expect((await report(one, cookie, read('1:2000'))).status).toBe(status);
      expect(await after(cookie, [], one)).toEqual(before);
    }
  });

  it('has no pages where the document is not shown, and one where it is a picture', async () => {
    for (const [bytes, good, bad] of [
      [makeZip(), '0:1000', '1:1000'],
      [makePng(2, 2), '1:1000', '2:1000'],
    ] as const) {
      const one = await makeLink(test(), (await upload(test(), bytes)).id);
      const cookie = await begun(10, one);
      expect((await report(one, cookie, read(bad))).status).toBe(400);
      expect(await after(cookie, [read(good)], one)).toMatchObject({ duration_ms: 1_000 });
    }
  });

  it('is written once, from reports that come all at once', async () => {
    const cookie = await begun(600);
    const reports = Array.from({ length: 40 }, (_, i) =>
      report(link, cookie, read(`1:${1000 * (i + 1)},2:${100_000 - 1000 * i}`)),
    );
    const flushes = Array.from({ length: 5 }, () => test().app.inside.views.flush());

    await Promise.all([...reports, ...flushes]);

    expect(await after(cookie, [])).toMatchObject({
      duration_ms: 140_000,
      pages: [
        { page: 1, duration_ms: 40_000 },
        { page: 2, duration_ms: 100_000 },
      ],
    });
  });

  it('goes with its document, and what is still to be written with it', async () => {
    const one = await watched(test());
    const [gone, cookie] = [await admit(one), await begun(10)];
    expect((await report(one, gone, read('1:1000'))).status).toBe(204);
    await api(test(), 'DELETE', `/documents/${one.document_id}`);

    expect(await after(cookie, [read('1:1000')])).toMatchObject({ duration_ms: 1_000 });
  });

  describe('in the list', () => {
    let listed: LinkFields;
    beforeAll(async () => {
      listed = await watched(test(), { email_required: true });
      for (const [i, name] of ['first', 'second', 'third'].entries()) {
        const cookie = await admit(listed, `${name}@example.com`);
        suite.clock.frozen = suite.clock.now() + 10_000;
        await after(
          cookie,
          [read(`${i + 1}:${1000 * (i + 1)},1:500`.replace(',1:500', ''))],
          listed,
        );
      }
    });

    describeDoors((name) => {
      it('comes newest first, page by page, each with its own pages', async () => {
        const seen: unknown[] = [];
        let pageToken = '';
        do {
          const request = { linkId: listed.id, pageSize: 2, pageToken };
          const answer = await suite.door(name).call(listLinkViews, request, keyOf(test()));
          if (!answer.ok) throw new Error(answer.error.message);
          seen.push(
            ...answer.message.views.map(({ email, durationMs, pages }) => ({
              email,
              durationMs,
              pages: pages.map((one) => [one.page, one.durationMs]),
            })),
          );
          pageToken = answer.message.nextPageToken;
        } while (pageToken !== '');

        expect(seen).toEqual([
          { email: 'third@example.com', durationMs: 3_000, pages: [[3, 3_000]] },
          { email: 'second@example.com', durationMs: 2_000, pages: [[2, 2_000]] },
          { email: 'first@example.com', durationMs: 1_000, pages: [[1, 1_000]] },
        ]);
      });
    });

    it('is counted', async () => {
      const { body } = await api<LinkFields>(test(), 'GET', `/links/${listed.id}`);
      expect(body.view_count).toBe(3);
    });
  });
});

describeDialects('a report on a view', (dialect) => {
  it('is written when the service stops, and the next start goes on from there', async () => {
    const clock = { now: Date.now() };
    const first = await startTestApp({ dialect, now: () => clock.now });
    const link = await watched(first);
    const cookie = await admit(link);
    clock.now += 20_000;
    expect((await report(link, cookie, { visit, pages: '1:9000' })).status).toBe(204);
    await first.stop();

    const { dataDir, databaseUrl } = first;
    const second = await startTestApp({
      dataDir,
      now: () => clock.now,
      config: { databaseUrl },
    });
    try {
      const moved = { ...link, url: link.url.replace(first.app.publicUrl, second.app.publicUrl) };
      expect(await viewsOf(second, link)).toMatchObject([{ duration_ms: 9_000 }]);
      expect((await report(moved, cookie, { visit, pages: '1:12000' })).status).toBe(204);
      await expect
        .poll(() => viewsOf(second, link))
        .toMatchObject([{ duration_ms: 12_000, pages: [{ page: 1, duration_ms: 12_000 }] }]);
      const address = /127\.0\.0\.1|::1/;
      for (const table of ['views', 'view_pages'] as const) {
        const rows = await second.app.inside.db.selectFrom(table).selectAll().execute();
        expect(rows.length).toBe(1);
        expect(JSON.stringify(rows)).not.toMatch(address);
      }
    } finally {
      await second.remove();
    }
  });
});
