// The receipt of an agreement, and its mail, as the reader gets them.
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { makeFolder, makeRoom } from '../support/folder-calls.ts';
import { lastCode, mailsOf, Visitor } from '../support/gate-visitor.ts';
import { type LinkFields, makeLink, sha256, upload } from '../support/sharing-api.ts';

describeApp('the receipt of an agreement', (suite) => {
  async function verify(visitor: Visitor, email: string): Promise<void> {
    await visitor.post({ email });
    await visitor.post({ code: await lastCode(suite.testApp, email) });
  }

  /** A reader accepts the text of the link; returns the receipt. */
  async function accept(
    link: LinkFields,
    text: string,
    email: string,
    visitor = new Visitor(link),
  ): Promise<string> {
    await verify(visitor, email);
    expect((await visitor.post({ agreement: sha256(Buffer.from(text)) })).status).toBe(303);
    const { db } = suite.app.inside;
    const rows = db.selectFrom('agreements').select('receipt').where('link_id', '=', link.id);
    return (await rows.executeTakeFirstOrThrow()).receipt;
  }

  it('has no name of a document or folder if the link hides it', async () => {
    const given = { agreement: 'Terms', show_title: false };
    const document = await upload(suite.testApp, Buffer.from('Plan'), 'Secret merger.txt');
    const folder = await makeFolder(suite.testApp, 'Secret merger');
    for (const [link, claims] of [
      [await makeLink(suite.testApp, document.id, given), { document_id: document.id }],
      [await makeRoom(suite.testApp, folder.id, given), { folder_id: folder.id }],
    ] as const) {
      const signed = decodeJwt(await accept(link, 'Terms', 'hidden@example.com'));
      expect(signed).toMatchObject(claims);
      expect(JSON.stringify(signed)).not.toContain('Secret merger');
    }
  });

  it('is about one link, and opens no other link of the workspace with the same text', async () => {
    const { id } = await upload(suite.testApp, Buffer.from('Plan'), 'Plan.txt');
    const one = await makeLink(suite.testApp, id, { agreement: 'Terms' });
    const other = await makeLink(suite.testApp, id, { agreement: 'Terms' });
    const email = 'twice@example.com';
    const reader = new Visitor(one);
    const elsewhere = new Visitor(other);
    const receipt = decodeJwt(await accept(one, 'Terms', email, reader));
    await verify(elsewhere, email);

    for (const [name, value] of reader.cookies) {
      if (!elsewhere.cookies.has(name)) elsewhere.cookies.set(name, value);
    }
    expect((await elsewhere.get('/file')).status).toBe(403);
    await elsewhere.post({ agreement: String(receipt.jti) });
    expect((await elsewhere.get('/file')).status).toBe(403);
    expect((await reader.get('/file')).status).toBe(200);

    expect(receipt).toMatchObject({ link_id: one.id });
    expect(decodeJwt(await accept(other, 'Terms', email))).toMatchObject({ link_id: other.id });
  });

  it('is mailed with the text of the sender as a quote without links', async () => {
    const agreement = 'Sign in at https://evil.example/login\n\nor at www.evil.example';
    const document = await upload(suite.testApp, Buffer.from('Plan'), 'Plan.txt');
    const link = await makeLink(suite.testApp, document.id, { agreement });
    const receipt = await accept(link, agreement, 'linked@example.com');
    const mail = async () =>
      (await mailsOf(suite.testApp)).find(({ text }) => text.includes(receipt));
    await expect.poll(mail, { timeout: 15_000 }).toBeDefined();
    const { text = '', html = '' } = (await mail()) ?? {};
    expect(text).toContain('> Sign in at https: //evil. example/login\n>\n> or at www. evil.');
    expect(`${text}${html}`).not.toMatch(/https:\/\/evil|www\.evil|evil\.example/);
    expect(html).toMatch(/<blockquote[^>]*>Sign in at/);
    expect(text.replace(/\s+/g, ' ')).toContain('with spaces in web addresses');
    // The receipt is about the text as the reader accepted it.
    expect(decodeJwt(receipt)).toMatchObject({ agreement_sha256: sha256(Buffer.from(agreement)) });
  });
});
