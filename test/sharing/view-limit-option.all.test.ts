// The option `view_limit` of a link.
import { expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { makeWatchedLink, passGate, readPages, reportView } from '../support/link-views.ts';
import { makePdf } from '../support/pdf.ts';
import { callSharingApi, keyOf, type LinkFields, uploadVersion } from '../support/sharing-api.ts';

const hour = 3_600_000;

describeApp('the view limit of a link', (suite) => {
  const routes = ['', '/file', '/download'] as const;
  const limited = (view_limit: number, options = {}) =>
    makeWatchedLink(suite.testApp, { allow_download: true, view_limit, ...options });
  const linkOf = async ({ id }: LinkFields) =>
    (await callSharingApi<LinkFields>(suite.testApp, 'GET', `/links/${id}`)).body;
  const get = (link: LinkFields, route: string, cookie: string, init: RequestInit = {}) =>
    fetch(link.url + route, { ...init, headers: { cookie, ...init.headers } });
  /** A reader whose request waits too long for the database repeats it. */
  const lastStatusOf = async (send: () => Promise<Response>) => {
    for (;;) {
      const status = await statusOf(send());
      if (status !== 503) return status;
    }
  };
  const statusOf = async (answer: Promise<Response>) => {
    const response = await answer;
    await response.arrayBuffer();
    return response.status;
  };
  const cookiesOf = (link: LinkFields, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => passGate(link, `r${i}@example.com`)));

  it('is exact when 50 readers race for 7 views, through every route with bytes', async () => {
    for (const route of ['/file', '/download']) {
      const link = await limited(7);
      const cookies = await cookiesOf(link, 50);
      const statuses = await Promise.all(
        cookies.map((cookie) => lastStatusOf(() => get(link, route, cookie))),
      );
      expect(
        statuses.filter((status) => status === 200),
        route,
      ).toHaveLength(7);
      expect(
        statuses.filter((status) => status === 410),
        route,
      ).toHaveLength(43);
      expect(await linkOf(link), route).toMatchObject({ view_count: 7, view_limit: 7 });
      // Readers who were counted keep access; the others are refused everywhere.
      for (const [i, cookie] of cookies.entries()) {
        const expected = statuses[i];
        for (const again of routes) expect(await statusOf(get(link, again, cookie))).toBe(expected);
      }
      const newcomer = await fetch(link.url);
      expect([newcomer.status, await newcomer.text()]).toEqual([
        410,
        expect.stringContaining('no longer available'),
      ]);
      expect((await linkOf(link)).view_count).toBe(7);
    }
  });

  it('counts a reader once, whatever the browser requests at the same time', async () => {
    const link = await limited(1);
    const cookie = await passGate(link);
    const requests = [
      ...['bytes=0-9', 'bytes=10-19', 'bytes=20-29'].map((range) =>
        statusOf(get(link, '/file', cookie, { headers: { range } })),
      ),
      statusOf(reportView(link, cookie, readPages('0:0'))),
      statusOf(get(link, '/download', cookie)),
    ];
    expect(await Promise.all(requests)).toEqual([206, 206, 206, 204, 200]);
    expect((await linkOf(link)).view_count).toBe(1);
    expect(await statusOf(get(link, '/file', await passed(link)))).toBe(410);
  });

  it('lets a counted reader open a new version, and no one else', async () => {
    const link = await limited(1);
    const other = await passGate(link, 'late@example.com');
    const cookie = await passGate(link);
    expect(await statusOf(get(link, '/file', cookie))).toBe(200);
    await uploadVersion(suite.testApp, link.document_id, makePdf({ pages: 2, text: 'Corrected' }));
    expect(await statusOf(get(link, '/file', cookie))).toBe(200);
    expect(await statusOf(get(link, '/file', other))).toBe(410);
    expect((await linkOf(link)).view_count).toBe(2);
  });

  it('keeps the access of a counted reader to an earlier version', async () => {
    const link = await limited(1);
    const { document_id: id } = link;
    const [cookie, other] = [await passGate(link), await passGate(link, 'late@example.com')];
    await uploadVersion(suite.testApp, id, makePdf({ pages: 2, text: 'Corrected' }));
    expect(await statusOf(get(link, '/file', cookie))).toBe(200);
    const change = (method: string, path: string, body = {}) =>
      callSharingApi(suite.testApp, method, path, body);
    await change('PATCH', `/links/${link.id}`, { pinned_version: 1 });
    expect(await statusOf(get(link, '/file', cookie))).toBe(200);
    await change('PATCH', `/links/${link.id}`, { pinned_version: null });
    // The version that was counted is deleted, and another reader is still refused.
    await change('POST', `/documents/${id}/versions/1:restore`);
    const views = suite.app.inside.db.deleteFrom('views').where('link_id', '=', link.id);
    await views.where('version', '=', 1).execute();
    await change('DELETE', `/documents/${id}/versions/2`);
    expect(await statusOf(get(link, '/file', cookie))).toBe(200);
    expect(await statusOf(get(link, '/file', other))).toBe(410);
  });

  /** The cookie of a reader who passed the gate while views were left. */
  async function passed(link: LinkFields): Promise<string> {
    await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, { view_limit: 100 });
    const cookie = await passGate(link, 'late@example.com');
    await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, { view_limit: 1 });
    return cookie;
  }

  it('is not used up by the page, by HEAD requests, or by bytes that the browser has', async () => {
    const link = await limited(1);
    const cookie = await passGate(link);
    for (let i = 0; i < 5; i++) expect(await statusOf(fetch(link.url))).toBe(200);
    for (const route of routes) {
      expect(await statusOf(get(link, route, cookie, { method: 'HEAD' }))).toBe(200);
    }
    const conditional = { headers: { 'if-none-match': '*' } };
    expect(await statusOf(get(link, '/file', cookie, conditional))).toBe(304);
    expect((await linkOf(link)).view_count).toBe(0);
    expect(await statusOf(get(link, '/file', cookie))).toBe(200);
    expect((await linkOf(link)).view_count).toBe(1);
  });

  it('changes at once, and counts the views that the link already has', async () => {
    const link = await limited(2);
    const [first = '', second = '', third = ''] = await cookiesOf(link, 3);
    const change = (view_limit: number | null) =>
      callSharingApi<LinkFields>(suite.testApp, 'PATCH', `/links/${link.id}`, { view_limit });
    expect(await statusOf(get(link, '/file', first))).toBe(200);
    expect((await change(1)).body).toMatchObject({ view_limit: 1, view_count: 1 });
    expect(await statusOf(get(link, '/file', second))).toBe(410);
    expect(await statusOf(get(link, '/file', first))).toBe(200);
    await change(2);
    expect(await statusOf(get(link, '/file', second))).toBe(200);
    expect(await statusOf(get(link, '/file', third))).toBe(410);
    expect((await change(null)).body).not.toHaveProperty('view_limit');
    expect(await statusOf(get(link, '/file', third))).toBe(200);
    expect((await linkOf(link)).view_count).toBe(3);
  });

  it('ends with the access of a counted reader', async () => {
    suite.clock.frozen = Date.now();
    const link = await limited(1);
    const cookie = await passGate(link);
    expect(await statusOf(get(link, '/file', cookie))).toBe(200);
    suite.clock.frozen += 12 * hour;
    expect(await statusOf(get(link, '', cookie))).toBe(410);
    suite.clock.frozen = undefined;
  });

  it('sends no bytes of a limited link when the view cannot be counted', async () => {
    const limitedLink = await limited(5);
    const open = await makeWatchedLink(suite.testApp);
    const [counted, uncounted] = [await passGate(limitedLink), await passGate(open)];
    const { db } = suite.app.inside;
    const setQuota = (views_max: number | null) =>
      db.transaction().execute((trx) => trx.updateTable('workspaces').set({ views_max }).execute());
    await setQuota(0);
    expect(await statusOf(get(limitedLink, '/file', counted))).toBe(409);
    expect(await statusOf(get(open, '/file', uncounted))).toBe(200);
    await setQuota(null);
    expect(await statusOf(get(limitedLink, '/file', counted))).toBe(200);
  });

  it('is set, changed and removed through every transport, and refuses bad values', async () => {
    const link = await limited(5);
    for (const name of ['http', 'grpc', 'connect'] as const) {
      const transport = suite.transport(name);
      const request = { documentId: link.document_id, viewLimit: 3 };
      const { createLink } = LinkService.method;
      expect(await transport.call(createLink, request, keyOf(suite.testApp)), name).toMatchObject({
        ok: true,
        message: { link: { viewLimit: 3, viewCount: 0 } },
      });
    }
    const bad = [0, -1, 1.5, 1_000_001, 4_294_967_296, 'many', [], true];
    for (const view_limit of bad) {
      for (const [method, path, more] of [
        ['POST', '/links', { document_id: link.document_id }],
        ['PATCH', `/links/${link.id}`, {}],
      ] as const) {
        const answer = await callSharingApi(suite.testApp, method, path, { ...more, view_limit });
        expect(answer, `${method} ${view_limit}`).toMatchObject({
          status: 400,
          body: { code: 'invalid_argument' },
        });
      }
    }
    expect((await linkOf(link)).view_limit).toBe(5);
  });
});
