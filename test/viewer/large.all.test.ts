// Large PDFs: the order in which their parts are loaded, and new versions.
import { Readable } from 'node:stream';
import type { Locator, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { type BigPdf, makeBigPdf } from '../support/big-pdf.ts';
import { inkOf } from '../support/browser-pages.ts';
import { makeDeck } from '../support/deck-pdf.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import { type DocumentFields, keyOf, makeLink, uploadVersion } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read, share } = useViewer();

async function uploadStreaming(pdf: BigPdf): Promise<DocumentFields> {
  const head =
    '--frontier\r\nContent-Disposition: form-data; name="file"; filename="big.pdf"\r\n\r\n';
  async function* form() {
    yield Buffer.from(head);
    yield* pdf.read();
    yield Buffer.from('\r\n--frontier--\r\n');
  }
  const response = await fetch(`${app().app.publicUrl}/api/v1/documents`, {
    method: 'POST',
    headers: { ...keyOf(app()), 'content-type': 'multipart/form-data; boundary=frontier' },
    body: Readable.toWeb(Readable.from(form())) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit);
  expect(response.status).toBe(201);
  return (await response.json()) as DocumentFields;
}

it('shows the first page of 100 MB after less than one percent of it', async () => {
  const pdf = makeBigPdf();
  const document = await uploadStreaming(pdf);
  const link = await makeLink(app(), document.id);
  const { page, complaints } = await read();
  let asked = 0;
  let unranged = 0;
  page.on('response', (response) => {
    if (!response.url().endsWith('/file')) return;
    if (response.status() !== 206) unranged++;
    asked += Number(response.headers()['content-length']);
  });
  // The next page, an image of 4 MB, is drawn ahead, so its pieces wait until the count is done.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/file', async (route) => {
    const [, begin, end] = /bytes=(\d+)-(\d+)/.exec(route.request().headers().range ?? '') ?? [];
    if (Number(end) - Number(begin) > 200_000) await held;
    await route.continue();
  });

  await page.goto(link.url);

  const text = page.locator('#viewer .page').first().locator('.textLayer');
  await expect.poll(() => text.textContent()).toBe(pdf.text);
  expect(document.size_bytes).toBe(pdf.bytes);
  expect(pdf.bytes).toBeGreaterThan(96_000_000);
  expect(await inkOf(page)).toBeGreaterThan(0.0005);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(pdf.bytes * 0.01);
  expect(unranged).toBe(0);
  release();
  await page.getByLabel(/^Page \(of/).fill('25');
  await page.keyboard.press('Enter');
  await page.locator('#viewer .page').nth(24).locator('canvas').waitFor();
  expect(asked).toBeLessThan(pdf.bytes * 0.25);
  expect(complaints).toEqual([]);
});

const deck = makeDeck({ pages: 6, picture: { width: 1000, height: 520 } });

/** The page whose picture contains this byte. */
function pageAt(begin: number): number {
  let page = 0;
  while (deck.indexOf(`Slide ${page + 1}`) !== -1 && deck.indexOf(`Slide ${page + 1}`) <= begin) {
    page++;
  }
  return page;
}

it('the visible page loads alone, and a page to which the reader jumps overtakes it', async () => {
  const link = await share(deck, 'deck.pdf');
  const { page, complaints } = await read();
  const held: { page: number; route: Route }[] = [];
  let isHolding = true;
  await page.route('**/file', async (route) => {
    const [, begin, end] = /bytes=(\d+)-(\d+)/.exec(route.request().headers().range ?? '') ?? [];
    // The pieces of the pictures; the ends of the file and the page tree are shorter.
    const isPicture = Number(end) - Number(begin) > 140_000;
    if (isPicture && isHolding) held.push({ page: pageAt(Number(begin)), route });
    else await route.continue();
  });
  const heldPages = () => held.map((one) => one.page);

  await page.goto(link.url);
  await expect.poll(heldPages).toEqual([1, 1]);

  await page.getByLabel('Page (of 6)').fill('4');
  await page.keyboard.press('Enter');
  await expect.poll(heldPages).toEqual([1, 1, 4, 4]);
  isHolding = false;
  for (const { route } of held) await route.continue();

  const text = page.locator('.scroller .textLayer').first();
  await expect.poll(() => text.textContent()).toBe('Slide 4');
  expect(complaints).toEqual([]);
});

/** Larger than the part that is fetched for the first pages. */
const old = makePdf({ pages: 13, text: 'Old terms', pageBytes: 300_000 });

itHoldsFor(['asks', 'reads on'])('offers the new version', async (how) => {
  const link = await share(old, 'terms.pdf');
  const { page } = await read();
  await page.goto(link.url);
  const text = (number: number) =>
    page
      .locator('#viewer .page')
      .nth(number - 1)
      .locator('.textLayer')
      .textContent();
  await expect.poll(() => text(1)).toBe('Old terms, page 1');

  await uploadVersion(app(), link.document_id, makePdf({ pages: 2, text: 'New terms' }), 'new.pdf');
  if (how === 'asks') {
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  } else {
    await page.getByLabel(/^Page \(of/).fill('9');
    await page.keyboard.press('Enter');
  }

  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('A newer version is available');
  await page.setViewportSize({ width: 390, height: 844 });
  const bar = page.locator('.notice.bar');
  const widthOf = async (part: Locator) => (await part.boundingBox())?.width ?? 0;
  await expect
    .poll(async () => (await widthOf(bar.locator('p'))) / (await widthOf(bar)))
    .toBeGreaterThan(0.8);
  expect(await page.locator('#viewer canvas').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Show new version' }).click();
  await expect.poll(() => text(1)).toBe('New terms, page 1');
});
