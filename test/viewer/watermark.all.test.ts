// A document with a watermark in the viewer.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { desktop, phone } from '../support/browser-pages.ts';
import { makeLockedPdf } from '../support/locked-pdf.ts';
import { makePdf } from '../support/pdf.ts';
import { makeReport } from '../support/report-pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import { makePng } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, share, openReader } = useViewer();
const marked = { watermark: true, email_required: true, allow_download: true };

async function open(bytes: Buffer, name: string, options = desktop) {
  const link = await share(bytes, name, marked);
  const reader = await read(options);
  await reader.page.goto(link.url);
  await reader.page.getByRole('textbox').fill('reader@example.com');
  await reader.page.keyboard.press('Enter');
  await reader.page.locator('#viewer').waitFor();
  return { ...reader, link };
}

itHoldsFor([
  ['desktop', desktop],
  ['phone', phone],
])('shows the address on each page', async (_, options) => {
  const { page, complaints, link } = await open(makeReport(), 'Report.pdf', options);
  const text = page.locator('.textLayer').first();
  await expect.poll(() => text.textContent()).toContain('reader@example.com · 20');
  expect(await text.textContent()).toContain(link.id);
  expect(await text.textContent()).toContain('Quarterly report');
  expect(complaints).toEqual([]);
});

it('has links to the addresses in the text, but not to the reader’s own', async () => {
  const report = makePdf({ pages: 1, text: 'jane@example.com' });
  const addressesOf = (page: Page) =>
    page.locator('.annotationLayer a').evaluateAll((all) => all.map((link) => String(link)));
  const { page, complaints, show } = await openReader();
  await show(report, 'Plain.pdf');
  await expect.poll(() => addressesOf(page)).toEqual(['mailto:jane@example.com']);
  expect(complaints).toEqual([]);

  // The links of the watermark would cover a large part of the page.
  const other = await open(report, 'Marked.pdf');
  await expect.poll(() => addressesOf(other.page)).toEqual(['mailto:jane@example.com']);
  expect(other.complaints).toEqual([]);
});

it('shows an image as a page', async () => {
  const { page, complaints } = await open(makePng(1200, 800), 'Plan.png');
  const text = page.locator('.textLayer').first();
  await expect.poll(() => text.textContent()).toContain('reader@example.com · 20');
  expect(complaints).toEqual([]);
});

it('says why it shows nothing', async () => {
  const locked = await open(makeLockedPdf('Terms', 'secret'), 'Terms.pdf');
  const alert = locked.page.getByRole('alert');
  await expect.poll(() => alert.textContent()).toContain('but this file can’t have one');
  const { page } = await open(Buffer.from('Notes'), 'Notes.txt');
  await expect.poll(() => page.locator('.notice').textContent()).toContain('Ask the sender');
  expect(await page.getByRole('link', { name: 'Download' }).count()).toBe(0);
});
