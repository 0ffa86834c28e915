import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inkOf, overhangOf, phone, takePicture } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import {
  type ConsoleVisit,
  changeColorScheme,
  expectAccessible,
  useConsole,
} from '../support/console-suite.ts';
import { makeLockedPdf } from '../support/locked-pdf.ts';
import { makeWav, recordWebm } from '../support/media-files.ts';
import { makePdf } from '../support/pdf.ts';
import { makeReport } from '../support/report-pdf.ts';
import { callSharingApi, makePng, makeZip, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visit, visitAs, member } = useConsole();

type Settings = Parameters<typeof visitAs>[1];

async function openDocument(bytes: Buffer, name: string, settings?: Settings) {
  const { id } = await upload(app(), bytes, name);
  const visit = await visitAs(await member('member'), settings);
  await visit.open(`/workspaces/${workspaceId()}/documents/${id}/preview`);
  return { ...visit, id };
}

/** The number of bytes in a `Range` header. */
function sizeOf(range: string): number {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  return Number(last) - Number(first) + 1;
}

const pageOf = (page: Page, label: string) => page.getByRole('group', { name: label, exact: true });

async function lookAt({ page }: Pick<ConsoleVisit, 'page'>, name: string) {
  await expectAccessible(page);
  await takePicture(page, name);
  await changeColorScheme(page, 'dark');
  await expectAccessible(page);
  await takePicture(page, `${name}-dark`);
}

