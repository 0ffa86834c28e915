// Creation of views, and limits on their number.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import {
  makeWatchedLink,
  passGate,
  readPages,
  reportView,
  viewsOf,
} from '../support/link-views.ts';
import type { LinkFields } from '../support/sharing-api.ts';
import { callSharingApi } from '../support/sharing-api.ts';

const hour = 3_600_000;

describeApp('the views of a link', (suite) => {
  const countOf = async ({ id }: LinkFields) =>
    (await callSharingApi<LinkFields>(suite.testApp, 'GET', `/links/${id}`)).body.view_count;
  const rowsOf = async ({ id }: LinkFields) => {
    const { db } = suite.app.inside;
    return (await db.selectFrom('views').select('id').where('link_id', '=', id).execute()).length;
  };

  it('are not created by requests for the page', async () => {
    const link = await makeWatchedLink(suite.testApp, { email_required: false });
    for (let i = 0; i < 400; i++) await (await fetch(link.url)).arrayBuffer();
    expect([await countOf(link), await rowsOf(link)]).toEqual([0, 0]);
  });

  it('are not created by entering an address at the gate', async () => {
    const link = await makeWatchedLink(suite.testApp);
    for (let i = 0; i < 50; i++) {
      const body = new URLSearchParams({ email: `made-up-${i}@example.com` });
      await fetch(link.url, { method: 'POST', body, redirect: 'manual' });
    }
    expect([await countOf(link), await rowsOf(link)]).toEqual([0, 0]);
  });

  it('are created once by the first report of a page, even if many arrive at once', async () => {
    const link = await makeWatchedLink(suite.testApp);
    const cookie = await passGate(link);
    const reports = Array.from({ length: 8 }, () => reportView(link, cookie, readPages('0:0')));
    for (const { status } of await Promise.all(reports)) expect(status).toBe(204);
    expect([await countOf(link), await rowsOf(link)]).toEqual([1, 1]);
  });

  it('begin when the visitor passes the gate, not with the first report', async () => {
    const start = Math.ceil(Date.now() / hour) * hour;
    suite.clock.frozen = start;
    const link = await makeWatchedLink(suite.testApp);
    const cookie = await passGate(link);
    suite.clock.frozen = start + 14_000;
    expect((await reportView(link, cookie, readPages('1:14000'))).status).toBe(204);
    await suite.app.inside.views.flush();
    suite.clock.frozen = undefined;
    expect(await viewsOf(suite.testApp, link)).toMatchObject([
      { create_time: new Date(start).toISOString().replace('.000', ''), duration_ms: 14_000 },
    ]);
  });

  it('are limited to 120 in a row per network, which can still read the document', async () => {
    suite.clock.frozen = (Math.ceil(Date.now() / hour) + 24) * hour;
    const link = await makeWatchedLink(suite.testApp, { email_required: false });
    const cookies = await Promise.all(Array.from({ length: 200 }, () => passGate(link)));
    for (const cookie of cookies) {
      expect((await reportView(link, cookie, readPages('0:0'))).status).toBe(204);
    }
    expect([await countOf(link), await rowsOf(link)]).toEqual([120, 120]);
    const last = cookies.at(-1) ?? '';
    expect((await fetch(`${link.url}/file`, { headers: { cookie: last } })).status).toBe(200);

    // A page whose view was dropped sends complete reports again.
    suite.clock.frozen += 30_000;
    expect((await reportView(link, last, readPages('1:20000'))).status).toBe(204);
    await suite.app.inside.views.flush();
    suite.clock.frozen = undefined;
    expect(await countOf(link)).toBe(121);
    const read20 = await suite.app.inside.db
      .selectFrom('views')
      .select('duration_ms')
      .where('link_id', '=', link.id)
      .where('duration_ms', '>', 0)
      .execute();
    expect(read20).toEqual([{ duration_ms: 20_000 }]);
  });
});
