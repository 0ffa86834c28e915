import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import {
  alertOf,
  codesFor,
  fieldAskedBy,
  lastCode,
  mailsOf,
  Visitor,
  wrongCode,
} from '../support/gate-visitor.ts';
import { cookieOf, useSecretDocument } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type LinkFields } from '../support/sharing-api.ts';

const second = 1_000;
const minute = 60 * second;

describeFeature('a link that requires a verified address', (dialect) => {
  const { app, clock, gated, expectNothingOf } = useSecretDocument(dialect);
  const verifiedLink = (options = {}) => gated({ email_verification_required: true, ...options });
  const views = async (link: LinkFields) =>
    (await callSharingApi<{ views: unknown[] }>(app(), 'GET', `/links/${link.id}/views`)).body
      .views;
  let readers = 0;
  const newEmail = () => `reader${++readers}@example.com`;

  /** A visitor who has entered an address, and the code that was sent to it. */
  async function asked(link: LinkFields, email = newEmail()) {
    const visitor = new Visitor(link);
    // The time makes the mails distinguishable.
    clock.now += 1;
    expect((await visitor.post({ email })).status).toBe(303);
    return { visitor, email, code: await lastCode(app(), email) };
  }

  it('sends a code to the address and accepts it', async () => {
    const link = await verifiedLink();
    const { visitor, email, code } = await asked(link);
    const page = await visitor.get();
    expect([page.status, fieldAskedBy(page)]).toEqual([200, 'Code']);
    expect(page.text).toContain(email);
    expect(page.text).not.toContain(code);
    expect(await views(link)).toEqual([]);
    await expectNothingOf(await fetch(`${link.url}/file`), 'the file');

    const answer = await visitor.post({ code });

    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      new URL(link.url).pathname,
    ]);
    expect(await visitor.asked()).toBe('document');
    expect(await views(link)).toMatchObject([{ email, email_verified: true }]);
  });

  it('says in the mail what the code is for, and leads to the page of the link', async () => {
    const link = await verifiedLink();
    const { email, code } = await asked(link);
    const mail = (await mailsOf(app())).find(({ to }) => to === email);
    expect(mail?.text).toContain(`Your code is ${code}\n`);
    const urls = (text = '') => new Set(text.match(/https?:[^\s"<]+/g));
    for (const body of [mail?.text, mail?.html]) expect(urls(body)).toEqual(new Set([link.url]));
    expect(mail?.text).toContain('10 minutes');
    expect(mail?.subject).not.toContain(code);
    expect(`${mail?.subject} ${mail?.text}`).not.toMatch(/secret|terms/);
    expect(JSON.stringify(mail)).not.toMatch(/[\u00ad\u200b-\u200f\u2060\ufeff]|&shy;|&zwn?j;/);
  });

  it('accepts a pasted code with spaces', async () => {
    const { visitor, code } = await asked(await verifiedLink());
    await visitor.post({ code: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
    expect(await visitor.asked()).toBe('document');
  });

  it('asks for the password first, and sends no mail until it is correct', async () => {
    const link = await verifiedLink({ password: 'open sesame' });
    const [visitor, email] = [new Visitor(link), newEmail()];
    await visitor.post({ email });
    await visitor.post({ email, password: 'wrong' });
    expect(await codesFor(app(), email)).toEqual([]);
    expect(await visitor.asked()).toBe('Password');

    await visitor.post({ password: 'open sesame' });
    expect(await visitor.asked()).toBe('Email address');
    await visitor.post({ email });
    expect(await visitor.asked()).toBe('Code');
    await visitor.post({ code: await lastCode(app(), email) });
    expect(await visitor.asked()).toBe('document');
    expect(await views(link)).toMatchObject([{ email, email_verified: true }]);
  });

  itHoldsFor(['', '12345', '1234567', 'abcdef', '12345a', '１２３４５６', '-12345', '12345\u0000'])(
    'refuses a malformed code, and lets the visitor correct it',
    async (text) => {
      const { visitor, code } = await asked(await verifiedLink());
      const answer = await visitor.post({ code: text });
      expect([answer.status, fieldAskedBy(answer)]).toEqual([400, 'Code']);
      expect(alertOf(answer)).toContain('6 digits');
      expect(answer.text).toMatch(/<input class="code"[^>]*\saria-describedby="error why"/);
      await visitor.post({ code });
      expect(await visitor.asked()).toBe('document');
    },
  );

  it('accepts five attempts at a code', async () => {
    const link = await verifiedLink();
    const { visitor, code } = await asked(link);
    for (let i = 1; i <= 4; i++) {
      const answer = await visitor.post({ code: wrongCode(code, i) });
      expect([answer.status, alertOf(answer)]).toEqual([403, expect.stringContaining('wrong or')]);
    }
    await visitor.post({ code });
    expect(await visitor.asked()).toBe('document');

    const other = await asked(link);
    const answers = [1, 2, 3, 4, 5].map((by) =>
      other.visitor.post({ code: wrongCode(other.code, by) }),
    );
    for (const { status } of await Promise.all(answers)) expect(status).toBe(403);
    const late = await other.visitor.post({ code: other.code });
    expect([late.status, alertOf(late)]).toEqual([403, expect.stringContaining('has expired')]);
    expect(await views(link)).toHaveLength(1);
  });

  it('accepts a code for ten minutes', async () => {
    const link = await verifiedLink();
    const [early, late] = [await asked(link), await asked(link)];
    clock.now += 10 * minute - 2;
    expect((await early.visitor.post({ code: early.code })).status).toBe(303);
    clock.now += 2;
    expect((await late.visitor.post({ code: late.code })).status).toBe(403);
    expect(await late.visitor.asked()).toBe('Code');
  });

  it('accepts a code once', async () => {
    const link = await verifiedLink();
    const { visitor, email, code } = await asked(link);
    const again = new Visitor(link);
    for (const [name, value] of visitor.cookies) again.cookies.set(name, value);
    expect((await visitor.post({ code })).status).toBe(303);
    expect((await again.post({ code })).status).toBe(403);
    expect(again.cookies.has('latchkey_access')).toBe(false);
    expect(await visitor.asked()).toBe('document');
    expect(await views(link)).toMatchObject([{ email }]);
  });

  it('lets one visitor in if many send the same code at once', async () => {
    const link = await verifiedLink();
    const { visitor, code } = await asked(link);
    const body = new URLSearchParams({ code });
    const headers = { cookie: visitor.cookie };
    const init: RequestInit = { method: 'POST', body, redirect: 'manual', headers };
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(link.url, init)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(403)]);
    expect(answers.filter((answer) => cookieOf(answer).startsWith('latchkey_access'))).toHaveLength(
      1,
    );
  });

  it('refuses the code of another link or another address', async () => {
    const [link, other] = [await verifiedLink(), await verifiedLink()];
    const email = newEmail();
    const [here, there] = [await asked(link, email), await asked(other, email)];
    const stranger = await asked(link);
    // Two random codes may be equal.
    const codes = new Set([here.code, there.code, stranger.code]);
    expect(codes.size).toBeGreaterThan(1);

    for (const [visitor, own, foreign] of [
      [here.visitor, here.code, there.code],
      [here.visitor, here.code, stranger.code],
      [stranger.visitor, stranger.code, here.code],
      [there.visitor, there.code, here.code],
    ] as const) {
      if (own !== foreign) expect((await visitor.post({ code: foreign })).status).toBe(403);
    }
    // The cookie that names an address is valid for one link only.
    const moved = new Visitor(other);
    moved.cookies.set('latchkey_gate', here.visitor.cookies.get('latchkey_gate') ?? '');
    expect(await moved.asked()).toBe('Email address');
    for (const { visitor, code } of [here, there, stranger]) {
      expect((await visitor.post({ code })).status).toBe(303);
    }
  });

  it('sends another code after half a minute, which invalidates the previous one', async () => {
    const link = await verifiedLink();
    const { visitor, email, code } = await asked(link);
    clock.now += 12 * second;
    const early = await visitor.post({ code: 'again' });
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '18']);
    expect(alertOf(early)).toContain('18 seconds');
    expect(fieldAskedBy(early)).toBe('Code');
    expect(await codesFor(app(), email)).toEqual([code]);

    clock.now += 18 * second;
    const sent = await visitor.post({ code: 'again' });
    expect([sent.status, fieldAskedBy(sent)]).toEqual([200, 'Code']);
    expect(sent.text).toMatch(/role="status">We sent a new code/);
    const next = await lastCode(app(), email);
    expect(await codesFor(app(), email)).toHaveLength(2);
    if (next !== code) expect((await visitor.post({ code })).status).toBe(403);
    expect((await visitor.post({ code: next })).status).toBe(303);
  });

  it("keeps the visitor's state long enough to find the mail", async () => {
    const { visitor, email } = await asked(await verifiedLink());
    clock.now += 29 * minute;
    await visitor.post({ code: 'again' });
    clock.now += 9 * minute;
    await visitor.post({ code: await lastCode(app(), email) });
    expect(await visitor.asked()).toBe('document');
  });

  it('sends one mail if the same address is entered twice, or many times at once', async () => {
    const link = await verifiedLink();
    const email = newEmail();
    const visitors = Array.from({ length: 6 }, () => new Visitor(link));
    const answers = await Promise.all(visitors.map((visitor) => visitor.post({ email })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(303));
    expect(await codesFor(app(), email)).toHaveLength(1);
    const [one] = visitors;
    await one?.post({ code: await lastCode(app(), email) });
    expect(await one?.asked()).toBe('document');
  });

  it('lets the visitor correct the address', async () => {
    const link = await verifiedLink();
    const { visitor, code } = await asked(link);
    expect((await visitor.post({ code: 'other' })).status).toBe(303);
    expect(await visitor.asked()).toBe('Email address');
    await visitor.post({ email: newEmail() });
    // Also by going back in the browser.
    const third = newEmail();
    await visitor.post({ email: third });
    expect((await visitor.get()).text).toContain(third);
    const next = await lastCode(app(), third);
    if (next !== code) expect((await visitor.post({ code })).status).toBe(403);
    await visitor.post({ code: next });
    expect(await visitor.asked()).toBe('document');
    expect(await views(link)).toMatchObject([{ email: third, email_verified: true }]);
  });

  it('reports that mail cannot be sent, logs the reason, and allows a retry at once', async () => {
    const link = await verifiedLink();
    const [visitor, email] = [new Visitor(link), newEmail()];
    const outbox = path.join(app().dataDir, 'outbox');
    await rename(outbox, `${outbox}-away`);
    await writeFile(outbox, '');
    const answer = await visitor.post({ email });
    await rename(`${outbox}-away`, `${outbox}-back`);
    await rename(outbox, `${outbox}-file`);
    await rename(`${outbox}-back`, outbox);

    expect([answer.status, fieldAskedBy(answer)]).toEqual([503, 'Email address']);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(alertOf(answer)).toContain('Try again');
    expect(answer.text).toContain(`value="${email}"`);
    const line = /"route":"link gate".*"status":503,"code":"unavailable"/;
    await expect.poll(() => app().logText()).toMatch(line);
    expect((await visitor.post({ email })).status).toBe(303);
    await visitor.post({ code: await lastCode(app(), email) });
    expect(await visitor.asked()).toBe('document');
  });

  it('starts over if the gate changes in the meantime', async () => {
    const link = await verifiedLink();
    const { visitor, code } = await asked(link);
    await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { password: 'open sesame' });
    expect((await visitor.post({ code })).status).toBe(303);
    expect(await visitor.asked()).toBe('Password');
    expect(await views(link)).toEqual([]);
  });

  it('returns 410 to a visitor who waits for a code while the link is revoked', async () => {
    const link = await verifiedLink();
    const { visitor, code } = await asked(link);
    await callSharingApi(app(), 'DELETE', `/links/${link.id}`);
    for (const fields of [{ code }, { code: 'again' }, { email: newEmail() }]) {
      expect((await visitor.post(fields)).status).toBe(410);
    }
  });

  it('neither stores nor logs codes or addresses in plain text', async () => {
    const { visitor, email, code } = await asked(await verifiedLink());
    await visitor.post({ code: wrongCode(code) });
    const { db } = app().app.inside;
    const codes = await db.selectFrom('gate_codes').select(['key', 'digest']).execute();
    const counters = await db.selectFrom('throttle_counters').selectAll().execute();
    const rows = JSON.stringify([codes, counters]);
    expect(rows).not.toContain(email);
    expect(rows).not.toContain(`"${code}"`);
    const log = await app().logText();
    expect(log).not.toContain(email);
    expect(log).not.toMatch(new RegExp(`\\b${code}\\b`));
  });
});