describe('the preview of a PDF', () => {
  it('shows its pages with scrolling and zoom', async () => {
    const { page } = await openDocument(makeReport(), 'Report.pdf');
    const first = pageOf(page, 'Page 1 of 4');
    await first.getByText('Quarterly report', { exact: true }).first().waitFor();
    await expect.poll(() => inkOf(page, '[aria-label="Page 1 of 4"]')).toBeGreaterThan(0.01);
    await page.getByText('Page 1 of 4', { exact: true }).waitFor();
    await lookAt({ page }, 'preview-pdf');

    const width = async () => (await first.boundingBox())?.width ?? 0;
    const before = await width();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(width).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.getByRole('region', { name: 'Pages of the document' }).focus();
    await page.keyboard.press('End');
    await page.getByText('Page 4 of 4', { exact: true }).waitFor();
    await pageOf(page, 'Page 4 of 4').getByText('Cash', { exact: true }).first().waitFor();
  });

  it('fetches only the visible parts of a large file and survives a rename', async () => {
    const bytes = makePdf({ pages: 13, text: 'Long terms', pageBytes: 300_000 });
    const { id } = await upload(app(), bytes, 'Long.pdf');
    const { page, open } = await visitAs(await member('member'));
    const ranges: string[] = [];
    page.on('request', (request) => {
      const { range = 'the whole file' } = request.headers();
      if (new URL(request.url()).pathname.endsWith('/file')) ranges.push(range);
    });
    await open(`/workspaces/${workspaceId()}/documents/${id}/preview`);
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
  });

  it('shows an error of the service and retries', async () => {
    const bytes = makePdf({ pages: 13, text: 'Long terms', pageBytes: 300_000 });
    const { page } = await openDocument(bytes, 'Lost.pdf');
    await pageOf(page, 'Page 1 of 13').getByText('Long terms, page 1').waitFor();
    const problem = { detail: 'It is too busy.', code: 'unavailable', request_id: 'request-7' };
    await page.route('**/file?*', (route) => route.fulfill({ status: 503, json: problem }));
    await page.getByRole('region', { name: 'Pages of the document' }).focus();
    await page.keyboard.press('End');
    const alert = page.getByRole('alert');
    await alert.getByText('It is too busy.').waitFor();
    await alert.getByText('request-7').waitFor();
    await expectAccessible(page);

    await page.unroute('**/file?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await pageOf(page, 'Page 1 of 13').getByText('Long terms, page 1').waitFor();
  });

  it('rejects a response with the wrong range', async () => {
    const bytes = makePdf({ pages: 13, text: 'Long terms', pageBytes: 300_000 });
    const { id } = await upload(app(), bytes, 'Whole.pdf');
    const { page, open } = await visitAs(await member('member'));
    await page.route('**/file?*', async (route) => {
      const { range: _, ...headers } = route.request().headers();
      await route.continue({ headers });
    });
    await open(`/workspaces/${workspaceId()}/documents/${id}/preview`);
    const text = 'A proxy didn’t return the requested part of the file';
    await page.getByRole('alert').getByText(text).waitFor();
    expect(await page.getByText('the file is damaged').count()).toBe(0);
  });

  it('renews a rejected token', async () => {
    const bytes = makeReport();
    const { id } = await upload(app(), bytes, 'Renewed.pdf');
    const { page, open, requests } = await visitAs(await member('member'));
    let isOld = true;
    await page.route('**/file?*', (route) => {
      const { authorization = '' } = route.request().headers();
      const headers = { authorization: isOld ? `${authorization}x` : authorization };
      isOld = false;
      return route.continue({ headers });
    });
    await open(`/workspaces/${workspaceId()}/documents/${id}/preview`);
    await pageOf(page, 'Page 1 of 4').getByText('Summary').waitFor();
    expect(requests.filter((one) => one.endsWith('/RefreshSession'))).toHaveLength(2);
  });

  it('asks for the password of an encrypted file', async () => {
    const bytes = makeLockedPdf('The locked terms', 'open sesame');
    const { page } = await openDocument(bytes, 'Locked.pdf');
    const field = page.getByRole('textbox', { name: 'PDF password' });
    await field.waitFor();
    await lookAt({ page }, 'preview-locked');
    await field.fill('a wrong one');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Wrong password.').waitFor();
    await field.fill('open sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    await pageOf(page, 'Page 1 of 1').getByText('The locked terms').waitFor();
  });

  it('reports a damaged file', async () => {
    const { page, complaints } = await openDocument(Buffer.from('%PDF-1.7\nnothing'), 'Torn.pdf');
    await page.getByText('The preview isn’t available because the file is damaged.').waitFor();
    // The error of pdf.js.
    await expect.poll(() => complaints).toHaveLength(1);
    complaints.splice(0);
  });

  it('fits on a phone', async () => {
    const { page } = await openDocument(makeReport(), 'Phone.pdf', phone);
    const shown = pageOf(page, 'Page 1 of 4');
    await shown.getByText('Quarterly report', { exact: true }).first().waitFor();
    expect(await overhangOf(page)).toBe(0);
    await lookAt({ page }, 'preview-phone');
    await shown.scrollIntoViewIfNeeded();
    await takePicture(page, 'preview-phone-pages');
  });
});

describe('the preview of another file', () => {
  it('shows an image and releases its memory', async () => {
    const { page, complaints } = await openDocument(makePng(320, 200), 'Picture.png');
    const image = page.getByRole('img', { name: 'Picture.png' });
    await image.waitFor();
    const address = await image.getAttribute('src');
    expect(address).toMatch(/^blob:/);
    const width = () => page.evaluate("document.querySelector('main img').naturalWidth");
    await expect.poll(width).toBe(320);
    await lookAt({ page }, 'preview-picture');
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

  it('reports a damaged image', async () => {
    const bytes = makePng(320, 200);
    // An image with a width of zero.
    bytes.writeUInt32BE(0, 16);
    const { page } = await openDocument(bytes, 'Torn.png');
    await page.getByText('The preview isn’t available because the file is damaged.').waitFor();
  });

  it('reports an image that was deleted meanwhile', async () => {
    const { id } = await upload(app(), makePng(320, 200), 'Short-lived.png');
    const { page, open } = await visitAs(await member('member'));
    await page.route('**/file?*', async (route) => {
      await callSharingApi(app(), 'DELETE', `/documents/${id}`);
      await route.continue();
    });
    await open(`/workspaces/${workspaceId()}/documents/${id}/preview`);
    await page.getByRole('alert').getByText('The workspace has no such document').waitFor();
    await page.getByRole('alert').getByText('Request ID:').waitFor();
  });

  it.each([
    ['Notes.md', '# Notes\n\nThe <b onclick="x()">first</b> one.\n', 'heading', 'Notes'],
    ['Rates.csv', 'city,rate\nOslo,12\n', 'cell', 'Oslo'],
  ] as const)('shows %s formatted', async (name, text, role, shown) => {
    const { page } = await openDocument(Buffer.from(text), name);
    const content = page.getByRole('region', { name: 'Content of the document' });
    await content.getByRole(role, { name: shown }).waitFor();
    expect(await content.locator('[onclick]').count()).toBe(0);
    await lookAt({ page }, `preview-${name}`);
  });

  it('shows the beginning of a long text, and how much it is', async () => {
    const bytes = Buffer.from('One line of the log.\n'.repeat(20_000));
    const { page } = await openDocument(bytes, 'Service.log');
    await page.getByText('You see the first 256 kB of 420 kB.').waitFor();
    await page.getByText('One line of the log.').first().waitFor();
    await lookAt({ page }, 'preview-text');
  });

  it('plays a recording', async () => {
    const { page } = await openDocument(makeWav(1), 'Tone.wav');
    await page.locator('audio').waitFor();
    const length = () => page.evaluate<number>("document.querySelector('audio').duration");
    await expect.poll(length).toBeCloseTo(1);
    await lookAt({ page }, 'preview-audio');
  });

  it('plays a video', async () => {
    const webm = await recordWebm((await visit()).page);
    const { page } = await openDocument(webm, 'Tour.webm');
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
    await lookAt({ page }, 'preview-video');
  });

  it('reports a damaged video', async () => {
    const webm = await recordWebm((await visit()).page);
    const { page } = await openDocument(webm.fill(0, 60), 'Torn.webm');
    await page.getByText('The preview isn’t available because the file is damaged.').waitFor();
  });

  it('never opens an image that can contain scripts', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const { page } = await openDocument(Buffer.from(svg), 'Logo.svg');
    await page.getByText('Open a link to see it.').waitFor();
  });

  it('is not available for other types and sends no request', async () => {
    const { page, requests } = await openDocument(makeZip(), 'Files.zip');
    await page.getByText('No preview for this file type.').waitFor();
    await lookAt({ page }, 'preview-none');
    expect(requests.filter((one) => one.endsWith('/file'))).toEqual([]);
  });
});
