import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inkOf, overhangOf } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import {
  changeColorScheme,
  expectAccessible,
  expectContrast,
  useConsole,
} from '../support/console-suite.ts';
import { makeLockedPdf } from '../support/locked-pdf.ts';
import { makeWav, recordWebm } from '../support/media-files.ts';
import { makePdf } from '../support/pdf.ts';
import { makeReport } from '../support/report-pdf.ts';
import { callSharingApi, makePng, makeZip, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visit, visitAs, member } = useConsole();

/** A member of the workspace, and a function that uploads a document and opens its preview. */
async function openPreviews() {
  const visit = await visitAs(await member('member'));
  async function show(bytes: Buffer, name: string): Promise<string> {
    const { id } = await upload(app(), bytes, name);
    await visit.open(`/workspaces/${workspaceId()}/documents/${id}/preview`);
    await visit.page.getByRole('heading', { level: 1, name }).waitFor();
    return id;
  }
  return { ...visit, show };
}

/** The number of bytes in a `Range` header. */
function sizeOf(range: string): number {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  return Number(last) - Number(first) + 1;
}

const pageOf = (page: Page, label: string) => page.getByRole('group', { name: label, exact: true });

/** Checks the page in both color schemes. */
async function lookAt(page: Page) {
  await expectAccessible(page);
  await changeColorScheme(page, 'dark');
  await expectContrast(page);
  await changeColorScheme(page, 'light');
}

it('a PDF is shown with scrolling and zoom, also on a phone', async () => {
  const { page, show } = await openPreviews();
  await show(makeReport(), 'Report.pdf');

  const first = pageOf(page, 'Page 1 of 4');
  await first.getByText('Quarterly report', { exact: true }).first().waitFor();
  await expect.poll(() => inkOf(page, '[aria-label="Page 1 of 4"]')).toBeGreaterThan(0.01);
  await page.getByText('Page 1 of 4', { exact: true }).waitFor();
  await lookAt(page);

  const width = async () => (await first.boundingBox())?.width ?? 0;
  const before = await width();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(width).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.getByRole('region', { name: 'Pages of the document' }).focus();
  await page.keyboard.press('End');
  await page.getByText('Page 4 of 4', { exact: true }).waitFor();
  await pageOf(page, 'Page 4 of 4').getByText('Cash', { exact: true }).first().waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await first.getByText('Quarterly report', { exact: true }).first().waitFor();
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await first.scrollIntoViewIfNeeded();
});

it('only the visible parts of a large PDF are fetched, and errors can be repeated', async () => {
  const bytes = makePdf({ pages: 13, text: 'Long terms', pageBytes: 300_000 });
  const { page, show, requests } = await openPreviews();
  const ranges: string[] = [];
  page.on('request', (request) => {
    const { range = 'the whole file' } = request.headers();
    if (new URL(request.url()).pathname.endsWith('/file')) ranges.push(range);
  });
  await show(bytes, 'Long.pdf');

  await pageOf(page, 'Page 1 of 13').getByText('Long terms, page 1').waitFor();
  expect(ranges.length).toBeGreaterThan(1);

  await chooseRowAction(page, 'Rename', '“Long.pdf”');
  await page.getByRole('textbox', { name: 'Name' }).fill('Longer.pdf');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { level: 1, name: 'Longer.pdf' }).waitFor();
  await pageOf(page, 'Page 1 of 13').getByText('Long terms, page 1').waitFor();
  // Not the End key, because its smooth scrolling passes all pages.
  const pages = page.getByRole('region', { name: 'Pages of the document' });
  await pages.evaluate((region) => region.scrollTo({ top: region.scrollHeight }));
  await pageOf(page, 'Page 13 of 13').getByText('Long terms, page 13').waitFor();
  // A new viewer would fetch the first parts again.
  expect(ranges).toEqual([...new Set(ranges)]);
  expect(ranges.map(sizeOf).reduce((sum, size) => sum + size)).toBeLessThan(bytes.length);

  // The service reports an error.
  await show(bytes, 'Lost.pdf');
  await pageOf(page, 'Page 1 of 13').getByText('Long terms, page 1').waitFor();
  const problem = { detail: 'It is too busy.', code: 'unavailable', request_id: 'request-7' };
  await page.route('**/file?*', (route) => route.fulfill({ status: 503, json: problem }));
  await pages.focus();
  await page.keyboard.press('End');
  const alert = page.getByRole('alert');
  await alert.getByText('It is too busy.').waitFor();
  await alert.getByText('request-7').waitFor();
  await expectAccessible(page);

  await page.unroute('**/file?*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  await pageOf(page, 'Page 1 of 13').getByText('Long terms, page 1').waitFor();

  // A proxy ignores the range.
  const files = '**/file?*';
  await page.route(files, async (route) => {
    const { range: _, ...headers } = route.request().headers();
    await route.continue({ headers });
  });
  await show(bytes, 'Whole.pdf');
  const text = 'A proxy didn’t return the requested part of the file';
  await page.getByRole('alert').getByText(text).waitFor();
  expect(await page.getByText('the file is damaged').count()).toBe(0);
  await page.unroute(files);

  // A rejected token is renewed.
  const renewals = () => requests.filter((one) => one.endsWith('/RefreshSession')).length;
  const before = renewals();
  let isOld = true;
  await page.route(files, (route) => {
    const { authorization = '' } = route.request().headers();
    const headers = { authorization: isOld ? `${authorization}x` : authorization };
    isOld = false;
    return route.continue({ headers });
  });
  await show(makeReport(), 'Renewed.pdf');
  await pageOf(page, 'Page 1 of 4').getByText('Summary').waitFor();
  // The first one is that of the loaded page.
  expect(renewals() - before).toBe(2);
});

