import { beforeAll, describe, expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { startTestApp } from '../support/harness.ts';
import {
  makeWatchedLink,
  openLink,
  otherVisit,
  readPages,
  reportView,
  viewsIn,
  viewsOf,
  visit,
} from '../support/link-views.ts';
import { describeFeature, describeTransports } from '../support/matrix.ts';
import {
  callSharingApi,
  keyOf,
  type LinkFields,
  makeLink,
  makePng,
  makeZip,
  upload,
} from '../support/sharing-api.ts';

const { listLinkViews } = LinkService.method;

describeApp('a view of a link', (suite) => {
  const { watchedLink, wait, begun, after } = viewsIn(suite);
  const test = () => suite.testApp;

  it('returns the reading time of the document and of each page', async () => {
    const cookie = await begun(60);

    const view = await after(cookie, [
      readPages('2:20000,1:5000'),
      readPages('1:7000,3:1500,0:500'),
    ]);

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

  it('does not change after a repeated report or one with smaller times', async () => {
    const cookie = await begun(60);
    const once = await after(cookie, [readPages('1:5000,2:9000')]);

    expect(await after(cookie, [readPages('1:5000,2:9000')])).toEqual(once);
    expect(await after(cookie, [readPages('2:8999,1:0')])).toEqual(once);
    expect(await after(cookie, [readPages('1:5000,2:9000'), readPages('1:1')])).toEqual(once);
    expect(once).toMatchObject({ duration_ms: 14_000 });
  });

  it('adds up the reading time after the page was opened again', async () => {
    const cookie = await begun(60);

    const view = await after(cookie, [readPages('1:5000'), readPages('1:3000,2:1000', otherVisit)]);

    expect(view).toMatchObject({
      duration_ms: 9_000,
      pages: [
        { page: 1, duration_ms: 8_000 },
        { page: 2, duration_ms: 1_000 },
      ],
    });
  });

  it('lasts no longer than the elapsed time, even with several tabs', async () => {
    const cookie = await begun(60);
    const tabs = Array.from({ length: 5 }, (_, tab) =>
      readPages('1:30000,2:30000', `${tab}`.repeat(16)),
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

  it('has no pages if the document is not shown, and one page if it is a picture', async () => {
    for (const [bytes, good, bad] of [
      [makeZip(), '0:1000', '1:1000'],
      [makePng(2, 2), '1:1000', '2:1000'],
    ] as const) {
      const one = await makeLink(test(), (await upload(test(), bytes)).id);
      const cookie = await begun(10, one);
      expect((await reportView(one, cookie, readPages(bad))).status).toBe(400);
      expect(await after(cookie, [readPages(good)], one)).toMatchObject({ duration_ms: 1_000 });
    }
  });

  it('is written once if all reports arrive at once', async () => {
    const cookie = await begun(600);
    const reports = Array.from({ length: 40 }, (_, i) =>
      reportView(watchedLink(), cookie, readPages(`1:${1000 * (i + 1)},2:${100_000 - 1000 * i}`)),
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

  it('is deleted with its document, together with pending reports', async () => {
    const one = await makeWatchedLink(test());
    const [gone, cookie] = [await openLink(one), await begun(10)];
    expect((await reportView(one, gone, readPages('1:1000'))).status).toBe(204);
    await callSharingApi(test(), 'DELETE', `/documents/${one.document_id}`);

    expect(await after(cookie, [readPages('1:1000')])).toMatchObject({ duration_ms: 1_000 });
  });

  describe('a view in the list', () => {
    let listed: LinkFields;
    beforeAll(async () => {
      listed = await makeWatchedLink(test(), { email_required: true });
      for (const [i, name] of ['first', 'second', 'third'].entries()) {
        const cookie = await openLink(listed, `${name}@example.com`);
        wait(10_000);
        await after(
          cookie,
          [readPages(`${i + 1}:${1000 * (i + 1)},1:500`.replace(',1:500', ''))],
          listed,
        );
      }
    });

    describeTransports(suite, (name) => {
      it('comes newest first in pages, each view with its own pages', async () => {
        const seen: unknown[] = [];
        let pageToken = '';
        do {
          const request = { linkId: listed.id, pageSize: 2, pageToken };
          const answer = await suite.transport(name).call(listLinkViews, request, keyOf(test()));
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

    it('is counted, and has every field over HTTP', async () => {
      const { body } = await callSharingApi<LinkFields>(test(), 'GET', `/links/${listed.id}`);
      expect(body.view_count).toBe(3);
      const views = await callSharingApi(test(), 'GET', `/links/${listed.id}/views?page_size=1`);
      expect(views.body).toMatchObject({
        views: [
          {
            ...{ id: expect.stringMatching(/^viw_/), link_id: listed.id, email_verified: false },
            create_time: expect.stringMatching(/Z$/),
          },
        ],
        next_page_token: expect.stringMatching(/./),
      });
    });
  });
});

describeFeature('a report on a view', (dialect) => {
  it('is written when the service stops, and counting continues after the next start', async () => {
    const clock = { now: Date.now() };
    const first = await startTestApp({ dialect, now: () => clock.now });
    const link = await makeWatchedLink(first);
    const cookie = await openLink(link);
    clock.now += 20_000;
    expect((await reportView(link, cookie, { visit, pages: '1:9000' })).status).toBe(204);
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
      expect((await reportView(moved, cookie, { visit, pages: '1:12000' })).status).toBe(204);
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
