// The versions of a document: upload, drop, restore, download, deletion, and pinned links.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction, documentTab, openRowMenu } from '../support/console-menus.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { addViews } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { callSharingApi, makeLink, upload, uploadVersion } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

const pathOf = (id: string) => `/workspaces/${workspaceId()}/documents/${id}/versions`;

const versionOf = (page: Page, version: number) =>
  page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: `Version ${version}` });

const textFile = (name: string, text: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
});

describe('a document', () => {
  it('gets a new version with a button or a dropped file, and keeps its links', async () => {
    const { id } = await upload(app(), Buffer.from('first text'), 'Terms.txt');
    const link = await makeLink(app(), id, { name: 'For everyone' });
    const { page, open } = await visitAs(await member('member'));
    await open(pathOf(id));
    await versionOf(page, 1).getByText('Current').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload new version' }).click();
    await (await chooser).setFiles([textFile('terms v2.txt', 'second text')]);
    await page.getByText('New version, same links').waitFor();
    await versionOf(page, 2).getByText('Current').waitFor();
    expect(await versionOf(page, 1).getByText('Current').count()).toBe(0);
    await documentTab(page, 'Preview').click();
    await page.getByText('second text').waitFor();
    await documentTab(page, 'Versions').click();
    await versionOf(page, 2).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Terms.txt' }).waitFor();
    expect(await (await fetch(link.url)).status).toBe(200);
    const { body } = await callSharingApi(app(), 'GET', `/links/${link.id}`);
    expect(body).toMatchObject({ url: link.url });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear finished uploads' }).click();
    await page.getByText('New version, same links').waitFor({ state: 'detached' });

    const again = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload new version' }).click();
    await (await again).setFiles([textFile('terms v2.txt', 'second text')]);
    const hint = 'New version, same links. The file is identical to the previous version.';
    await page.getByText(hint).waitFor();

    // It also gets one from a dropped file, and only from one.
    const target = await upload(app(), Buffer.from('dropped on'), 'Dropped.txt');
    await open(pathOf(target.id));
    await versionOf(page, 1).waitFor();
    const drop = async (...texts: string[]) => {
      const dataTransfer = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        for (const text of ${JSON.stringify(texts)}) {
          transfer.items.add(new File([text], text + '.txt'));
        }
        return transfer;
      })()`);
      await page.dispatchEvent('h1', 'dragover', { dataTransfer });
      await page.getByText('Drop a file to upload a new version').waitFor();
      await page.dispatchEvent('h1', 'drop', { dataTransfer });
    };
    await drop('one', 'two');
    await page.getByText('A new version is one file.').first().waitFor();
    expect(await versionOf(page, 2).count()).toBe(0);
    await drop('three');
    await versionOf(page, 2).getByText('Current').waitFor();
    await page.getByText('New version, same links').waitFor();
    expect(await page.getByText('The type changed').count()).toBe(0);
    const last = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload new version' }).click();
    const pdf = makePdf({ pages: 1, text: 'four' });
    await (await last).setFiles([{ ...textFile('four.pdf', ''), buffer: pdf }]);
    await page.getByText('same links. The type changed from Text to PDF.').waitFor();
  });

  it('restores, downloads and deletes versions', async () => {
    const { id } = await upload(app(), Buffer.from('text of one'), 'Many.txt');
    await uploadVersion(app(), id, Buffer.from('text of two'), 'Many.txt');
    const { page, open } = await visitAs(await member('member'));
    await open(pathOf(id));
    const coming = page.waitForEvent('download');
    await chooseRowAction(page, 'Download', 'version 1');
    const chunks: Buffer[] = [];
    for await (const chunk of await (await coming).createReadStream()) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('text of one');
    const menu = await openRowMenu(page, 'version 2');
    expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual(['Download']);
    await page.keyboard.press('Escape');
    await chooseRowAction(page, 'Restore', 'version 1');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version 1 restored, same links').waitFor();
    await versionOf(page, 1).getByText('Current').waitFor();
    await chooseRowAction(page, 'Delete', 'version 2');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await versionOf(page, 2).waitFor({ state: 'detached' });
  });

  it('has links to one version', async () => {
    const { id } = await upload(app(), makePdf({ pages: 1, text: 'One' }), 'Pinned.pdf');
    await uploadVersion(app(), id, makePdf({ pages: 2, text: 'Two' }), 'Pinned.pdf');
    const link = await makeLink(app(), id, { name: 'Signed copy' });
    const { page, open } = await visitAs(await member('member'), phone);
    await open(`/workspaces/${workspaceId()}/links/${link.id}`);
    await page.getByText('Current', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('More options').click();
    const field = dialog.getByLabel('Version');
    await expect.poll(() => field.locator('option').count()).toBe(3);
    await field.selectOption('1');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Only version 1', { exact: true }).waitFor();
    const { body } = await callSharingApi(app(), 'GET', `/links/${link.id}`);
    expect(body).toMatchObject({ pinned_version: 1 });
    await open(pathOf(id));
    await versionOf(page, 2).waitFor();
    expect(await overhangOf(page)).toBe(0);
    await chooseRowAction(page, 'Download', 'version 2');
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
    await open(`/workspaces/${workspaceId()}/documents/${id}`);
    // Earlier versions may have readers, and later ones none.
    await page.getByRole('term').getByText('Readers, version 2').waitFor();
    await page.getByText('Version 2 has 0 views.').waitFor();
    expect(await overhangOf(page)).toBe(0);
  });

  it('shows the pages of the version that a reader read', async () => {
    const { id } = await upload(app(), makePdf({ pages: 3, text: 'One' }), 'Grown.pdf');
    const link = await makeLink(app(), id, { email_required: true });
    const email = 'early@example.com';
    await addViews(app(), link, [{ time: Date.now(), email, pages: { 1: 2_000, 2: 3_000 } }]);
    await uploadVersion(app(), id, makePdf({ pages: 9, text: 'Two' }), 'Grown.pdf');
    const { page, open } = await visitAs(await member('member'));
    await open(`/workspaces/${workspaceId()}/documents/${id}/readers`);
    await page.getByRole('button', { name: email }).click();
    const times = page.getByRole('region', { name: `Time per page of ${email}` });
    await times.waitFor();
    // The number of pages of an earlier version is not known.
    expect(await times.getByRole('listitem').count()).toBe(2);
  });
});
