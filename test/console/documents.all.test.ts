import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { settle, stopTimers } from '../support/browser-pages.ts';
import { chooseRowAction, openRowMenu } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { makeReport } from '../support/report-pdf.ts';
import {
  callSharingApi,
  makeLink,
  makeZip,
  otherWorkspace,
  sha256,
  upload,
} from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

const listOf = (workspace: string) => `/workspaces/${workspace}/documents`;

const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Documents' }).getByRole('row', { name: new RegExp(name) });

async function nameOf(id: string): Promise<unknown> {
  return (await callSharingApi(app(), 'GET', `/documents/${id}`)).body.name;
}

it('an empty list of documents explains how to upload the first one', async () => {
  const { page, open } = await visitAs(await staff());
  await open(listOf(await otherWorkspace(app(), 'ws_empty')));
  await page.getByText('No documents yet').waitFor();
  // The default of LATCHKEY_MAX_UPLOAD_BYTES.
  await page.getByText('up to 104.8 MB each').waitFor();
  expect(await page.getByRole('button', { name: 'Upload files' }).count()).toBe(1);
  await expectAccessible(page);
});

it('documents are listed with their properties in pages', async () => {
  await upload(app(), makeReport(), 'Quarterly report.pdf');
  for (let number = 0; number < 50; number++) {
    await upload(app(), makeZip(`file ${number}`), `Archive ${number}.zip`);
  }
  const { page, open } = await visitAs(await member('member'));

  await open(listOf(workspaceId()));
  const rows = page.getByRole('table', { name: 'Documents' }).getByRole('row');
  await rowOf(page, 'Archive 49.zip').waitFor();
  expect(await rows.count()).toBe(51);
  await page.getByRole('button', { name: 'Load more' }).click();
  await rowOf(page, 'Quarterly report.pdf').waitFor();
  const cells = rowOf(page, 'Quarterly report.pdf').getByRole('cell');
  expect((await cells.allTextContents()).slice(1, 4)).toEqual(['PDF', '6.8 kB', '4']);
  const others = rowOf(page, 'Archive 7.zip').getByRole('cell');
  expect((await others.allTextContents()).slice(1, 4)).toEqual(['ZIP archive', '36 bytes', '—']);
  const buttons = rowOf(page, 'Quarterly report.pdf').getByRole('button');
  await settle(page);
  const middles = await buttons.evaluateAll((all) =>
    all.map((one) => one.getBoundingClientRect()).map(({ y, height }) => y + height / 2),
  );
  expect(middles).toHaveLength(2);
  expect(new Set(middles.map(Math.round)).size).toBe(1);
  await expectAccessible(page);
});

it('documents are renamed, and deleted with their links', async () => {
  const { page, open } = await visitAs(await member('member'));
  const { id } = await upload(app(), makeZip(), 'Draft.zip');
  await open(listOf(workspaceId()));
  await chooseRowAction(page, 'Rename', '“Draft.zip”');
  const renaming = page.getByRole('dialog', { name: 'Rename document' });
  expect(await renaming.getByLabel('Name').inputValue()).toBe('Draft.zip');
  await renaming.getByLabel('Name').fill(' ');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await renaming.getByText('Enter at least one visible character.').first().waitFor();
  await expectAccessible(page);
  await renaming.getByLabel('Name').fill('Final.zip');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await rowOf(page, 'Final.zip').waitFor();
  expect(await nameOf(id)).toBe('Final.zip');
  const renamed = page.getByRole('button', { name: 'Actions for “Final.zip”' });
  await renamed.and(page.locator(':focus')).waitFor();

  // A dialog stays open if its document disappears.
  const gone = await upload(app(), makeZip(), 'Going.zip');
  await open(listOf(workspaceId()));
  await chooseRowAction(page, 'Rename', '“Going.zip”');
  await renaming.getByLabel('Name').fill('Gone.zip');
  await callSharingApi(app(), 'DELETE', `/documents/${gone.id}`);
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await renaming.getByText('The workspace has no such document').waitFor();
  await rowOf(page, 'Going.zip').waitFor({ state: 'detached' });
  await renaming.getByText('Request ID:').waitFor();

  // A deletion asks for confirmation.
  const old = await upload(app(), makeZip(), 'Obsolete.zip');
  const link = await makeLink(app(), old.id);
  await open(listOf(workspaceId()));
  const ask = () => chooseRowAction(rowOf(page, 'Obsolete.zip'), 'Delete');
  await ask();
  const dialog = page.getByRole('dialog', { name: 'Delete “Obsolete.zip”?' });
  await dialog.getByText('can’t undo this').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await fetch(link.url)).status).toBe(200);

  await ask();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await rowOf(page, 'Obsolete.zip').waitFor({ state: 'detached' });
  expect((await callSharingApi(app(), 'GET', `/documents/${old.id}`)).status).toBe(404);
  expect((await fetch(link.url)).status).not.toBe(200);
});

it('documents are read-only without the write scope', async () => {
  await upload(app(), makeZip(), 'Read only.zip');
  const { page, open } = await visitAs(await staff(['workspaces:read', 'documents:read']));
  await open(listOf(workspaceId()));
  await rowOf(page, 'Read only.zip').waitFor();
  for (const name of ['Upload files', 'Rename', 'Delete']) {
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  }
  await page.getByRole('link', { name: 'Read only.zip' }).click();
  await page.getByRole('heading', { level: 1, name: 'Read only.zip' }).waitFor();
  const menu = await openRowMenu(page, '“Read only.zip”');
  expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual(['Download']);
});

