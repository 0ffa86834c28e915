// The console names the state of the preview of an Office file.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { overhangOf } from '../../support/browser-pages.ts';
import { documentTab } from '../../support/console-menus.ts';
import { expectAccessible, useConsole } from '../../support/console-suite.ts';
import { makeOfficeFiles } from '../../support/office-files.ts';
import { docx, paragraph, wordDocument } from '../../support/office-packages.ts';
import { makeLink, upload } from '../../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole({ config: { officeCommand: 'soffice' } });
let files: ReadonlyMap<string, Buffer>;

beforeAll(async () => {
  files = await makeOfficeFiles();
});

const pathOf = (id: string) => `/workspaces/${workspaceId()}/documents/${id}/preview`;

/** A file that LibreOffice refuses. */
const broken = () => docx(wordDocument(paragraph('&undefined;')));

const shownPages = (page: Page) => page.locator('.canvasWrapper canvas');

it('shows the preview as soon as it is ready, with its pages', async () => {
  const { page, open } = await visitAs(await member('member'));
  const { id } = await upload(app(), files.get('pptx') ?? Buffer.alloc(0), 'Board deck.pptx');
  await open(pathOf(id));
  await page.getByText('The preview is being prepared.').waitFor();
  await shownPages(page).first().waitFor({ timeout: 120_000 });
  await page.getByText('Page 1 of 4').waitFor();
  await expectAccessible(page);
  await page.getByText('Page 1 of 4').scrollIntoViewIfNeeded();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overhangOf(page)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await documentTab(page, 'Versions').click();
  const version = page.getByRole('table', { name: 'Versions' }).getByRole('row').nth(1);
  await version.getByText('Ready').waitFor();
  await version.getByText('PowerPoint presentation').waitFor();
});

it('says why a file has no preview, and how to get previews', async () => {
  const { page, open } = await visitAs(await member('member'));
  const { id } = await upload(app(), broken(), 'Broken.docx');
  await open(pathOf(id));
  await page.getByText('LibreOffice cannot read the file.').waitFor({ timeout: 120_000 });
  await page.getByText('LibreOffice cannot read the file.').scrollIntoViewIfNeeded();
  await app().app.inside.db.deleteFrom('previews').where('document_id', '=', id).execute();
  await page.reload();
  await page.getByText('LibreOffice isn’t running.').waitFor();
  const link = await makeLink(app(), id);
  await page.goto(link.url);
  await page.getByText('There is no preview').waitFor();
});
