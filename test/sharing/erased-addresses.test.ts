// The erasure of people without a view, and of the mails that wait for them.
import { beforeAll, expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import {
  callSharingApi,
  type LinkFields,
  makeLink,
  otherWorkspace,
  upload,
} from '../support/sharing-api.ts';

type LinkTexts = LinkFields & { name: string; recipient: string; revoke_time?: string };

describeApp('an address without a view', (suite) => {
  const test = () => suite.testApp;
  const db = () => suite.app.inside.db;
  const erase = async (email: string) =>
    (await callSharingApi(test(), 'DELETE', `/visitors/${email}`)).status;
  const linkOf = async ({ id }: LinkFields) =>
    (await callSharingApi<LinkTexts>(test(), 'GET', `/links/${id}`)).body;
  const waitingMails = async () =>
    (await db().selectFrom('reader_mails').select('target_id').orderBy('target_id').execute()).map(
      ({ target_id }) => target_id,
    );
  let documentId: string;
  beforeAll(async () => {
    documentId = (await upload(test(), Buffer.from('The terms.'), 'Terms.txt')).id;
  });

  const waiting = { due_time: 2_000_000_000_000, attempts: 1, message: '' };

  /** A receipt that could not be mailed yet. */
  async function addReceipt(id: string, workspace_id: string, email: string): Promise<void> {
    const row = {
      ...{ id, workspace_id, email, link_id: `lnk_of_${id}`, document_id: documentId },
      ...{ folder_id: '', sha256: 'abc', accept_time: 1, receipt: 'e.y.J' },
    };
    await db().insertInto('agreements').values(row).execute();
    await db()
      .insertInto('reader_mails')
      .values({ target_id: id, ...waiting })
      .execute();
  }

  it('is erased from links and their waiting mails', async () => {
    const email = 'never@example.com';
    const own = await makeLink(test(), documentId, { recipient: email });
    const longer = await makeLink(test(), documentId, { name: `For st${email}` });
    await db()
      .insertInto('reader_mails')
      .values({ target_id: own.id, ...waiting })
      .execute();

    expect(await erase('NEVER@example.com')).toBe(200);

    const erased = await linkOf(own);
    expect(erased.recipient).toMatch(/^viw_\w{22}@deleted\.invalid$/);
    expect(erased).toMatchObject({ name: erased.recipient, revoke_time: expect.any(String) });
    expect((await linkOf(longer)).name).toBe(`For st${email}`);
    expect(await waitingMails()).toEqual([]);
    const events = await db()
      .selectFrom('audit_events')
      .select(['target', 'action'])
      .where('action', '=', 'VisitorService.DeleteVisitor')
      .where('code', '=', 'ok')
      .execute();
    expect(events.map(({ target }) => `${target?.toLowerCase()}@deleted.invalid`)).toEqual([
      erased.recipient,
    ]);
    // Nothing is left of it, and a longer address is another one.
    for (const unknown of [email, 'ver@example.com']) expect(await erase(unknown)).toBe(404);
  });

  it('is erased from receipts that wait, in its workspace only', async () => {
    const email = 'signer@example.com';
    const own = test().env.WORKSPACE_ID;
    await addReceipt('agr_own', own, email);
    await addReceipt('agr_other_person', own, `other.${email}`);
    await addReceipt('agr_other_workspace', await otherWorkspace(test()), email);

    expect(await erase(email)).toBe(200);

    expect(await waitingMails()).toEqual(['agr_other_person', 'agr_other_workspace']);
    const kept = db().selectFrom('agreements').select('email').where('id', '=', 'agr_own');
    expect(await kept.execute()).toEqual([{ email }]);
    expect(await erase(email)).toBe(404);
  });

  it('is neither a word of a link’s name nor a domain of its list', async () => {
    const fields = { name: 'The report', allow_list: ['@example.org'] };
    const gates = { email_required: true, email_verification_required: true };
    const link = await makeLink(test(), documentId, { ...fields, ...gates });

    for (const text of ['report', 'The', '@example.org', 'example.org']) {
      expect(await erase(text), text).toBe(404);
    }

    expect(await linkOf(link)).toMatchObject(fields);
    expect((await linkOf(link)).revoke_time).toBeUndefined();
  });
});