it('a foreign or unknown workspace or document shows an error with the request ID', async () => {
  const { page, open } = await visitAs(await member('member'));
  await open(listOf(await otherWorkspace(app(), 'ws_foreign')));
  const problem = page.getByRole('alert');
  await problem.getByText('Request ID:').waitFor();
  expect(await problem.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  const foreign = await problem.innerText();
  await open(listOf('ws_0000000000000000000000'));
  await problem.getByText('Request ID:').waitFor();
  const unknown = await problem.innerText();
  expect(unknown).not.toBe(foreign);
  const wordsOf = (text: string) =>
    text
      .replace(/Request ID:.*/s, '')
      .split(/\n+/)
      .filter(Boolean);
  const words = ['You don’t have access', 'The user is not a member of the workspace.'];
  expect([wordsOf(foreign), wordsOf(unknown)]).toEqual([words, words]);

  await open(`${listOf(workspaceId())}/doc_0000000000000000000000`);
  await problem.getByText('The workspace has no such document.').waitFor();
  await problem.getByText('Request ID:').waitFor();
  await expectAccessible(page);
});

it('a document is downloaded, shared, renamed and deleted on its screen', async () => {
  const bytes = makeReport();
  const document = await upload(app(), bytes, 'Facts.pdf');
  const other = await upload(app(), makeZip(), 'Other.zip');
  await makeLink(app(), other.id, { name: 'Not of this one' });
  const { page, open, complaints } = await visitAs(await member('member'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const path = `${listOf(workspaceId())}/${document.id}`;
  await open(`${path}/details`);

  const text = await page.getByRole('region', { name: 'Details' }).locator('dl').innerText();
  expect(text).toContain(document.id);
  expect(text).toContain('6.8 kB');
  const clock = await stopTimers(page);
  await page.getByRole('button', { name: 'Copy SHA-256' }).click();
  await page.getByRole('button', { name: 'SHA-256 copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(sha256(bytes));
  await clock.resume();

  await open(path);
  const coming = page.waitForEvent('download');
  await chooseRowAction(page, 'Download', '“Facts.pdf”');
  const download = await coming;
  expect(download.suggestedFilename()).toBe('Facts.pdf');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  expect(sha256(Buffer.concat(chunks))).toBe(sha256(bytes));

  // A failed download can be retried.
  await page.route('**/file?*', (route) => route.abort());
  await chooseRowAction(page, 'Download', '“Facts.pdf”');
  await page.getByText('Can’t connect to the server').waitFor();
  await expect.poll(() => complaints).toEqual(['Failed to load resource: net::ERR_FAILED']);
  complaints.splice(0);
  await page.unroute('**/file?*');
  const retried = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Try again' }).click();
  await retried;
  await page.getByText('Can’t connect to the server').waitFor({ state: 'detached' });

  const json = { detail: 'It is too busy.', code: 'unavailable', request_id: 'request-7' };
  const headers = { 'retry-after': '1' };
  await page.route('**/file?*', (route) => route.fulfill({ status: 503, headers, json }));
  await chooseRowAction(page, 'Download', '“Facts.pdf”');
  await page.getByText('Try again in 1 second.').waitFor();
  await page.unroute('**/file?*');

  // The connection is lost during the download.
  await open(path);
  await page.evaluate(`(() => {
    const before = fetch;
    window.fetch = async (address, ...rest) => {
      const answer = await before(address, ...rest);
      if (!String(address).includes('/file?')) return answer;
      const pull = (stream) => stream.error(new TypeError('network error'));
      return new Response(new ReadableStream({ pull }), answer);
    };
  })()`);
  await chooseRowAction(page, 'Download', '“Facts.pdf”');
  await page.getByText('Can’t connect to the server').waitFor();
  expect(await page.getByText('network error').count()).toBe(0);

  // Its links.
  await open(`${path}/links`);
  const links = page.getByRole('region', { name: 'Links' });
  await links.getByText('No links yet').waitFor();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share “Facts.pdf”' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('For the board');
  await dialog.getByRole('button', { name: 'Create and copy link' }).click();
  await links.getByText('For the board').waitFor({ state: 'attached' });
  expect(await links.getByText('Not of this one').count()).toBe(0);
  const answer = await callSharingApi<{ links: { name: string }[] }>(
    app(),
    'GET',
    `/links?document_id=${document.id}`,
  );
  expect(answer.body.links.map(({ name }) => name)).toEqual(['For the board']);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await chooseRowAction(page, 'Rename', '“Facts.pdf”');
  const rename = page.getByRole('dialog', { name: 'Rename document' });
  await rename.getByLabel('Name').fill('Renamed page.pdf');
  await rename.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { level: 1, name: 'Renamed page.pdf' }).waitFor();
  expect(await nameOf(document.id)).toBe('Renamed page.pdf');

  await chooseRowAction(page, 'Delete', '“Renamed page.pdf”');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
  expect((await callSharingApi(app(), 'GET', `/documents/${document.id}`)).status).toBe(404);
});
