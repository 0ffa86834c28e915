// A team shares a presentation with three readers, corrects it, and sees what each of them read.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { keepPictures, phone } from '../../support/browser-pages.ts';
import { documentTab } from '../../support/console-menus.ts';
import { type ConsoleVisit, useConsole } from '../../support/console-suite.ts';
import { choose, fileOf } from '../../support/console-uploads.ts';
import { answer, press } from '../../support/gate-pages.ts';
import { lastCode } from '../../support/gate-visitor.ts';
import { makePresentation } from '../../support/office-files.ts';
import { callSharingApi, type LinkFields } from '../../support/sharing-api.ts';

const readers = ['grace@example.com', 'jane@example.com', 'omar@example.org'] as const;
const [grace, jane, omar] = readers;

const { app, workspaceId, visit, visitAs, member } = useConsole({
  config: { officeCommand: 'soffice' },
});
let deck: Buffer;
let corrected: Buffer;

beforeAll(async () => {
  [deck, corrected] = [await makePresentation(5), await makePresentation(6)];
});

const slide = (page: Page, number: number) =>
  page.locator(`#viewer .page[data-page-number="${number}"] .textLayer`);

async function enter({ page }: ConsoleVisit, url: string, email: string): Promise<void> {
  await page.goto(url);
  await answer(page, 'Email', email);
  await answer(page, 'Code', await lastCode(app(), email));
  await expect.poll(() => slide(page, 1).textContent()).toBe('Slide 1');
}

/** The number of views with a page that was read. */
const readViews = async () => {
  await app().app.inside.views.flush();
  const query = app().app.inside.db.selectFrom('view_pages').select('view_id').distinct();
  return (await query.execute()).length;
};

it('a presentation is shared with three readers, corrected, and read by two of them', async () => {
  const owner = await visitAs(await member('owner', workspaceId(), { name: 'Alex Kim' }));
  const { page } = owner;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await owner.open(`/workspaces/${workspaceId()}/documents`);
  await choose(page, fileOf('Board deck.pptx', deck));
  const uploads = page.getByRole('region', { name: 'Uploads' });
  await uploads.getByRole('button', { name: 'Share “Board deck.pptx”' }).waitFor();
  await keepPictures(page, 'deck-upload');

  await uploads.getByRole('button', { name: 'Share “Board deck.pptx”' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Readers on a list').check();
  await dialog.getByRole('textbox', { name: 'Readers' }).fill(readers.join('\n'));
  await dialog.getByLabel('One link for each reader').check();
  await keepPictures(page, 'deck-share');
  await dialog.getByRole('button', { name: 'Create and copy links' }).click();
  await page.getByRole('dialog', { name: '3 links created and copied' }).waitFor();
  await keepPictures(page, 'deck-links');
  await page.getByRole('button', { name: 'Done' }).click();

  const { links } = (
    await callSharingApi<{ links: (LinkFields & { recipient: string })[] }>(app(), 'GET', '/links')
  ).body;
  expect(links.map(({ recipient }) => recipient).toSorted()).toEqual(readers);
  const urlOf = (email: string) => links.find(({ recipient }) => recipient === email)?.url ?? '';
  const documentId = links[0]?.document_id ?? '';
  const preview = async () =>
    (await callSharingApi<{ preview: string }>(app(), 'GET', `/documents/${documentId}`)).body
      .preview;
  await expect.poll(preview).toBe('PREVIEW_READY');

  const first = await visit();
  await enter(first, urlOf(jane), jane);
  const second = await visit(phone);
  await enter(second, urlOf(omar), omar);
  await expect.poll(readViews).toBe(2);

  await owner.open(`/workspaces/${workspaceId()}/documents/${documentId}/versions`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload new version' }).click();
  await (await chooser).setFiles([fileOf('Board deck corrected.pptx', corrected)]);
  await page.getByText('New version, same links').waitFor();
  const versions = page.getByRole('table', { name: 'Versions' });
  await versions.getByRole('row', { name: 'Version 2' }).getByText('Ready').waitFor();
  await keepPictures(page, 'deck-versions');

  await first.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await first.page.getByText('A newer version is available').waitFor();
  await keepPictures(first.page, 'deck-new-version');
  await press(first.page, 'Show new version');
  await first.page.getByText('of 6').first().waitFor();
  await expect.poll(readViews).toBe(3);

  await owner.open(`/workspaces/${workspaceId()}/documents/${documentId}`);
  await documentTab(page, 'Readers').click();
  const rows = page.getByRole('region', { name: 'Readers' }).getByRole('row');
  for (const [reader, count] of [
    [jane, 2],
    [omar, 1],
    [grace, 0],
  ] as const) {
    await expect.poll(() => rows.filter({ hasText: reader }).count()).toBe(count);
  }
  await keepPictures(page, 'deck-readers');

  await page.getByRole('button', { name: `Pages of ${omar}` }).click();
  const times = page.getByRole('region', { name: `Time per page of ${omar}` });
  await times
    .getByRole('listitem')
    .filter({ hasText: /^Page 1\s*\d/ })
    .waitFor();

  await page.getByRole('link', { name: jane }).first().click();
  const views = page.getByRole('table', { name: 'Views' }).getByRole('row');
  await expect.poll(() => views.filter({ hasText: 'Board deck.pptx' }).count()).toBe(2);
  await keepPictures(page, 'deck-person');
});
