// Printing: the browser's print dialog is replaced by a PDF of the printed sheets.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { makePdf } from '../support/pdf.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, share } = useViewer();
const pdf = makePdf({ pages: 12, text: 'The terms' });

async function open(options: object) {
  const link = await share(pdf, 'terms.pdf', options);
  const reader = await read();
  await reader.page.addInitScript('window.print = () => { window.hasPrinted = true; }');
  await reader.page.goto(link.url);
  await reader.page.locator('.textLayer').first().waitFor();
  return reader;
}

/** The sizes of the sheets that the browser prints, and the number of pictures on them. */
async function printed(page: Page) {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
  return {
    sizes: sizes.map(([, width, height]) =>
      [width, height].map(Number).map(Math.round).join(' x '),
    ),
    pictures: pdf.match(/\/Subtype \/Image/g)?.length ?? 0,
  };
}

it('prints every page', async () => {
  const { page, complaints } = await open({ allow_download: true });

  await page.keyboard.press('Control+p');
  await expect.poll(() => page.evaluate('window.hasPrinted')).toBe(true);

  const { sizes, pictures } = await printed(page);
  expect(sizes).toEqual(Array(12).fill('595 x 842'));
  expect(pictures).toBe(12);
  await expect.poll(() => page.locator('.sheets').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('shows the progress, and can be cancelled', async () => {
  const { page } = await open({ allow_download: true });
  // The first page is never drawn.
  await page.evaluate('HTMLCanvasElement.prototype.toBlob = () => {}');

  await page.getByRole('button', { name: 'Print' }).click();
  const progress = page.getByRole('status').filter({ hasText: 'Preparing to print' });
  await expect.poll(() => progress.textContent()).toContain('Page 1 of 12');
  await page.getByRole('button', { name: 'Cancel' }).click();

  await expect.poll(() => progress.count()).toBe(0);
  expect(await page.evaluate('window.hasPrinted')).toBe(undefined);
});

it('prints a note in place of blank sheets with the command of the browser', async () => {
  const { page } = await open({ allow_download: true });

  expect((await printed(page)).sizes).toHaveLength(1);

  await page.emulateMedia({ media: 'print' });
  await page.getByText('To print this document, use Print in the viewer.').waitFor();
  expect(await page.locator('.scroller').isVisible()).toBe(false);
});

it('is refused if the sender does not allow downloads', async () => {
  const { page } = await open({});
  expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0);

  await page.keyboard.press('Control+p');

  const refused = 'The sender doesn’t allow printing this document.';
  await page.getByRole('status').filter({ hasText: refused }).waitFor();
  expect(await page.evaluate('window.hasPrinted')).toBe(undefined);
  expect((await printed(page)).sizes).toHaveLength(1);
  await page.emulateMedia({ media: 'print' });
  await page.getByRole('paragraph').filter({ hasText: refused }).waitFor();
  expect(await page.locator('.scroller').isVisible()).toBe(false);
});
