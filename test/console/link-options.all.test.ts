// Links for people on a list, notifications and hidden titles.
import { beforeAll, expect, it } from 'vitest';
import { chooseRowAction } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { linkOf, newestLink, rowOf } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { type DocumentFields, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

let document: DocumentFields;

beforeAll(async () => {
  document = await upload(app(), makePdf({ pages: 2, text: 'Terms' }), 'terms.pdf');
});

it('a link is limited to people on a list, and opened to everyone again', async () => {
  const { page, open } = await visitAs(await member('member'));
  await open(`/workspaces/${workspaceId()}/documents/${document.id}/links`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share “terms.pdf”' });
  await dialog.getByLabel('Readers on a list').check();
  await dialog.getByText(/^The readers on the list/).waitFor();
  await dialog.getByRole('button', { name: 'Create and copy link' }).click();
  await dialog.getByText('Enter at least one address or domain.').waitFor();
  const people = dialog.getByRole('textbox', { name: 'Readers', exact: true });
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
  await chooseRowAction(rowOf(page, 'For partners'), 'Edit');
  const edit = page.getByRole('dialog', { name: 'Edit link' });
  const listed = edit.getByRole('textbox', { name: 'Readers', exact: true });
  expect(await listed.inputValue()).toBe('jane@example.com\n@partner.example');
  await edit.getByLabel('Anyone with the link').check();
  await edit.getByRole('button', { name: 'Save' }).click();
  await rowOf(page, 'For partners').getByText('Anyone with the link').waitFor();
  expect(await linkOf(app(), link.id)).not.toMatchObject({ email_required: true });
});