it('a damaged or deleted file is reported, and other types are not opened', async () => {
  const webm = await recordWebm((await visit()).page);
  const { page, show, requests, complaints } = await openPreviews();
  const damaged = page.getByText('The preview isn’t available because the file is damaged.');
  await show(Buffer.from('%PDF-1.7\nnothing'), 'Torn.pdf');
  await damaged.waitFor();
  // The error of pdf.js.
  await expect.poll(() => complaints).toHaveLength(1);
  complaints.splice(0);

  const bytes = makePng(320, 200);
  // An image with a width of zero.
  bytes.writeUInt32BE(0, 16);
  await show(bytes, 'Torn.png');
  await damaged.waitFor();
  await show(webm.fill(0, 60), 'Torn.webm');
  await damaged.waitFor();

  // An image that can contain scripts.
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  await show(Buffer.from(svg), 'Logo.svg');
  await page.getByText('Open a link to see it.').waitFor();

  const before = requests.length;
  await show(makeZip(), 'Files.zip');
  await page.getByText('No preview for this file type.').waitFor();
  await lookAt(page);
  expect(requests.slice(before).filter((one) => one.endsWith('/file'))).toEqual([]);

  // An image that was deleted meanwhile.
  const { id } = await upload(app(), makePng(320, 200), 'Short-lived.png');
  await page.route('**/file?*', async (route) => {
    await callSharingApi(app(), 'DELETE', `/documents/${id}`);
    await route.continue();
  });
  await page.goto(
    `${app().app.publicUrl}/console/workspaces/${workspaceId()}/documents/${id}/preview`,
  );
  await page.getByRole('alert').getByText('The workspace has no such document').waitFor();
  await page.getByRole('alert').getByText('Request ID:').waitFor();
});

it('a preview asks for the password of an encrypted file', async () => {
  const bytes = makeLockedPdf('The locked terms', 'open sesame');
  const { page, show } = await openPreviews();
  await show(bytes, 'Locked.pdf');
  const field = page.getByRole('textbox', { name: 'PDF password' });
  await field.waitFor();
  await lookAt(page);
  await field.fill('a wrong one');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('Wrong password.').waitFor();
  await field.fill('open sesame');
  await page.getByRole('button', { name: 'Open' }).click();
  await pageOf(page, 'Page 1 of 1').getByText('The locked terms').waitFor();
});

it('an image is shown, and its memory is released', async () => {
  const { page, show, complaints } = await openPreviews();
  await show(makePng(320, 200), 'Picture.png');

  const image = page.getByRole('img', { name: 'Picture.png' });
  await image.waitFor();
  const address = await image.getAttribute('src');
  expect(address).toMatch(/^blob:/);
  const width = () => page.evaluate("document.querySelector('main img').naturalWidth");
  await expect.poll(width).toBe(320);
  await lookAt(page);
  await page.getByRole('main').getByRole('link', { name: 'Documents' }).click();
  await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
  const isThere = `new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = ${JSON.stringify(address)};
  })`;
  await expect.poll(() => page.evaluate(isThere)).toBe(false);
  await expect.poll(() => complaints.join()).toMatch(/^Failed to load resource/);
  complaints.splice(0);
});

it('texts, tables, recordings and videos are shown', async () => {
  const webm = await recordWebm((await visit()).page);
  const { page, show } = await openPreviews();
  const content = page.getByRole('region', { name: 'Content of the document' });
  for (const [name, text, role, shown] of [
    ['Notes.md', '# Notes\n\nThe <b onclick="x()">first</b> one.\n', 'heading', 'Notes'],
    ['Rates.csv', 'city,rate\nOslo,12\n', 'cell', 'Oslo'],
  ] as const) {
    await show(Buffer.from(text), name);
    await content.getByRole(role, { name: shown }).waitFor();
    expect(await content.locator('[onclick]').count()).toBe(0);
    await lookAt(page);
  }

  // The beginning of a long text.
  const bytes = Buffer.from('One line of the log.\n'.repeat(20_000));
  await show(bytes, 'Service.log');
  await page.getByText('You see the first 256 kB of 420 kB.').waitFor();
  await page.getByText('One line of the log.').first().waitFor();
  await lookAt(page);

  await show(makeWav(1), 'Tone.wav');
  await page.locator('audio').waitFor();
  const length = () => page.evaluate<number>("document.querySelector('audio').duration");
  await expect.poll(length).toBeCloseTo(1);
  await lookAt(page);

  await show(webm, 'Tour.webm');
  const video = page.getByLabel('Tour.webm', { exact: true });
  await expect.poll(() => video.getAttribute('src')).toMatch(/^blob:/);
  const player = (expression: string) =>
    page.evaluate<number>(`(() => {
      const player = document.querySelector('main video');
      return ${expression};
    })()`);
  await expect.poll(() => player('player.videoWidth')).toBe(320);
  await player('(player.muted = true, void player.play(), 0)');
  await expect.poll(() => player('player.currentTime')).toBeGreaterThan(0);
  await lookAt(page);
});
