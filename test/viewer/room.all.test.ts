// Reading a room in a browser: its tree, the documents one after the other, and a lost document.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { desktop, overhangOf, phone } from '../support/browser-pages.ts';
import { addDocument, makeFolder, makeRoom, uploadInto } from '../support/folder-calls.ts';
import { makeReport } from '../support/report-pdf.ts';
import { callSharingApi } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read } = useViewer();
let rooms = 0;

async function room() {
  const root = await makeFolder(app(), `Series B ${++rooms}`);
  const contracts = await makeFolder(app(), 'Contracts with customers', root.id);
  await makeFolder(app(), 'Team', root.id);
  await uploadInto(app(), contracts.id, { name: 'Annual report.pdf', bytes: makeReport() });
  const notes = await addDocument(app(), contracts.id, 'Notes.md', '# Notes\n\nRead *this*.');
  await addDocument(app(), root.id, 'Overview of a very long name that does not fit.txt', 'Hello');
  return { link: await makeRoom(app(), root.id, { allow_download: true }), notes };
}

const crumbs = (page: Page) => page.locator('.trail li').allTextContents();

const barHeight = async (page: Page) => (await page.locator('.top').boundingBox())?.height;

const readings: [string, BrowserContextOptions][] = [
  ['a desktop', desktop],
  ['a phone', phone],
];

for (const [device, options] of readings) {
  it(`on ${device} leads from folder to folder and from document to document`, async () => {
    const { link, notes } = await room();
    const { page, complaints } = await read(options);
    await page.goto(link.url);
    await page.locator('.entries a').first().waitFor();
    expect(await overhangOf(page)).toBe(0);
    const height = await barHeight(page);

    await page.locator('.entries').getByText('Contracts with customers').click();
    await expect.poll(() => crumbs(page)).toEqual([`Series B ${rooms}`]);
    await page.locator('.entries').getByText('Annual report.pdf').click();
    await page.locator('#viewer .canvasWrapper canvas').first().waitFor();
    expect(await overhangOf(page)).toBe(0);
    expect(await barHeight(page)).toBe(height);
    expect(await page.locator('.tree').isVisible()).toBe(options === desktop);

    await page.getByRole('link', { name: 'Next', exact: true }).click();
    await page.locator('#viewer').getByRole('heading', { name: 'Notes' }).waitFor();
    expect(await crumbs(page)).toEqual([`Series B ${rooms}`, 'Contracts with customers']);
    expect(complaints).toEqual([]);

    // The page reports its reading, and learns that the document is hidden.
    const entry_rules = [{ document_id: notes.id, hidden: true }];
    await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { entry_rules });
    await page.reload();
    await page.getByRole('link', { name: 'Open the folder' }).click();
    await page.getByRole('searchbox').fill('report');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('.entries').getByText('Annual report.pdf').waitFor();
    expect(await page.locator('.entries li').count()).toBe(1);
  });
}
