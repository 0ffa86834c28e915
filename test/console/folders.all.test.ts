// Folders in the console, and the links that open them.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { choose, documentNamed, fileOf } from '../support/console-uploads.ts';
import { addDocument, makeFolder, makeRoom, type RoomLink } from '../support/folder-calls.ts';
import { newestLink } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { entered, report } from '../support/rooms.ts';
import { callSharingApi } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

const documentsPath = () => `/workspaces/${workspaceId()}/documents`;

const rowNamed = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Documents' }).getByRole('row').filter({ hasText: name });

const fieldsOf = async (route: string) =>
  (await callSharingApi<Record<string, unknown>>(app(), 'GET', route)).body;

async function look(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  expect(await overhangOf(page), name).toBe(0);
}

describe('a folder', () => {
  it('is created, filled, shared, moved and deleted', async () => {
    const { page, open } = await visitAs(await member('member'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(documentsPath());
    await choose(page, fileOf('Teaser.pdf', makePdf({ pages: 2, text: 'Teaser' })));
    await documentNamed(page, 'Teaser.pdf').waitFor();

    const makeNew = async (name: string) => {
      await page.getByRole('button', { name: 'New folder' }).click();
      const dialog = page.getByRole('dialog', { name: 'New folder' });
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Create folder' }).click();
      await documentNamed(page, name).waitFor();
    };
    await makeNew('Series B');
    await makeNew('Archive');
    const names = page.getByRole('table', { name: 'Documents' }).locator('td:first-child');
    expect(await names.allInnerTexts()).toEqual(['Archive', 'Series B', 'Teaser.pdf']);

    await documentNamed(page, 'Series B').click();
    await page.getByRole('heading', { level: 1, name: 'Series B' }).waitFor();
    await page.getByText('This folder is empty').waitFor();
    await page.getByText(/^Upload files, then share the folder with a link\./).waitFor();
    const folderId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await makeNew('Contracts');
    await choose(page, fileOf('Plan.pdf', makePdf({ pages: 1, text: 'Plan' })));
    await documentNamed(page, 'Plan.pdf').waitFor();
    await documentNamed(page, 'Contracts').click();
    await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor();
    await choose(page, fileOf('Terms.pdf', makePdf({ pages: 1, text: 'Terms' })));
    await documentNamed(page, 'Terms.pdf').click();
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
    await crumbs.getByRole('link', { name: 'Contracts' }).waitFor();
    expect(await crumbs.getByRole('listitem').allInnerTexts()).toEqual([
      'Documents',
      'Series B',
      'Contracts',
      'Terms.pdf',
    ]);
    await crumbs.getByRole('link', { name: 'Series B' }).click();
    await page.reload();
    await rowNamed(page, 'Plan.pdf').waitFor();

    // Moves a document from the top level into the folder.
    await crumbs.getByRole('link', { name: 'Documents' }).click();
    await chooseRowAction(page, 'Move', '“Teaser.pdf”');
    const move = page.getByRole('dialog', { name: 'Move “Teaser.pdf”' });
    await move.getByRole('button', { name: 'Entries of Series B' }).click();
    await move.getByRole('radio', { name: 'Contracts' }).waitFor();
    await move.getByRole('radio', { name: 'Series B' }).check();
    await look(page, 'move-to-folder');
    await move.getByRole('button', { name: 'Move' }).click();
    await documentNamed(page, 'Teaser.pdf').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search documents' }).fill('teas');
    await documentNamed(page, 'Teaser.pdf').waitFor();
    await documentNamed(page, 'Series B').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search documents' }).fill('');

    await documentNamed(page, 'Series B').click();
    await rowNamed(page, 'Teaser.pdf').waitFor();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const share = page.getByRole('dialog', { name: 'Share “Series B”' });
    await share.getByText('then they can read the documents of the folder.').waitFor();
    await share.getByRole('button', { name: 'Create and copy link' }).click();
    await page.getByRole('dialog', { name: 'Link created and copied' }).waitFor();
    const link = await newestLink(app());
    expect(link).toMatchObject({ folder_id: folderId, document_id: '', email_required: true });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link.url);
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'Links' }).waitFor();
    await look(page, 'folder');
    await changeColorScheme(page, 'dark');
    await look(page, 'folder-dark');

    await chooseRowAction(page, 'Rename', '“Series B”');
    const rename = page.getByRole('dialog', { name: 'Rename folder' });
    await rename.getByLabel('Name').fill('Series C');
    await rename.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Series C' }).waitFor();
    await chooseRowAction(page, 'Delete', '“Series C”');
    const remove = page.getByRole('dialog', { name: /^Delete/ });
    await remove.getByText('Only an empty folder can be deleted.').waitFor();
    await remove.getByRole('button', { name: 'Delete' }).click();
    await remove.getByText('The folder is not empty.').waitFor();
    await remove.getByRole('button', { name: 'Cancel' }).click();
    await chooseRowAction(page, 'Move', '“Series C”');
    const itself = page.getByRole('dialog', { name: /^Move/ });
    expect(await itself.getByRole('radio', { name: 'Series C' }).isDisabled()).toBe(true);
    await itself.getByRole('radio', { name: 'Archive' }).check();
    await itself.getByRole('button', { name: 'Move' }).click();
    await crumbs.getByRole('link', { name: 'Archive' }).waitFor();
    await open(documentsPath());
    await makeNew('Obsolete');
    await chooseRowAction(page, 'Delete', '“Obsolete”');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await documentNamed(page, 'Obsolete').waitFor({ state: 'detached' });
  });

  it('fits on a phone', async () => {
    const outer = await makeFolder(app(), 'A folder with a rather long name for a phone');
    await makeFolder(app(), 'Inner', outer.id);
    await addDocument(app(), outer.id, 'Notes.txt');
    const { page, open } = await visitAs(await member('member'), phone);
    await open(documentsPath());
    await documentNamed(page, outer.name).waitFor();
    await look(page, 'folders-phone');
    await documentNamed(page, outer.name).click();
    await rowNamed(page, 'Notes.txt').waitFor();
    await look(page, 'folder-phone');
    await chooseRowAction(page, 'Move', '“Notes.txt”');
    await page.getByRole('dialog').getByRole('radio', { name: outer.name }).waitFor();
    await look(page, 'move-phone');
  });
});

