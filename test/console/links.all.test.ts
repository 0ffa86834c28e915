import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { overhangOf, stopTimers } from '../support/browser-pages.ts';
import { expectFitForAll } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { dayMs, linkOf, localText, newestLink, rowOf } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import {
  callSharingApi,
  type DocumentFields,
  makeLink,
  makeZip,
  otherWorkspace,
  upload,
} from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member, staff } = useConsole();

const linksPath = () => `/workspaces/${workspaceId()}/links`;

async function chooseDocument(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: 'Document or folder' }).click();
  await page.getByRole('option', { name }).click();
}

describe('the links of a workspace', () => {
  let document: DocumentFields;
  beforeAll(async () => {
    document = await upload(app(), makePdf({ pages: 2, text: 'Terms' }), 'terms.pdf');
  });

  it('explain what to do if there are none, and require an email by default', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    await page.getByText('No links yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create link' });
    await dialog.getByLabel('Document').click();
    await page.getByRole('option', { name: /^terms\.pdf · / }).waitFor();
    expect(await page.getByRole('banner').count()).toBe(1);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Create and copy link' }).click();
    await dialog.getByText('Choose a document or a folder.').waitFor();
    expect(await app().app.inside.db.selectFrom('links').selectAll().execute()).toEqual([]);

    // A document that the viewer cannot show.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const archive = await upload(app(), makeZip(), 'files.zip');
    await page.reload();
    await page.getByRole('button', { name: 'Create link' }).click();
    const allowed = () => dialog.getByLabel('Allow download').isChecked();
    expect(await allowed()).toBe(false);
    await chooseDocument(page, /^files\.zip · /);
    await dialog.getByText('Browsers can’t show this type of file').waitFor();
    await expect.poll(allowed).toBe(true);
    await dialog.getByLabel('Allow download').uncheck();
    await dialog.getByText('Readers can’t open this document').waitFor();
    await chooseDocument(page, /^terms\.pdf · /);
    await dialog.getByText('Readers can’t open this document').waitFor({ state: 'detached' });
    expect(await allowed()).toBe(false);
    await callSharingApi(app(), 'DELETE', `/documents/${archive.id}`);

    await dialog.getByRole('button', { name: 'Create and copy link' }).click();
    await page.getByRole('dialog', { name: 'Link created' }).waitFor();
    expect(await newestLink(app())).toMatchObject({
      name: '',
      password_required: false,
      email_required: true,
      email_verification_required: false,
      allow_download: false,
    });
    expect((await newestLink(app())).expire_time).toBeUndefined();
    await page.getByRole('link', { name: 'View link' }).click();
    await page.getByRole('heading', { level: 1, name: 'terms.pdf' }).waitFor();
  });

  it('are created with all options, and the URL can be copied', async () => {
    const { page, open } = await visitAs(await member('member'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(linksPath());
    const button = page.getByRole('button', { name: 'Create link' });
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Create link' });
    await dialog.getByLabel('Document').and(page.locator(':focus')).waitFor();
    await chooseDocument(page, /^terms\.pdf · /);
    await dialog.getByLabel('Name').fill('For the board');
    expect(await dialog.getByLabel('Email required').isChecked()).toBe(true);
    await dialog.getByLabel('Verified email').check();
    await dialog.getByText('More options').click();
    await dialog.getByRole('textbox', { name: 'Password' }).fill('open sesame');
    await dialog.getByLabel('Allow download').check();
    const ends = Math.floor(Date.now() / 60_000) * 60_000 + 3 * dayMs;
    await dialog.getByLabel('Expires').fill(localText(ends));
    await dialog.getByRole('button', { name: 'Create and copy link' }).click();

    const ready = page.getByRole('dialog', { name: 'Link created and copied' });
    await ready.getByText(/Send the password separately/).waitFor();
    await expectAccessible(page);
    const link = await newestLink(app());
    expect(link).toMatchObject({
      name: 'For the board',
      document_id: document.id,
      password_required: true,
      email_required: true,
      email_verification_required: true,
      allow_download: true,
    });
    expect(Date.parse(link.expire_time ?? '')).toBe(ends);
    const clock = await stopTimers(page);
    await ready.getByRole('button', { name: 'Copy URL' }).click();
    await ready.getByRole('status').getByText('URL copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link.url);
    await clock.resume();
    await ready.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'For the board').getByText('Password, verified email').waitFor();
    await button.and(page.locator(':focus')).waitFor();

    // A link has no incomplete date, and no expiry in the past.
    await chooseRowAction(rowOf(page, 'For the board'), 'Edit');
    const edit = page.getByRole('dialog', { name: 'Edit link' });
    await edit.getByLabel('Expires').fill('');
    await edit.getByLabel('Expires').focus();
    await page.keyboard.type('12');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByText('Complete the date or clear the field.').waitFor();
    await edit.getByLabel('Expires').fill('2020-01-01T00:00');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByText('Choose a time in the future.', { exact: true }).waitFor();
    await edit.getByText(/^Request ID:/).waitFor();
    expect((await linkOf(app(), link.id)).expire_time).toBe(link.expire_time);
  });
});

