// Mails about views to the users who created the links.
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { fail } from '../../src/base/errors/errors.ts';
import type { Mail } from '../../src/base/mail/mailer.ts';
import { createBrands } from '../../src/sharing/brand/brand.ts';
import { createNotices } from '../../src/sharing/notices/notices.ts';
import { insertView } from '../../src/sharing/views/store.ts';
import { transact } from '../../src/storage/database.ts';
import type { LinkRow } from '../../src/storage/schema/schema.ts';
import { describeApp } from '../support/app-suite.ts';
import { mailsOf } from '../support/gate-visitor.ts';
import { openLink } from '../support/link-views.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { makePdf } from '../support/pdf.ts';
import {
  callSharingApi,
  keyOf,
  type LinkFields,
  makeLink,
  upload,
} from '../support/sharing-api.ts';
import { addUser } from '../support/user-rows.ts';

const publicUrl = 'https://latchkey.example';
const anonymous = 'anonymous';
const minute = 60_000;
const hour = 60 * minute;
// In the future of the app, whose own task then finds nothing to send.
const morning = Date.UTC(2036, 10, 20, 9);

describeApp('the mails about views', (suite) => {
  const db = () => suite.app.inside.db;
  let userId: string;
  let own: { authorization: string };
  let documentId: string;
  beforeEach(async () => {
    suite.clock.frozen = undefined;
    const { testApp } = suite;
    userId = await addMember(db(), testApp.env.WORKSPACE_ID, 'member');
    own = await credentialFor(testApp, { type: 'member', sub: userId, scope: memberScope });
    documentId = (await upload(testApp, makePdf({ pages: 1, text: 'Deck' }), 'Deck.pdf')).id;
  });

  const emailOf = async () => {
    const query = db().selectFrom('users').select('email').where('id', '=', userId);
    return (await query.executeTakeFirstOrThrow()).email;
  };

  async function create(options: object): Promise<LinkFields> {
    const body = { document_id: documentId, email_required: true, ...options };
    const answer = await callSharingApi<LinkFields>(suite.testApp, 'POST', '/links', body, own);
    expect(answer.status).toBe(201);
    return answer.body;
  }

  /** The sender of the mails with a settable clock, and a mailer that can fail. */
  function startSender(start = morning) {
    const clock = { now: start };
    const mails: Mail[] = [];
    const mailer = { failing: false, send: async (mail: Mail) => void mails.push(mail) };
    const notices = createNotices({
      db: db(),
      mailer: {
        async send(mail) {
          if (mailer.failing) throw fail('unavailable', 'The mail cannot be sent.');
          await mailer.send(mail);
        },
      },
      brands: createBrands(db(), publicUrl),
      publicUrl,
      keys: [randomBytes(32)],
      warn: () => {},
      now: () => clock.now,
    });
    let views = 0;
    async function view(link: LinkFields, count = 1, reader = '', program = ''): Promise<void> {
      for (let i = 0; i < count; i++) {
        await transact(db(), async (trx) => {
          const row = { id: `viw_${link.id}_${++views}`, link_id: link.id, duration_ms: 0 };
          const email = reader === anonymous ? '' : reader || `reader${views}@example.com`;
          const facts = { email, email_verified: 0, create_time: clock.now + views } as const;
          await insertView(trx, { ...row, ...facts, acting_client_name: program });
          const read = trx.selectFrom('links').selectAll().where('id', '=', link.id);
          await notices.note(trx, (await read.executeTakeFirstOrThrow()) as LinkRow, row.id);
        });
      }
    }
    /** Sends what is due at a time, and returns the subjects of the mails. */
    async function sendAt(time: number): Promise<string[]> {
      clock.now = time;
      const before = mails.length;
      await notices.sendDue(new AbortController().signal);
      return mails.slice(before).map(({ subject }) => subject);
    }
    return { clock, mails, mailer, notices, view, sendAt };
  }

  it('reach the creator of a link after its first view', async () => {
    const link = await create({ notify: 'NOTIFY_FIRST_VIEW', name: 'Investors' });
    await openLink(link, 'ada@example.com');
    await openLink(link, 'grace@example.com');

    const email = await emailOf();
    const own = async () => (await mailsOf(suite.testApp)).filter(({ to }) => to === email);
    await expect.poll(own, { timeout: 20_000 }).toHaveLength(1);
    const [mail] = await own();
    expect(mail?.subject).toBe('ada@example.com viewed Deck.pdf');
    expect(mail?.text).toContain('“Investors”');
    expect(mail?.text).toMatch(/^- ada@example\.com, \d+ \w+ \d{4}/m);
    expect(JSON.stringify(mail)).not.toMatch(/[\u00ad\u200b-\u200f\u2060\ufeff]/);
    const { WORKSPACE_ID } = suite.testApp.env;
    expect(mail?.text).toContain(`/console/workspaces/${WORKSPACE_ID}/links/${link.id}`);
    expect(JSON.stringify(mail)).not.toContain(link.url.slice(-22));
  });

  it('contain each view, and the views beyond the limit in the next mail', async () => {
    const link = await create({ notify: 'NOTIFY_EVERY_VIEW' });
    const { view, sendAt, mails } = startSender();
    for (let i = 0; i < 60; i++) {
      await view(link);
      await sendAt(morning + i * minute);
    }
    expect(mails.length).toBeLessThanOrEqual(10);
    await sendAt(morning + 2 * hour);
    const counts = mails.map(({ text }) => Number(/^(\d+) new view/.exec(text)?.[1]));
    expect(counts.slice(0, 5)).toEqual([1, 1, 1, 1, 1]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(mails.find(({ text }) => text.includes('And 2 more views.'))?.text).toMatch(
      /12 new views/,
    );
    expect(await sendAt(morning + 3 * hour)).toEqual([]);
  });

  it('contain no address that mail programs turn into a link', async () => {
    const link = await create({ notify: 'NOTIFY_EVERY_VIEW' });
    const { view, sendAt, mails } = startSender();
    await view(link, 1, 'www.evil.com/login?x=@a.co');
    expect(await sendAt(morning)).toHaveLength(1);
    for (const body of [mails[0]?.text, mails[0]?.html]) {
      expect(body).toContain('evil');
      expect(body).not.toMatch(/evil\.com|a\.co|www\.evil/);
    }
  });

  it('name the readers and the document in the subject', async () => {
    const link = await create({ notify: 'NOTIFY_EVERY_VIEW' });
    const { view, sendAt } = startSender();
    const { WORKSPACE_ID } = suite.testApp.env;
    const { id, email } = await addUser(db(), { kind: 'member', name: 'Ann' });
    await addMember(db(), WORKSPACE_ID, 'member', id);
    await view(link, 2, email);
    expect(await sendAt(morning)).toEqual([`Ann (${email}) viewed Deck.pdf`]);
    // The names of other users are not revealed.
    const { email: stranger } = await addUser(db(), { kind: 'member', name: 'Eve' });
    await view(link, 1, stranger);
    expect(await sendAt(morning + hour)).toEqual([`${stranger} viewed Deck.pdf`]);
    await view(link, 1, anonymous);
    expect(await sendAt(morning + 2 * hour)).toEqual(['Someone viewed Deck.pdf']);
    await view(link, 2, anonymous);
    await view(link, 2, email);
    expect(await sendAt(morning + 3 * hour)).toEqual(['3 people viewed Deck.pdf']);
  });

  it('name the program that read for a person', async () => {
    const link = await create({ notify: 'NOTIFY_EVERY_VIEW' });
    const { view, sendAt, mails } = startSender();
    await view(link, 1, 'ann@example.com', 'Assistant of evil.com');
    const subject = 'Assistant of evil.com viewed Deck.pdf for ann@example.com';
    expect(await sendAt(morning)).toEqual([subject]);
    await view(link, 1, 'ann@example.com');
    await view(link, 1, 'bob@example.com', 'Importer');
    expect(await sendAt(morning + hour)).toEqual(['2 people viewed Deck.pdf']);
    const lines = mails.flatMap(({ text }) => text.match(/^- [^,]*/gm) ?? []);
    expect(lines).toEqual([
      '- ann@example.com (read by Assistant of evil. com)',
      '- bob@example.com (read by Importer)',
      '- ann@example.com',
    ]);
    expect(mails[0]?.html).not.toContain('evil.com');
  });

  it('come once a day for all links with a digest', async () => {
    // Invisible characters of the name are not part of the subject.
    await db().updateTable('workspaces').set({ name: 'Demo\u200b workspace' }).execute();
    const links = [
      await create({ notify: 'NOTIFY_DIGEST' }),
      await create({ notify: 'NOTIFY_DIGEST', name: 'Second' }),
      await create({ notify: 'NOTIFY_DIGEST', name: 'Unread' }),
    ];
    const { view, sendAt, mails } = startSender();
    for (const link of links.slice(0, 2)) await view(link, 2);
    expect(await sendAt(morning + 20 * hour)).toEqual([]);
    const nextDay = Date.UTC(2036, 10, 21, 6);
    expect(await sendAt(nextDay)).toEqual(['4 views of 2 links in Demo workspace']);
    expect(mails[0]?.text).toContain('“Second”');
    expect(mails[0]?.text).not.toContain('Unread');
    expect(await sendAt(nextDay + 24 * hour)).toEqual([]);
  });

  it('say what each reader read, and lead to the reader', async () => {
    const link = await create({ notify: 'NOTIFY_DIGEST' });
    const { view, sendAt, mails } = startSender();
    await view(link, 1, 'ann@example.com');
    await view(link, 1, 'bob@example.com');
    await view(link, 1, anonymous);
    const viewId = `viw_${link.id}_1`;
    const read = [1, 2, 2, 0].map((page, i) => {
      return { view_id: viewId, visit: `visit${i}`, page, duration_ms: 10_000 };
    });
    await db().insertInto('view_pages').values(read).execute();
    await db().updateTable('views').set({ duration_ms: 40_000 }).where('id', '=', viewId).execute();
    await sendAt(Date.UTC(2036, 10, 21, 6));
    const readers = `${publicUrl}/console/workspaces/${suite.testApp.env.WORKSPACE_ID}/readers`;
    const lines = mails[0]?.text.split('\n') ?? [];
    expect(lines.filter((line) => /^-|\/readers\//.test(line))).toEqual([
      expect.stringMatching(/^- A reader, 20 Nov 2036, 09:00 UTC$/),
      expect.stringMatching(/^- bob@example\.com, 20 Nov 2036, 09:00 UTC$/),
      `  ${readers}/bob%40example.com`,
      expect.stringMatching(/^- ann@example\.com, 20 Nov 2036, 09:00 UTC: read 2 pages for 40 s$/),
      `  ${readers}/ann%40example.com`,
    ]);
    expect(mails[0]?.html).toContain(`<a href="${readers}/ann%40example.com"`);
  });

  it('are sent again after a failure, and no view is lost', async () => {
    const link = await create({ notify: 'NOTIFY_EVERY_VIEW' });
    const { view, sendAt, mailer } = startSender();
    mailer.failing = true;
    await view(link);
    expect(await sendAt(morning)).toEqual([]);
    await view(link);
    mailer.failing = false;
    expect(await sendAt(morning)).toEqual([]);
    expect(await sendAt(morning + minute)).toEqual(['2 people viewed Deck.pdf']);
  });

  it('are repeated only if the process ends between a mail and its note', async () => {
    const link = await create({ notify: 'NOTIFY_EVERY_VIEW' });
    const { view, sendAt, mailer, notices } = startSender();
    await view(link);
    const original = mailer.send;
    // Another process sends the same mail, and a reader comes, before this one can note its mail.
    mailer.send = async (mail) => {
      await original(mail);
      mailer.send = original;
      await notices.sendDue(new AbortController().signal);
      await view(link);
    };
    expect(await sendAt(morning)).toHaveLength(3);
    expect(await sendAt(morning + hour)).toEqual([]);
  });

  it('end when the creator loses access to the links', async () => {
    const link = await create({ notify: 'NOTIFY_EVERY_VIEW' });
    const { view, sendAt } = startSender();
    await view(link);
    await transact(db(), (trx) =>
      trx.deleteFrom('members').where('user_id', '=', userId).execute(),
    );
    expect(await sendAt(morning)).toEqual([]);
    await addMember(db(), suite.testApp.env.WORKSPACE_ID, 'member', userId);
    expect(await sendAt(morning + hour)).toEqual([]);
  });

  it('start again when the option changes', async () => {
    const link = await create({ notify: 'NOTIFY_DIGEST' });
    const { view, sendAt } = startSender();
    await view(link, 3);
    const change = { notify: 'NOTIFY_FIRST_VIEW' };
    await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, change);
    expect(await sendAt(morning + 48 * hour)).toEqual([]);
    await view(link, 2);
    expect(await sendAt(morning + 48 * hour)).toHaveLength(1);
    await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, { notify: null });
    await view(link);
    expect(await sendAt(morning + 72 * hour)).toEqual([]);
  });

  it('are refused for links that no user created', async () => {
    const { testApp } = suite;
    for (const name of ['http', 'grpc', 'connect'] as const) {
      const request = { documentId, notify: 1 };
      const { createLink } = LinkService.method;
      const answer = await suite.transport(name).call(createLink, request, keyOf(testApp));
      expect(answer, name).toMatchObject({ ok: false, error: { code: 'invalid_argument' } });
    }
    const link = await makeLink(testApp, documentId);
    const change = { notify: 'NOTIFY_DIGEST' };
    expect(await callSharingApi(testApp, 'PATCH', `/links/${link.id}`, change, own)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'notify' }] },
    });
  });
});