describe('a link to a folder', () => {
  it('says what it opens, who read which document, and has rules for entries', async () => {
    const root = await makeFolder(app(), 'Data room');
    const sub = await makeFolder(app(), 'Contracts', root.id);
    const plan = await addDocument(app(), root.id, 'Plan.txt');
    const terms = await addDocument(app(), sub.id, 'Terms.txt');
    const link: RoomLink = await makeRoom(app(), root.id, { email_required: true });
    const visitor = await entered(link, 'jane@example.com');
    for (const { id } of [plan, terms]) await visitor.get(`/documents/${id}/file`);
    await visitor.get(`/documents/${plan.id}/view`, report);
    await app().app.inside.views.flush();

    const { page, open } = await visitAs(await member('member'));
    await open(documentsPath());
    const links = rowNamed(page, 'Data room').getByRole('cell', { name: '1', exact: true });
    await links.waitFor();
    await look(page, 'folders-with-links');
    await open(`/workspaces/${workspaceId()}/links`);
    const row = page.getByRole('table', { name: 'Links' }).getByRole('row', { name: /Data room/ });
    await row.getByRole('img', { name: 'Folder' }).waitFor();
    await look(page, 'links-with-folder');
    await row.getByRole('link', { name: /^[A-Z]\w+ \d+, \d/ }).click();
    const read = page.getByRole('table', { name: 'Read documents' });
    await read.getByRole('row', { name: /Terms\.txt 1 1/ }).waitFor();
    const readers = page.getByRole('table', { name: 'Views' });
    await readers.getByRole('row', { name: /jane@example\.com.*Plan\.txt/ }).waitFor();
    await page.getByText('Readers see everything in the folder.').waitFor();

    await page.getByRole('button', { name: 'Hide or allow downloads' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rules for readers' });
    await dialog.getByLabel('Rule for Plan.txt').selectOption('Download');
    await dialog.getByRole('button', { name: 'Entries of Contracts' }).click();
    await dialog.getByLabel('Rule for Terms.txt').selectOption('Hidden');
    await look(page, 'room-rules');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 entry is hidden, and 1 entry has its own download rule.').waitFor();
    expect(await fieldsOf(`/links/${link.id}`)).toMatchObject({
      entry_rules: [
        { document_id: plan.id, hidden: false, allow_download: true },
        { document_id: terms.id, hidden: true },
      ],
    });
    expect((await visitor.get(`/documents/${terms.id}`)).status).toBe(404);

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const options = page.getByRole('dialog', { name: 'Edit link' });
    await options.getByText('then they can read the documents of the folder.').waitFor();
    await options.getByText('More options').click();
    await options.getByLabel('Show the name of the folder').waitFor();
    expect(await options.getByLabel('Version').count()).toBe(0);
    await page.keyboard.press('Escape');
    await options.waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 390, height: 844 });
    await look(page, 'room-link-phone');
    await page.setViewportSize({ width: 1280, height: 800 });
    await look(page, 'room-link');
  });
});