describe('the links of a workspace without documents', () => {
  it('point to the documents', async () => {
    const empty = await otherWorkspace(app(), 'ws_empty');
    const { page, open } = await visitAs(await staff());
    await open(`/workspaces/${empty}/links`);
    await page.getByText('No documents to share yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create link' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Go to documents' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
  });
});

describe('many links', () => {
  const count = 205;
  let oldest: DocumentFields;
  beforeAll(async () => {
    oldest = await upload(app(), makePdf({ pages: 1, text: 'Oldest' }), 'oldest.pdf');
    const { db } = app().app.inside;
    const row = await db
      .selectFrom('documents')
      .selectAll()
      .where('id', '=', oldest.id)
      .executeTakeFirstOrThrow();
    const newer = Array.from({ length: count }, (_, index) => ({
      ...{ ...row, id: `doc_newer${index}`, name: `newer-${index}.pdf`, blob_id: `blob${index}` },
      create_time: row.create_time + 1 + index,
    }));
    await db.insertInto('documents').values(newer).execute();
    for (let index = 0; index < 52; index++) {
      await makeLink(app(), index === 51 ? oldest.id : `doc_newer${index}`);
    }
  });

  it('are listed in pages, and can be created for documents on later pages', async () => {
    const { page, open, requests } = await visitAs(await member('member'));
    await open(linksPath());
    await rowOf(page, 'oldest.pdf').waitFor();
    await rowOf(page, 'newer-50.pdf').waitFor();
    // The links contain the names of their documents.
    expect(requests.filter((one) => one.endsWith('/GetDocument'))).toEqual([]);
    const rows = page.getByRole('table', { name: 'Links' }).getByRole('row');
    expect(await rows.count()).toBe(51);
    for (const act of ['Copy URL of', 'Actions for']) {
      const name = `${act} the link to “oldest.pdf”`;
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(1);
    }
    await page.getByRole('button', { name: 'Load more' }).click();
    await rowOf(page, 'newer-0.pdf').waitFor();

    // Documents on later pages of the list.
    await page.getByRole('button', { name: 'Create link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create link' });
    const more = dialog.getByRole('button', { name: 'Load more' });
    for (let pages = 0; pages < 4; pages++) {
      const answered = page.waitForResponse(/ListDocuments$/);
      await more.click();
      await answered;
    }
    await more.waitFor({ state: 'detached' });
    await chooseDocument(page, /^oldest\.pdf/);
    await dialog.getByLabel('Name').fill('To the oldest');
    await dialog.getByRole('button', { name: 'Create and copy link' }).click();
    await page.getByRole('dialog', { name: 'Link created' }).waitFor();
    expect(await newestLink(app())).toMatchObject({
      name: 'To the oldest',
      document_id: oldest.id,
    });
  });
});

describe('the link screens', () => {
  beforeAll(async () => {
    const document = await upload(app(), makePdf({ pages: 1, text: 'Deck' }), 'deck.pdf');
    const expireTime = new Date(Date.now() + dayMs).toISOString();
    const expired = await makeLink(app(), document.id, {
      ...{ name: 'Last quarter', expire_time: expireTime },
    });
    const expire_time = Date.now() - dayMs;
    await transact(app().app.inside.db, async (trx) => {
      await trx.updateTable('links').set({ expire_time }).where('id', '=', expired.id).execute();
    });
    const revoked = await makeLink(app(), document.id, { name: 'Sent to the wrong one' });
    await callSharingApi(app(), 'DELETE', `/links/${revoked.id}`);
    const given = {
      email_required: true,
      email_verification_required: true,
      password: 'a password',
    };
    await makeLink(app(), document.id, { name: 'For investors', ...given });
  });

  it('fit a window of any size, in both color schemes', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    await rowOf(page, 'Last quarter').getByText('Expired', { exact: true }).waitFor();
    await rowOf(page, 'For investors').getByText('Active').waitFor();
    await rowOf(page, 'Sent to the wrong one').getByText('Revoked', { exact: true }).waitFor();
    // The access rules have no ellipsis.
    await rowOf(page, 'For investors').getByText('Password, verified email').waitFor();
    expect(await overhangOf(page, 'tbody td[data-spare]')).toBe(0);
    await expectFitForAll(page);
    await chooseRowAction(rowOf(page, 'For investors'), 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit link' });
    await dialog.getByRole('combobox', { name: 'Password' }).selectOption('Set new password');
    await expectFitForAll(page);
  });
});
