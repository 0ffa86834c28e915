// Changing links in their dialog, the names of links without a name, and links for a list.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { phone } from '../support/browser-pages.ts';
import { chooseRowAction, documentTab } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { Visitor } from '../support/gate-visitor.ts';
import { dayMs, linkOf, localText, newestLink, rowOf } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import { type DocumentFields, makeLink, makeZip, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

let document: DocumentFields;
beforeAll(async () => {
  document = await upload(app(), makePdf({ pages: 2, text: 'Plan' }), 'plan.pdf');
});

/** A member at the list of links. */
async function openLinks(settings?: Parameters<typeof visitAs>[1]): Promise<Page> {
  const { page, open } = await visitAs(await member('member'), settings);
  await open(`/workspaces/${workspaceId()}/links`);
  return page;
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Edit link' });
const edit = (page: Page, name: string) => chooseRowAction(rowOf(page, name), 'Edit');

async function save(page: Page): Promise<void> {
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
}

it('a link loses its checks, gets others, and keeps everything else', async () => {
  const expireTime = new Date(Date.now() + dayMs + 12_345).toISOString();
  const old = { password: 'an old password' };
  const ends = { email_required: true, ...old, expire_time: expireTime };
  const loses = await makeLink(app(), document.id, { name: 'Loses', ...ends });
  const changes = await makeLink(app(), document.id, { name: 'Changes', ...old });
  const verified = { email_required: true, email_verification_required: true };
  const opens = await makeLink(app(), document.id, { name: 'Opens', ...verified });
  const kept = { name: 'Keeps', ...old, expire_time: expireTime };
  const keeps = await makeLink(app(), document.id, kept);
  const page = await openLinks();
  const dialog = dialogOf(page);

  await edit(page, 'Loses');
  expect(await dialog.getByLabel('Expires').inputValue()).toBe(localText(Date.parse(expireTime)));
  await dialog.getByLabel('Expires').fill('');
  await dialog.getByText('More options').click();
  await dialog.getByRole('combobox', { name: 'Password' }).selectOption('Remove password');
  await expectAccessible(page);
  await save(page);
  const lost = await linkOf(app(), loses.id);
  const rest = { name: 'Loses', url: loses.url, email_required: true };
  expect(lost).toMatchObject({ ...rest, password_required: false });
  expect(lost.expire_time).toBeUndefined();

  // Everyone has to enter a new password.
  const reader = new Visitor(changes);
  await reader.post(old);
  expect(await reader.asked()).toBe('document');
  await edit(page, 'Changes');
  await dialog.getByText(/has to pass the new checks/).waitFor();
  await dialog.getByRole('combobox', { name: 'Password' }).selectOption('Set new password');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a new password.').waitFor();
  expect(await linkOf(app(), changes.id)).toMatchObject({ password_required: true });
  await dialog.getByRole('textbox', { name: 'New password' }).fill('a new password');
  await save(page);
  expect(await reader.asked()).toBe('Password');
  await reader.post({ password: 'a new password' });
  expect(await reader.asked()).toBe('document');

  // A link that no longer requires an email no longer verifies it.
  await edit(page, 'Opens');
  expect(await dialog.getByLabel('Verified email').isChecked()).toBe(true);
  await dialog.getByText(/confirm it with a code from an email/).waitFor();
  await dialog.getByLabel('Anyone with the link').check();
  await dialog.getByText('Anyone with the link can read the document.').waitFor();
  await save(page);
  await rowOf(page, 'Opens').getByText('Anyone with the link').waitFor();
  const unverified = { email_required: false, email_verification_required: false };
  expect(await linkOf(app(), opens.id)).toMatchObject(unverified);
  expect(await new Visitor(opens).asked()).toBe('document');

  // Only changed fields are sent, so access sessions stay valid.
  const guest = new Visitor(keeps);
  await guest.post(old);
  await edit(page, 'Keeps');
  await dialog.getByLabel('Name').fill('Keeps, renamed');
  await dialog.getByLabel('Allow download').check();
  await save(page);
  await rowOf(page, 'Keeps, renamed').waitFor();
  const changed = await linkOf(app(), keeps.id);
  expect(changed).toMatchObject({ allow_download: true, password_required: true });
  expect(Date.parse(changed.expire_time ?? '')).toBe(Date.parse(expireTime));
  expect(await guest.asked()).toBe('document');
});

it('a link is revoked after a confirmation, and its URL is hidden', async () => {
  const link = await makeLink(app(), document.id, { name: 'Goes' });
  const page = await openLinks();
  const row = rowOf(page, 'Goes');
  await chooseRowAction(row, 'Revoke');
  const question = page.getByRole('dialog', { name: 'Revoke “Goes”?' });
  await question.getByText(/at once for new readers, and within 20 seconds/).waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  expect((await fetch(link.url)).status).toBe(200);
  await chooseRowAction(row, 'Revoke');
  await question.getByRole('button', { name: 'Revoke link' }).click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  expect((await fetch(link.url)).status).toBe(410);
  expect(await row.getByRole('button').count()).toBe(0);
  // The time is next to the state, and the link no longer expires.
  const cells = await row.getByRole('cell').allTextContents();
  expect(cells).toContainEqual(expect.stringMatching(/^Revoked\S/));
  expect(cells).toContain('—');
});

it('a link without a name has a title and a fact that distinguishes it', async () => {
  const people = { allow_list: ['jane@example.com', '@partner.example'] };
  await makeLink(app(), document.id, people);
  await makeLink(app(), document.id);
  const page = await openLinks();
  const forJane = 'Link for jane@example.com and 1 more';
  await page.getByRole('link', { name: forJane }).waitFor();
  const unnamed = page.getByRole('link', { name: /^[A-Z]\w+ \d+, \d/ });
  await unnamed.waitFor();
  expect(await unnamed.evaluate((link) => link.scrollWidth <= link.clientWidth)).toBe(true);
  await rowOf(page, forJane).getByRole('link', { name: 'plan.pdf', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'plan.pdf' }).waitFor();
  await documentTab(page, 'Links').click();
  await page.getByRole('link', { name: forJane }).click();
  const title = 'plan.pdf · for jane@example.com and 1 more';
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
});

it('a link is limited to people on a list, and opened to everyone again', async () => {
  const { page, open } = await visitAs(await member('member'));
  await open(`/workspaces/${workspaceId()}/documents/${document.id}/links`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share “plan.pdf”' });
  const people = dialog.getByRole('textbox', { name: 'Readers', exact: true });
  await dialog.getByLabel('Readers on a list').check();
  await dialog.getByText(/^The readers on the list/).waitFor();
  for (const separators of ['', ' ,\n;']) {
    await people.fill(separators);
    await dialog.getByRole('button', { name: 'Create and copy link' }).click();
    await dialog.getByText('Enter at least one address or domain.').waitFor();
  }
  await people.fill('jane@example.com\n@partner.example');
  await dialog.getByText('More options').click();
  await dialog.getByLabel('Email me about views').selectOption('After every view');
  await dialog.getByLabel('Show the name of the document').uncheck();
  await dialog.getByLabel('Blocked readers').fill('spam@partner.example');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('For partners');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create and copy link' }).click();
  const ready = page.getByRole('dialog', { name: 'Link created' });
  await ready.getByRole('button', { name: 'Done' }).click();
  const link = await newestLink(app());
  expect(link).toMatchObject({
    email_verification_required: true,
    allow_list: ['jane@example.com', '@partner.example'],
    block_list: ['spam@partner.example'],
    notify: 'NOTIFY_EVERY_VIEW',
  });
  expect(link).not.toMatchObject({ show_title: true });

  await rowOf(page, 'For partners').getByText('Readers on a list').waitFor();
  await edit(page, 'For partners');
  const listed = dialogOf(page).getByRole('textbox', { name: 'Readers', exact: true });
  expect(await listed.inputValue()).toBe('jane@example.com\n@partner.example');
  await dialogOf(page).getByLabel('Anyone with the link').check();
  await save(page);
  await rowOf(page, 'For partners').getByText('Anyone with the link').waitFor();
  expect(await linkOf(app(), link.id)).not.toMatchObject({ email_required: true });
});

describe('the dialog of a link', () => {
  it('says that a ZIP archive can only be downloaded', async () => {
    const archive = await upload(app(), makeZip(), 'files.zip');
    await makeLink(app(), archive.id, { name: 'Files', allow_download: true });
    const page = await openLinks();
    await edit(page, 'Files');
    await dialogOf(page).getByText('Anyone with the link can download the file.').waitFor();
    await dialogOf(page).getByText('Browsers can’t show this type of file').waitFor();
    await dialogOf(page).getByLabel('Name').fill('Archive');
    await save(page);
    await page.getByRole('status').getByText('Link saved').waitFor();
  });

  itHoldsFor([phone, { viewport: { width: 1024, height: 700 } }])(
    'keeps its button in a small window',
    async (settings) => {
      const page = await openLinks(settings);
      await page.getByRole('button', { name: 'Create link' }).click();
      const dialog = page.getByRole('dialog', { name: 'Create link' });
      await dialog.getByText('More options').click();
      const isInside = () =>
        page.evaluate<boolean>(`(() => {
          const button = document.querySelector('[role=dialog] button[type=submit]');
          const { bottom, left, width } = button.getBoundingClientRect();
          const seen = document.elementFromPoint(left + width / 2, bottom - 4);
          return bottom <= innerHeight && button.contains(seen);
        })()`);
      await expect.poll(isInside).toBe(true);
      await dialog.getByLabel('Show the name of the document').scrollIntoViewIfNeeded();
      await expect.poll(isInside).toBe(true);
      await expectAccessible(page);
    },
  );
});
