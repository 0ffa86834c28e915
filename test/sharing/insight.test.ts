// Figures about readers: of a document and of a link, and the same views as CSV.
import { beforeAll, describe, expect, it } from 'vitest';
import { InsightService } from '../../gen/latchkey/sharing/v1/insight_pb.js';
import { describeApp } from '../support/app-suite.ts';
import {
  makeWatchedLink,
  passGate,
  readPages,
  reportView,
  viewsIn,
  viewsOf,
} from '../support/link-views.ts';
import { describeTransports } from '../support/matrix.ts';
import { callMethodWithText } from '../support/method-calls.ts';
import {
  callSharingApi,
  keyOf,
  type LinkFields,
  makeLink,
  otherWorkspace,
  serviceCredential,
} from '../support/sharing-api.ts';

const {
  getDocumentInsight,
  getLinkInsight,
  listDocumentViews,
  exportDocumentViews,
  exportLinkViews,
} = InsightService.method;

const day = 86_400_000;

describeApp('insight', (suite) => {
  const { wait, after } = viewsIn(suite);
  let link: LinkFields;
  let other: LinkFields;
  const test = () => suite.testApp;
  const get = (route: string) => callSharingApi(test(), 'GET', route);

  /** Opens a link as another reader, and reports pages after ten minutes. */
  async function read(of: LinkFields, email: string, pages: string): Promise<string> {
    const cookie = await passGate(of, email);
    wait(600_000);
    await after(cookie, [readPages(pages)], of);
    return cookie;
  }

  beforeAll(async () => {
    link = await makeWatchedLink(test(), { allow_download: true, name: '=HYPERLINK("x")' });
    other = await makeLink(test(), link.document_id);
    await read(link, 'ada@example.com', '1:1000,2:3000');
    wait(2 * day);
    await read(link, 'ADA@example.com', '1:2000,2:1000,3:6000');
    await read(link, '=cmd+1@example.com', '1:3000');
    await read(other, '', '0:500,1:4000');
  });

  const pages = (views: number[], averages: number[]) =>
    views.map((viewCount, index) => ({
      page: index + 1,
      view_count: viewCount,
      average_duration_ms: averages[index],
    }));

  it('of a document covers all its links, and its own count is the same', async () => {
    const { status, body } = await get(`/documents/${link.document_id}/insight?day_count=3`);
    expect(status).toBe(200);
    expect(body).toEqual({
      view_count: 4,
      covered_view_count: 4,
      visitor_count: 3,
      visit_count: 4,
      version: 1,
      completion: 7 / 12,
      average_duration_ms: 5_125,
      download_count: 0,
      documents: [],
      pages: pages([4, 2, 1], [2_500, 2_000, 6_000]),
      days: [
        { start_time: expect.stringMatching(/T00:00:00Z$/), view_count: 1 },
        { start_time: expect.any(String), view_count: 0 },
        { start_time: expect.any(String), view_count: 3 },
      ],
    });
    const document = await get(`/documents/${link.document_id}`);
    const newest = (await viewsOf(test(), other))[0] as unknown as { create_time: string };
    expect(document.body).toMatchObject({
      view_count: 4,
      link_count: 2,
      last_view_time: newest.create_time,
    });
  });

  it('of a link covers its views only', async () => {
    const { body } = await get(`/links/${link.id}/insight`);
    expect(body).toMatchObject({
      view_count: 3,
      visitor_count: 2,
      completion: 6 / 9,
      average_duration_ms: 5_333,
      pages: pages([3, 2, 1], [2_000, 2_000, 6_000]),
    });
    expect(body.days).toHaveLength(30);
  });

  it('lists the readers of a document, through all its links', async () => {
    const { status, body } = await get(`/documents/${link.document_id}/views`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      views: [
        { link_id: other.id, link_name: '', email: '', pages: [{ page: 1, duration_ms: 4_000 }] },
        { link_id: link.id, link_name: '=HYPERLINK("x")', email: '=cmd+1@example.com' },
        { email: 'ada@example.com', duration_ms: 9_000, download_count: 0 },
        { email: 'ada@example.com' },
      ],
      next_page_token: '',
      total_size: 4,
    });
    const found = await get(`/documents/${link.document_id}/views?query=ADA&page_size=1`);
    expect(found.body).toMatchObject({ views: [{ duration_ms: 9_000 }], total_size: 2 });
    const oldest = await get(`/documents/${link.document_id}/views?order_by=create_time`);
    expect(oldest.body).toMatchObject({ views: [{ duration_ms: 4_000 }, {}, {}, {}] });
  });

  it('counts a reader who opens the document twice as one visitor with two visits', async () => {
    const { id } = await makeWatchedLink(test());
    const single = await makeLink(test(), (await get(`/links/${id}`)).body.document_id as string, {
      email_required: true,
    });
    const cookie = await passGate(single, 'grace@example.com');
    wait(60_000);
    await after(cookie, [readPages('1:2000'), readPages('1:3000', 'b'.repeat(16))], single);
    const figures = (await get(`/links/${single.id}/insight`)).body;
    expect(figures).toMatchObject({ view_count: 1, visitor_count: 1, visit_count: 2 });
    const [view] = await viewsOf(test(), single);
    expect(view).toMatchObject({ visit_count: 2, pages: [{ page: 1, duration_ms: 5_000 }] });
  });

  it('counts the days of the requested time zone', async () => {
    const daysIn = async (zone: string): Promise<[string, number][]> => {
      const query = `day_count=4&time_zone=${encodeURIComponent(zone)}`;
      const { body } = await get(`/documents/${link.document_id}/insight?${query}`);
      const days = body.days as { start_time: string; view_count: number }[];
      return days.map(({ start_time, view_count }) => [start_time.slice(11), view_count]);
    };
    const utc = await daysIn('UTC');
    const kolkata = await daysIn('Asia/Kolkata');
    expect(new Set(utc.map(([time]) => time))).toEqual(new Set(['00:00:00Z']));
    expect(new Set(kolkata.map(([time]) => time))).toEqual(new Set(['18:30:00Z']));
    const sum = (days: [string, number][]) => days.reduce((all, [, count]) => all + count, 0);
    expect([sum(utc), sum(kolkata)]).toEqual([4, 4]);
    const { status, body } = await get(`/links/${link.id}/insight?time_zone=Mars/Olympus`);
    expect([status, body.errors]).toMatchObject([400, [{ field: 'time_zone' }]]);
  });

  it('counts a page that was visible for less than a second as not read', async () => {
    const shown = await makeWatchedLink(test());
    await read(shown, 'flash@example.com', '1:5000,2:999,3:1000');
    const { body } = await get(`/links/${shown.id}/insight`);
    expect(body).toMatchObject({
      completion: 2 / 3,
      pages: pages([1, 0, 1], [5_000, 0, 1_000]),
    });
  });

  it('of a document without views has no completion', async () => {
    const unseen = await makeWatchedLink(test());
    const { body } = await get(`/documents/${unseen.document_id}/insight`);
    expect(body).toMatchObject({ view_count: 0, visitor_count: 0, average_duration_ms: 0 });
    expect(body).not.toHaveProperty('completion');
    expect(body.pages).toEqual(pages([0, 0, 0], [0, 0, 0]));
  });

  describeTransports(suite, (name) => {
    it('and the CSV belong to one workspace', async () => {
      const workspaceId = await otherWorkspace(test(), `ws_${name}`);
      const { authorization } = await serviceCredential(test(), 'links:read');
      for (const method of [
        getDocumentInsight,
        getLinkInsight,
        listDocumentViews,
        exportDocumentViews,
        exportLinkViews,
      ]) {
        const fields = { workspace_id: workspaceId, document_id: link.document_id };
        const call = { method, fields: { ...fields, link_id: link.id }, authorization };
        const answer = await callMethodWithText(suite.app, name, call);
        expect(answer.code, method.name).toBe('not_found');
        const own = { ...call.fields, workspace_id: test().env.WORKSPACE_ID };
        const seen = await callMethodWithText(suite.app, name, { ...call, fields: own });
        expect(seen.code, method.name).toBe('ok');
      }
    });
  });

  it('as CSV has one line for each view, newest first, without formulas', async () => {
    const headers = { ...keyOf(test()), range: 'bytes=5-6', 'if-none-match': '*' };
    const route = `${suite.app.publicUrl}/api/v1/links/${link.id}/views.csv`;
    const response = await fetch(route, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename=/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-length')).toBeNull();

    const lines = (await response.text()).split('\r\n');
    const views = await viewsOf(test(), link);
    expect(lines[0]).toBe(
      '"view_id","link_id","link_name","create_time","email","email_verified","duration_ms",' +
        '"pages_viewed","completion","download_count","last_download_time","page_durations_ms",' +
        '"visit_count","version","document_id","document_name","acting_client_id",' +
        '"acting_client_name"',
    );
    expect(lines).toHaveLength(views.length + 2);
    const name = `"'=HYPERLINK(""x"")"`;
    const time = expect.stringMatching(/^"\d{4}-\d\d-\d\dT[\d:.]+Z"$/);
    expect(lines[1]?.split(',')).toEqual([
      ...[`"${views[0]?.id}"`, `"${link.id}"`, name, time, `"'=cmd+1@example.com"`, '"false"'],
      ...['"3000"', '"1"', '"0.333"', '"0"', '""', '"1:3000"', '"1"', '"1"'],
      ...[`"${link.document_id}"`, '"deck.pdf"', '""', '""'],
    ]);
    expect(lines[2]).toContain('"1:2000 2:1000 3:6000"');
    expect(lines[4]).toBe('');

    const all = await fetch(
      `${suite.app.publicUrl}/api/v1/documents/${link.document_id}/views.csv`,
      { headers: keyOf(test()) },
    );
    expect((await all.text()).split('\r\n')).toHaveLength(4 + 2);
    const head = await fetch(route, { method: 'HEAD', headers: keyOf(test()) });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  describe('about downloads', () => {
    const downloadsOf = async () => (await get(`/links/${link.id}/insight`)).body.download_count;
    const download = (cookie: string, init: RequestInit = {}) =>
      fetch(`${link.url}/download`, { ...init, headers: { cookie, ...init.headers } });

    it('counts responses with bytes of the file, once within a minute', async () => {
      const cookie = await passGate(link, 'eve@example.com');
      await (await fetch(`${link.url}/file`, { headers: { cookie } })).arrayBuffer();
      await download(cookie, { method: 'HEAD' });
      expect((await download('')).status).toBe(403);
      expect(await downloadsOf()).toBe(0);

      const counts: unknown[] = [];
      for (const [pauseMs, range] of [
        [0, 'bytes=1-'],
        [0, 'bytes=0-4'],
        [59_000, ''],
        [2_000, 'bytes=5-9'],
      ] as const) {
        wait(pauseMs);
        const headers: Record<string, string> = range === '' ? {} : { range };
        expect((await download(cookie, { headers })).ok).toBe(true);
        counts.push(await downloadsOf());
      }

      expect(counts).toEqual([1, 1, 1, 2]);
      const [view] = await viewsOf(test(), link);
      expect(view).toMatchObject({ email: 'eve@example.com', download_count: 2, duration_ms: 0 });
    });

    it('shows a reader who gets bytes of the file and reports nothing', async () => {
      wait(1_000);
      const before = (await viewsOf(test(), link)).length;
      const cookie = await passGate(link, 'quiet@example.com');
      const file = (init: RequestInit) => fetch(`${link.url}/file`, init);
      expect((await file({ method: 'HEAD', headers: { cookie } })).status).toBe(200);
      expect((await file({})).status).toBe(403);
      expect(await viewsOf(test(), link)).toHaveLength(before);

      for (const range of ['bytes=1-', 'bytes=0-4', 'bytes=5-9']) {
        expect((await file({ headers: { cookie, range } })).status).toBe(206);
      }

      const views = await viewsOf(test(), link);
      expect(views).toHaveLength(before + 1);
      expect(views[0]).toMatchObject({ email: 'quiet@example.com', duration_ms: 0 });
    });

    it('is given by a reader who has reported a view already', async () => {
      wait(1_000);
      const cookie = await passGate(link, 'mallory@example.com');
      expect((await reportView(link, cookie, readPages('0:0'))).status).toBe(204);
      const before = (await viewsOf(test(), link)).length;
      expect((await download(cookie)).ok).toBe(true);
      const views = await viewsOf(test(), link);
      expect([views.length, views[0]]).toMatchObject([before, { download_count: 1 }]);
    });
  });
});
