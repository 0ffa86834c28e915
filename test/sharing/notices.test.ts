// InsightService.GetNotices: the views that a user is mailed about.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { openLink } from '../support/link-views.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { callSharingApi, type LinkFields, upload } from '../support/sharing-api.ts';

type Notices = { readonly views: { readonly email: string; readonly link_name: string }[] };

describeApp('the notices of a user', (suite) => {
  it('are the last view of each link of the user that mails about views', async () => {
    const { testApp } = suite;
    const newMember = async () => {
      const sub = await addMember(suite.app.inside.db, testApp.env.WORKSPACE_ID, 'owner');
      return credentialFor(testApp, { type: 'member', sub, scope: memberScope });
    };
    const own = await newMember();
    const { id } = await upload(testApp, makePdf({ pages: 1, text: 'Deck' }), 'Deck.pdf');
    const create = async (options: object) => {
      const body = { document_id: id, email_required: true, ...options };
      const answer = await callSharingApi<LinkFields>(testApp, 'POST', '/links', body, own);
      expect(answer.status).toBe(201);
      return answer.body;
    };
    const notices = async (of = own) => {
      const answer = await callSharingApi<Notices>(testApp, 'GET', '/notices', undefined, of);
      expect(answer.status).toBe(200);
      return answer.body.views.map(({ email, link_name }) => `${link_name}: ${email}`);
    };
    const each = await create({ notify: 'NOTIFY_EVERY_VIEW', name: 'Each' });
    const first = await create({ notify: 'NOTIFY_FIRST_VIEW', name: 'First' });
    const silent = await create({ name: 'Silent' });
    expect(await notices()).toEqual([]);
    for (const reader of ['ada@example.com', 'grace@example.com']) {
      for (const link of [first, each, silent]) await openLink(link, reader);
    }
    expect(await notices()).toEqual(['Each: grace@example.com', 'First: ada@example.com']);

    const change = async (notify: string) => {
      const answer = await callSharingApi(testApp, 'PATCH', `/links/${each.id}`, { notify }, own);
      expect(answer.status).toBe(200);
    };
    await change('NOTIFY_DIGEST');
    expect(await notices()).toEqual(['First: ada@example.com']);
    await openLink(each, 'edsger@example.com');
    expect(await notices()).toEqual(['Each: edsger@example.com', 'First: ada@example.com']);
    await change('NOTIFY_UNSPECIFIED');
    expect(await notices()).toEqual(['First: ada@example.com']);
    expect(await notices(await newMember())).toEqual([]);
  });

  it('are new until the user has read them', async () => {
    const { testApp } = suite;
    const { WORKSPACE_ID } = testApp.env;
    const newMember = async () => {
      const sub = await addMember(suite.app.inside.db, WORKSPACE_ID, 'member');
      return credentialFor(testApp, { type: 'member', sub, scope: memberScope });
    };
    const [own, other] = [await newMember(), await newMember()];
    type Read = Notices & { readonly read_time?: string };
    const read = async (of = own) =>
      (await callSharingApi<Read>(testApp, 'GET', '/notices', undefined, of)).body.read_time;
    const mark = async (body: object) => {
      const path = '/notices:markRead';
      const answer = await callSharingApi<Read>(testApp, 'POST', path, body, own);
      expect(answer.status).toBe(200);
      return answer.body.read_time;
    };
    expect(await read()).toBeUndefined();
    const time = '2026-01-02T03:04:05.678Z';
    expect(await mark({ read_time: time })).toBe(time);
    expect(await mark({ read_time: '2026-01-01T00:00:00Z' })).toBe(time);
    expect(await read()).toBe(time);
    const earliest = Date.now();
    const now = await mark({ read_time: '2999-01-01T00:00:00Z' });
    expect(Date.parse(now ?? '')).toBeGreaterThanOrEqual(earliest);
    expect(Date.parse(now ?? '')).toBeLessThanOrEqual(Date.now());
    for (const read_time of ['1969-12-31T23:59:59Z', 'soon']) {
      const answer = await callSharingApi(testApp, 'POST', '/notices:markRead', { read_time }, own);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        400,
        expect.stringContaining('read_time'),
      ]);
    }
    expect(await read()).toBe(now);
    await mark({});
    expect(await read(other)).toBeUndefined();
  });
});
