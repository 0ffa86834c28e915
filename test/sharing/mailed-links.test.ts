// The mails with the links for recipients, and their limits.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { mailsOf } from '../support/gate-visitor.ts';
import { linkBatches } from '../support/link-batches.ts';
import { callSharingApi, type LinkFields } from '../support/sharing-api.ts';

describeApp('links for recipients', (suite) => {
  const { newAddress, newDocument, create, linksOf, mailsTo } = linkBatches(suite);

  it('are mailed on request, once, with the address of the link and nothing secret', async () => {
    const { id: document_id } = await newDocument();
    const [mailed, single, silent] = [newAddress(), newAddress(), newAddress()];
    const batch = await create([
      { document_id, recipient: mailed, mail_recipient: true, password: 'open sesame' },
      { document_id, recipient: silent },
    ]);
    const mail_message = 'Hello,\r\n\nsee evil.com for <b>more</b>.';
    const one = {
      ...{ document_id, recipient: single, mail_recipient: true, mail_message },
      show_title: false,
    };
    const created = await callSharingApi<LinkFields>(suite.testApp, 'POST', '/links', one);
    expect([batch.status, created.status]).toEqual([200, 201]);
    await expect.poll(() => mailsTo(single), { timeout: 15_000 }).toHaveLength(1);
    await expect.poll(() => mailsTo(mailed), { timeout: 15_000 }).toHaveLength(1);
    const [first] = await mailsTo(mailed);
    expect(first?.subject).toBe('Terms.txt was shared with you');
    for (const text of [first?.text, first?.html]) {
      expect(text).toContain(batch.body.links[0]?.url);
      expect(text).not.toContain('sesame');
      expect(text).not.toContain(batch.body.links[1]?.url);
    }
    const [second] = await mailsTo(single);
    expect(second?.subject).toBe('A document was shared with you');
    expect(JSON.stringify(second)).not.toContain('Terms');
    expect(second?.text).toContain(created.body.url);
    expect(second?.text).toContain('\n> Hello,\n>\n> see evil. com for <b>more</b>.\n');
    expect(second?.html).toContain(
      'Hello,\n\nsee evil. com for &lt;b&gt;more&lt;/b&gt;.</blockquote>',
    );
    expect(first?.text).not.toContain('wrote');
    const { db } = suite.app.inside;
    await expect.poll(() => db.selectFrom('reader_mails').select('message').execute()).toEqual([]);
    expect(await mailsTo(silent)).toEqual([]);
    const without = { document_id, mail_recipient: true };
    expect(await callSharingApi(suite.testApp, 'POST', '/links', without)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'mail_recipient' }] },
    });
  });

  it('are mailed with the text of the batch, unless their request has one', async () => {
    const { id: document_id } = await newDocument();
    const mail_message = '\u6587'.repeat(1_000);
    const request = () => ({ document_id, recipient: newAddress(), mail_recipient: true });
    const shared = Array.from({ length: 3 }, request);
    const other = { ...request(), mail_message: 'Just for you.' };
    const silent = { ...request(), mail_recipient: false };
    const { status, body } = await create([...shared, other, silent], { mail_message });
    expect([status, body.links.length]).toEqual([200, 5]);
    const { db } = suite.app.inside;
    const waiting = () => db.selectFrom('reader_mails').select('message').execute();
    await expect.poll(waiting, { timeout: 15_000 }).toEqual([]);
    const mails = await mailsOf(suite.testApp);
    for (const { recipient } of shared) {
      const mail = mails.find(({ to }) => to === recipient);
      expect(mail?.text.match(/\u6587/g), recipient).toHaveLength(1_000);
    }
    const [mail] = await mailsTo(other.recipient);
    expect(mail?.text).toContain('> Just for you.');
    expect(mail?.text).not.toContain('\u6587');
    expect(await mailsTo(silent.recipient)).toEqual([]);
  });

  it('are refused if a text of the batch is, which the error names', async () => {
    const { id: document_id } = await newDocument();
    const mailed = { document_id, recipient: newAddress(), mail_recipient: true };
    const own = { ...mailed, mail_message: 'Hello', agreement: 'Terms' };
    const cases: [more: object, request: object, field: string][] = [
      ...[' \n', '\u200b', 'a\0b', 'a\u202eb', 'x'.repeat(1_001)].flatMap((mail_message) =>
        [mailed, own].map((one): [object, object, string] => [
          ...([{ mail_message }, one, 'mail_message'] as const),
        ]),
      ),
      [{ mail_message: 'Hi' }, { ...mailed, mail_recipient: false }, 'mail_message'],
      [{ agreement: ' \n' }, mailed, 'agreement'],
      [{ agreement: 'a\0b' }, own, 'agreement'],
    ];
    for (const [more, request, field] of cases) {
      const { status, body } = await create([request], more);
      const fields = body.errors?.map((error) => error.field);
      expect({ status, fields }, JSON.stringify([more, request])).toEqual({
        ...{ status: 400, fields: [field] },
      });
    }
    expect(await linksOf(document_id)).toEqual([]);
  });

  it('are refused if one mailbox gets more mails than its limit ever permits', async () => {
    const { id: document_id } = await newDocument();
    const mailed = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...{ document_id, recipient: `team+${i}@example.org`, mail_recipient: true },
      }));
    const { status, body } = await create(mailed(11));
    expect(status).toBe(400);
    expect(body.errors?.map(({ field }) => field)).toEqual(['requests[10].recipient']);
    expect(await linksOf(document_id)).toEqual([]);
    const unmailed = mailed(11).map((request) => ({ ...request, mail_recipient: false }));
    expect((await create(unmailed)).status).toBe(200);
    expect((await create(mailed(10))).status).toBe(200);
    const { db } = suite.app.inside;
    const waiting = () => db.selectFrom('reader_mails').selectAll().execute();
    await expect.poll(waiting).toEqual([]);
  });

  it('are not mailed to one mailbox without end', async () => {
    const { id: document_id } = await newDocument();
    const address = newAddress();
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const recipient = i % 2 === 0 ? address : address.replace('@', `+${i}@`);
      const request = { document_id, recipient, mail_recipient: true };
      statuses.push((await callSharingApi(suite.testApp, 'POST', '/links', request)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(201), 429, 429]);
  });
});
