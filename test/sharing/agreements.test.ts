// The agreement of a link: accepted before any byte, stored, and confirmed by a signed receipt.
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { alertOf, fieldAskedBy, lastCode, mailsOf, Visitor } from '../support/gate-visitor.ts';
import {
  callSharingApi,
  type DocumentFields,
  keyOf,
  type LinkFields,
  makeLink,
  otherWorkspace,
  serviceCredential,
  sha256,
  upload,
  uploadVersion,
} from '../support/sharing-api.ts';

const text = '# Terms\n\n**Keep** it secret.\n\n<script>alert(1)</script>';
const digest = sha256(Buffer.from(text));

type Receipt = {
  readonly id: string;
  readonly receipt: string;
  readonly email: string;
  readonly agreement: string;
};

describeApp('the agreement of a link', (suite) => {
  let readers = 0;
  const newEmail = () => `signer${++readers}@example.com`;

  async function makeAgreement(options = {}) {
    const document = await upload(suite.testApp, Buffer.from('The secret plan.'), 'Plan.txt');
    const given = { agreement: text, allow_download: true, ...options };
    const link = await makeLink(suite.testApp, document.id, given);
    return { link, document };
  }

  /** A visitor who has verified an address and has not accepted the agreement. */
  async function asked(link: LinkFields, email = newEmail()) {
    const visitor = new Visitor(link);
    await visitor.post({ email });
    await visitor.post({ code: await lastCode(suite.testApp, email) });
    return { visitor, email };
  }

  async function statusesOf(visitor: Visitor): Promise<number[]> {
    const answers = await Promise.all([
      visitor.get('/file'),
      visitor.get('/file', { headers: { range: 'bytes=0-3' } }),
      visitor.get('/download'),
      visitor.get('/view', {
        method: 'POST',
        body: new URLSearchParams({ visit: 'a'.repeat(16), pages: '0:0' }),
      }),
    ]);
    for (const answer of answers) expect(answer.text).not.toMatch(/^The/);
    return answers.map(({ status }) => status);
  }

  const viewsOf = async ({ id }: LinkFields) =>
    (
      await callSharingApi<{ views: { agreement_id: string; email: string }[] }>(
        suite.testApp,
        'GET',
        `/links/${id}/views`,
      )
    ).body.views;
  const receiptOf = (id: string, headers?: Record<string, string>) =>
    callSharingApi<Receipt>(suite.testApp, 'GET', `/agreements/${id}/receipt`, undefined, headers);
  const keySet = async (name: string) =>
    (await (
      await fetch(`${suite.app.publicUrl}/.well-known/${name}.json`)
    ).json()) as JSONWebKeySet;

  async function claimsOf(receipt: string): Promise<Record<string, unknown>> {
    const keys = createLocalJWKSet(await keySet('receipts'));
    const { payload } = await compactVerify(receipt, keys);
    return JSON.parse(Buffer.from(payload).toString());
  }

  /** Accepts the agreement and opens the document; returns the id of the agreement. */
  async function accept(link: LinkFields, visitor: Visitor): Promise<string> {
    expect((await visitor.post({ agreement: digest })).status).toBe(303);
    expect(await visitor.asked()).toBe('document');
    const id = (await viewsOf(link))[0]?.agreement_id ?? '';
    expect(id).toMatch(/^agr_/);
    return id;
  }

  it('comes after the code, and before any byte by any route', async () => {
    const { link } = await makeAgreement();
    expect(link).toMatchObject({ email_required: true, email_verification_required: true });
    const visitor = new Visitor(link);
    const email = newEmail();
    const skipped = [
      { agreement: digest },
      { email, agreement: digest },
      { email, code: '000000', agreement: digest },
    ];
    for (const form of skipped) {
      await visitor.post(form);
      expect(await statusesOf(visitor)).toEqual([403, 403, 403, 403]);
    }
    const { visitor: verified } = await asked(link);
    const page = await verified.get();
    expect(page.status).toBe(200);
    expect(page.text).toContain('**Keep** it secret.');
    expect(page.text).toContain('&lt;script&gt;');
    expect(page.text).not.toContain('<script>alert');
    expect(await statusesOf(verified)).toEqual([403, 403, 403, 403]);
    const { db } = suite.app.inside;
    expect(await db.selectFrom('agreements').selectAll().execute()).toEqual([]);
    for (const form of [{ agreement: 'yes' }, { agreement: '' }, { agreement: `${digest}0` }]) {
      const refused = await verified.post(form);
      expect([refused.status, alertOf(refused)]).toEqual([
        400,
        expect.stringContaining('has changed'),
      ]);
    }
    expect(await statusesOf(verified)).toEqual([403, 403, 403, 403]);
    await accept(link, verified);
    expect((await verified.get('/file')).text).toBe('The secret plan.');
  });

  it('is confirmed by a receipt that anyone can verify offline, also in a mail', async () => {
    const { link, document } = await makeAgreement();
    const { visitor, email } = await asked(link);
    const id = await accept(link, visitor);
    const { status, body } = await receiptOf(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, email, agreement: text, agreement_sha256: digest });
    expect(await claimsOf(body.receipt)).toMatchObject({
      ...{ iss: suite.app.publicUrl, jti: id, sub: email, agreement_sha256: digest },
      ...{ link_id: link.id, document_id: document.id, document_sha256: document.sha256 },
      ...{ document_name: 'Plan.txt', document_version: 1, email_verified: true },
    });
    await expect
      .poll(async () => (await mailsOf(suite.testApp)).filter(({ to }) => to === email).length, {
        timeout: 15_000,
      })
      .toBe(2);
    const mail = (await mailsOf(suite.testApp)).find((one) => one.text.includes(body.receipt));
    expect(mail).toMatchObject({ to: email, subject: expect.stringContaining('Your agreement') });
    expect(mail?.text).toContain('**Keep** it secret.');
    expect(mail?.html).not.toContain('<script');
    // The keys are separate from those of tokens, and neither set verifies the other's signatures.
    const tokenKeys = await keySet('jwks');
    expect(decodeProtectedHeader(body.receipt)).toMatchObject({ typ: 'agreement-receipt+jwt' });
    await expect(compactVerify(body.receipt, createLocalJWKSet(tokenKeys))).rejects.toThrow();
    const altered = body.receipt.replace(/\.[^.]+\./, (part) => part.replace(/.{4}\.$/, 'AAAA.'));
    await expect(
      compactVerify(altered, createLocalJWKSet(await keySet('receipts'))),
    ).rejects.toThrow();
    const answer = await callSharingApi(suite.testApp, 'GET', '/links', undefined, {
      authorization: `Bearer ${body.receipt}`,
    });
    expect(answer.status).toBe(401);
  });

  it('names the version that the link shows in the receipt', async () => {
    const { link, document } = await makeAgreement({ pinned_version: 1 });
    const unpinned = await makeLink(suite.testApp, document.id, { agreement: text });
    const updated = await uploadVersion(suite.testApp, document.id, Buffer.from('The new plan.'));
    for (const [shown, { sha256: digestOfVersion, version }] of [
      [link, document],
      [unpinned, updated],
    ] as const) {
      const { visitor } = await asked(shown);
      const { body } = await receiptOf(await accept(shown, visitor));
      const bytes = Buffer.from((await visitor.get('/file')).text);
      expect(sha256(bytes)).toBe(digestOfVersion);
      expect(await claimsOf(body.receipt)).toMatchObject({
        ...{ document_sha256: digestOfVersion, document_version: version },
      });
    }
  });

  it('is asked again after a change of the text, and not after its removal', async () => {
    const { link } = await makeAgreement();
    const { visitor } = await asked(link);
    await accept(link, visitor);
    const changed = await callSharingApi<LinkFields & { agreement: string }>(
      suite.testApp,
      'PATCH',
      `/links/${link.id}`,
      { agreement: 'Other terms' },
    );
    expect(changed).toMatchObject({ status: 200, body: { agreement: 'Other terms' } });
    expect(await statusesOf(visitor)).toEqual([403, 403, 403, 403]);
    expect(fieldAskedBy(await visitor.get())).not.toBe('document');
    await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, { agreement: null });
    expect((await visitor.get('/file')).text).toBe('The secret plan.');
  });

  it('is not recorded for a reader on the block list', async () => {
    const { link } = await makeAgreement({ block_list: ['blocked@example.com'] });
    const { visitor } = await asked(link, 'blocked@example.com');
    expect(await statusesOf(visitor)).toEqual([403, 403, 403, 403]);
    const later = await asked(link);
    await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, {
      block_list: [later.email],
    });
    expect((await later.visitor.post({ agreement: digest })).status).toBe(403);
    const { db } = suite.app.inside;
    const rows = db.selectFrom('agreements').select('id').where('link_id', '=', link.id);
    expect(await rows.execute()).toEqual([]);
  });

  it('has a receipt only for its own workspace, also after the document is deleted', async () => {
    const { link, document } = await makeAgreement();
    const { visitor } = await asked(link);
    const id = await accept(link, visitor);
    const credential = await serviceCredential(suite.testApp, 'links:read');
    const foreign = await otherWorkspace(suite.testApp, `ws_other${readers}`);
    const path = `/agreements/${id}/receipt?workspace_id=${foreign}`;
    const answer = await callSharingApi(suite.testApp, 'GET', path, undefined, credential);
    expect(answer.status).toBe(404);
    for (const wrong of ['agr_x', link.id, 'x'.repeat(65)]) {
      expect([400, 404]).toContain((await receiptOf(wrong)).status);
    }
    expect((await receiptOf(id, { authorization: 'Bearer x' })).status).toBe(401);
    await callSharingApi<DocumentFields>(suite.testApp, 'DELETE', `/documents/${document.id}`);
    expect(await receiptOf(id)).toMatchObject({ status: 200, body: { agreement: text } });
    for (const name of ['http', 'grpc', 'connect'] as const) {
      const request = { agreementId: id };
      const method = LinkService.method.getAgreementReceipt;
      const own = await suite.transport(name).call(method, request, keyOf(suite.testApp));
      expect(own, name).toMatchObject({ ok: true, message: { receipt: { agreement: text } } });
    }
  });

  it('refuses bad texts, and is only in answers with a single link', async () => {
    const { link, document } = await makeAgreement();
    const blank = [' \n\t', '\u200b'];
    const bad = [...blank, 'x'.repeat(20_001), 'a\u0007b', 'a\u202eb', 'a\u0000b', 5, ['a']];
    for (const agreement of bad) {
      for (const [method, path, more] of [
        ['POST', '/links', { document_id: document.id }],
        ['PATCH', `/links/${link.id}`, {}],
      ] as const) {
        const answer = await callSharingApi(suite.testApp, method, path, { ...more, agreement });
        expect(answer.status, `${method} ${String(agreement).slice(0, 9)}`).toBe(400);
      }
    }
    const off = { agreement: text, email_verification_required: false };
    const contradiction = await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, off);
    expect(contradiction.status).toBe(400);
    const list = await callSharingApi<{ links: Record<string, unknown>[] }>(
      suite.testApp,
      'GET',
      `/links?document_id=${document.id}`,
    );
    expect(list.body.links).toMatchObject([{ agreement: '', agreement_sha256: digest }]);
    const one = await callSharingApi(suite.testApp, 'GET', `/links/${link.id}`);
    expect(one.body).toMatchObject({ agreement: text, agreement_sha256: digest });
    const requests = ['a', 'b'].map((name) => ({
      ...{ document_id: document.id, recipient: `${name}@example.com` },
    }));
    const batch = await callSharingApi<{ links: unknown[] }>(
      suite.testApp,
      'POST',
      '/links:batchCreate',
      { agreement: 'x'.repeat(20_000), requests },
    );
    const sum = sha256(Buffer.from('x'.repeat(20_000)));
    expect(batch.body.links).toMatchObject(requests.map(() => ({ agreement_sha256: sum })));
  });

  // The last test, because the clock of the service never goes back.
  it('has one receipt however often a reader accepts it, also at the same time', async () => {
    const { link } = await makeAgreement();
    const { visitor, email } = await asked(link);
    const cookie = visitor.cookie;
    const forms = Array.from({ length: 8 }, () =>
      fetch(link.url, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams({ agreement: digest }),
        redirect: 'manual',
      }),
    );
    for (const { status } of await Promise.all(forms)) expect(status).toBe(303);
    const { db } = suite.app.inside;
    const rows = await db.selectFrom('agreements').selectAll().where('email', '=', email).execute();
    expect(rows).toHaveLength(1);
    // A later access session needs a code, but does not ask again for the same text.
    suite.clock.frozen = Date.now() + 13 * 3_600_000;
    const again = await asked(link, email);
    expect(await again.visitor.asked()).toBe('document');
    expect((await viewsOf(link))[0]?.agreement_id).toBe(rows[0]?.id);
  });
});
