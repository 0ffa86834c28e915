import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { overhangOf, phone, settle, stopTimers, takePicture } from '../support/browser-pages.ts';
import { chooseRowAction, openRowMenu } from '../support/console-menus.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
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

describe('the documents of a workspace', () => {
  it('explain how to upload the first one', async () => {
    const { page, open } = await visitAs(await staff());
    await open(listOf(await otherWorkspace(app(), 'ws_empty')));
    await page.getByText('No documents yet').waitFor();
    // The default of LATCHKEY_MAX_UPLOAD_BYTES.
    await page.getByText('up to 104.8 MB each').waitFor();
    expect(await page.getByRole('button', { name: 'Upload files' }).count()).toBe(1);
    await expectAccessible(page);
    await takePicture(page, 'documents-empty');
  });

  it('show an error for a foreign or unknown workspace', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(listOf(await otherWorkspace(app(), 'ws_foreign')));
    const problem = page.getByRole('alert');
    await problem.getByText('Request ID:').waitFor();
    expect(await problem.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('are listed with their properties in pages', async () => {
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
    await takePicture(page, 'documents-list');
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
    await takePicture(page, 'documents-list-dark');
  });

  it('are renamed', async () => {
    const { id } = await upload(app(), makeZip(), 'Draft.zip');
    const { page, open } = await visitAs(await member('member'));
    await open(listOf(workspaceId()));
    await chooseRowAction(page, 'Rename', '“Draft.zip”');
    const dialog = page.getByRole('dialog', { name: 'Rename document' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Draft.zip');
    await dialog.getByLabel('Name').fill(' ');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('Fill in this field.').first().waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('Final.zip');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await rowOf(page, 'Final.zip').waitFor();
    expect(await nameOf(id)).toBe('Final.zip');
    const renamed = page.getByRole('button', { name: 'Actions for “Final.zip”' });
    await renamed.and(page.locator(':focus')).waitFor();
  });

  it('keep an open dialog if they disappear meanwhile', async () => {
    const { id } = await upload(app(), makeZip(), 'Going.zip');
    const { page, open } = await visitAs(await member('member'));
    await open(listOf(workspaceId()));
    await chooseRowAction(page, 'Rename', '“Going.zip”');
    const dialog = page.getByRole('dialog', { name: 'Rename document' });
    await dialog.getByLabel('Name').fill('Gone.zip');
    await callSharingApi(app(), 'DELETE', `/documents/${id}`);
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('The workspace has no such document').waitFor();
    await rowOf(page, 'Going.zip').waitFor({ state: 'detached' });
    await dialog.getByText('Request ID:').waitFor();
  });

  it('are deleted with their links after a confirmation', async () => {
    const { id } = await upload(app(), makeZip(), 'Obsolete.zip');
    const link = await makeLink(app(), id);
    const { page, open } = await visitAs(await member('member'));
    await open(listOf(workspaceId()));
    const ask = () => chooseRowAction(rowOf(page, 'Obsolete.zip'), 'Delete');
    await ask();
    const dialog = page.getByRole('dialog', { name: 'Delete “Obsolete.zip”?' });
    await dialog.getByText('can’t undo this').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'documents-delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await fetch(link.url)).status).toBe(200);

    await ask();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await rowOf(page, 'Obsolete.zip').waitFor({ state: 'detached' });
    expect((await callSharingApi(app(), 'GET', `/documents/${id}`)).status).toBe(404);
    expect((await fetch(link.url)).status).not.toBe(200);
  });

  it('are read-only without the write scope', async () => {
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

  it('fit on a phone', async () => {
    await upload(app(), makeReport(), `An ${'unbroken'.repeat(9)} name.pdf`);
    const { page, open } = await visitAs(await member('member'), phone);
    await open(listOf(workspaceId()));
    await rowOf(page, 'An unbroken').waitFor();
    expect(await overhangOf(page)).toBe(0);
    await expectAccessible(page);
    await takePicture(page, 'documents-list-phone');
  });
});

describe('a document', () => {
  async function openReport(name: string, tab = '') {
    const bytes = makeReport();
    const document = await upload(app(), bytes, name);
    const visit = await visitAs(await member('member'));
    await visit.open(`${listOf(workspaceId())}/${document.id}${tab}`);
    await visit.page.getByRole('heading', { level: 1, name }).waitFor();
    return { ...visit, bytes, document };
  }

  it('shows its properties, which can be copied', async () => {
    const { page, bytes, document } = await openReport('Facts.pdf', '/details');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const text = await page.getByRole('region', { name: 'Details' }).locator('dl').innerText();
    expect(text).toContain(document.id);
    expect(text).toContain('6.8 kB');
    await stopTimers(page);
    await page.getByRole('button', { name: 'Copy SHA-256' }).click();
    await page.getByRole('button', { name: 'SHA-256 copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(sha256(bytes));
  });

  it('is downloaded completely and with its name', async () => {
    const { page, bytes } = await openReport('To be kept.pdf');
    const coming = page.waitForEvent('download');
    await chooseRowAction(page, 'Download', '“To be kept.pdf”');
    const download = await coming;
    expect(download.suggestedFilename()).toBe('To be kept.pdf');
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    expect(sha256(Buffer.concat(chunks))).toBe(sha256(bytes));
  });

  it('shows a failed download and retries it', async () => {
    const { page, complaints } = await openReport('Away.pdf');
    await page.route('**/file?*', (route) => route.abort());
    await chooseRowAction(page, 'Download', '“Away.pdf”');
    await page.getByText('Can’t connect to the server').waitFor();
    await expect.poll(() => complaints).toEqual(['Failed to load resource: net::ERR_FAILED']);
    complaints.splice(0);
    await page.unroute('**/file?*');
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Try again' }).click();
    await coming;
    await page.getByText('Can’t connect to the server').waitFor({ state: 'detached' });
  });

  it('reports a connection lost during the download', async () => {
    const { page } = await openReport('Broken off.pdf');
    await page.evaluate(`(() => {
      const before = fetch;
      window.fetch = async (address, ...rest) => {
        const answer = await before(address, ...rest);
        if (!String(address).includes('/file?')) return answer;
        const pull = (stream) => stream.error(new TypeError('network error'));
        return new Response(new ReadableStream({ pull }), answer);
      };
    })()`);
    await chooseRowAction(page, 'Download', '“Broken off.pdf”');
    await page.getByText('Can’t connect to the server').waitFor();
    expect(await page.getByText('network error').count()).toBe(0);
  });

  it('shows when the download can be retried', async () => {
    const { page } = await openReport('Busy.pdf');
    const json = { detail: 'It is too busy.', code: 'unavailable', request_id: 'request-7' };
    const headers = { 'retry-after': '1' };
    await page.route('**/file?*', (route) => route.fulfill({ status: 503, headers, json }));
    await chooseRowAction(page, 'Download', '“Busy.pdf”');
    await page.getByText('Try again in 1 second.').waitFor();
  });

  it('is renamed and deleted on its screen', async () => {
    const { page, document } = await openReport('Page.pdf');
    await chooseRowAction(page, 'Rename', '“Page.pdf”');
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

  it('has links that are created on its screen', async () => {
    const other = await upload(app(), makeZip(), 'Other.zip');
    await makeLink(app(), other.id, { name: 'Not of this one' });
    const { page, document } = await openReport('Shared.pdf', '/links');
    const links = page.getByRole('region', { name: 'Links' });
    await links.getByText('No links yet').waitFor();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share “Shared.pdf”' });
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
  });

  it('shows an error with the request ID if it does not exist', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(`${listOf(workspaceId())}/doc_0000000000000000000000`);
    const problem = page.getByRole('alert');
    await problem.getByText('The workspace has no such document.').waitFor();
    await problem.getByText('Request ID:').waitFor();
    await expectAccessible(page);
  });
});
