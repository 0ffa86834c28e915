import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { phone } from '../support/browser-pages.ts';
import { makeDeck } from '../support/deck-pdf.ts';
import { type ViewFields, viewsOf } from '../support/link-views.ts';
import { makeWav } from '../support/media-files.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import { type LinkFields, makePng, makeZip } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

// The times in these tests differ by far more than the delays of a slow machine.
const minutes = 60_000;
const slackMs = 1 * minutes;

/** How far the clocks of the server and the browser are ahead of the machine's clock. */
let aheadMs = 0;
const viewer = useViewer({ now: () => Date.now() + aheadMs });
const { app, share } = viewer;

/** A reader whose browser clock can be advanced. */
async function read(link: LinkFields, options?: BrowserContextOptions) {
  const { page, requests, complaints } = await viewer.read(options);
  await page.clock.install({ time: Date.now() + aheadMs });
  await page.goto(link.url);
  const wait = async (milliseconds: number) => {
    aheadMs += milliseconds;
    await page.clock.fastForward(milliseconds);
  };
  const reports = () => requests.filter((request) => request.endsWith('/view')).length;
  return { page, wait, reports, complaints };
}

/** Simulates a hidden tab, which a headless browser never has. */
async function setHidden(page: Page, hidden: boolean): Promise<void> {
  const state = hidden ? 'hidden' : 'visible';
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  })()`);
}

/** The only view of a link, after all pending writes. */
async function viewOf(link: LinkFields): Promise<ViewFields> {
  await app().app.inside.views.flush();
  const [view, ...others] = await viewsOf(app(), link);
  expect(others).toEqual([]);
  if (view === undefined) throw new Error('the link has no views');
  return view;
}

const durationOf = async (link: LinkFields) => (await viewOf(link)).duration_ms;
const timeOn = ({ pages }: ViewFields, number: number) =>
  pages.find(({ page }) => page === number)?.duration_ms ?? 0;

const firstText = (page: Page) => page.locator('#viewer .page').first().locator('.textLayer');

/** Waits until the page measures the time, and the service knows the view. */
async function expectBegun(link: LinkFields): Promise<void> {
  await expect.poll(async () => (await viewsOf(app(), link)).length).toBe(1);
}

it('a view counts the time of each page, but not while the tab is hidden', async () => {
  const pdf = makePdf({ pages: 3, text: 'The terms' });
  const link = await share(pdf, 'terms.pdf', { email_required: true });
  const { page, wait, reports, complaints } = await read(link);
  await page.getByLabel('Email address').fill('reader@example.com');
  await page.keyboard.press('Enter');
  await firstText(page).waitFor();
  await expectBegun(link);

  await wait(1.5 * minutes);
  await page.evaluate("document.querySelectorAll('#viewer .page')[1].scrollIntoView()");
  await expect.poll(() => page.getByLabel('Page (of 3)').inputValue()).toBe('2');
  await wait(20_000);
  await expect.poll(async () => timeOn(await viewOf(link), 2)).toBeGreaterThanOrEqual(20_000);
  const before = reports();
  await wait(1_000);
  await setHidden(page, true);
  await expect.poll(reports).toBeGreaterThan(before);

  const sent = reports();
  const read1 = await viewOf(link);
  expect(read1.email).toBe('reader@example.com');
  expect(read1.pages.map((one) => one.page)).toEqual([1, 2]);
  expect(timeOn(read1, 1)).toBeGreaterThanOrEqual(1.5 * minutes);
  expect(read1.duration_ms).toBe(timeOn(read1, 1) + timeOn(read1, 2));

  await wait(30 * minutes);
  expect(reports()).toBe(sent);
  await setHidden(page, false);
  await wait(5_000);
  await setHidden(page, true);
  await expect.poll(() => durationOf(link)).toBeGreaterThanOrEqual(read1.duration_ms + 5_000);

  const read2 = await viewOf(link);
  expect(read2.duration_ms - read1.duration_ms).toBeLessThan(slackMs);
  expect(timeOn(read2, 1)).toBeLessThan(timeOn(read1, 1) + slackMs);
  expect(timeOn(read2, 3)).toBe(0);
  expect(complaints).toEqual([]);
});

it('a view of a presentation on a phone counts the slide that is shown', async () => {
  const link = await share(makeDeck({ pages: 3 }), 'deck.pdf');
  const { page, wait } = await read(link, phone);
  await firstText(page).waitFor();
  await expectBegun(link);

  await wait(20_000);
  await expect.poll(async () => (await viewOf(link)).duration_ms).toBeGreaterThanOrEqual(20_000);

  expect((await viewOf(link)).pages.map((one) => one.page)).toEqual([1]);
});

it('a view continues after a reload and ends when the tab closes', async () => {
  const link = await share(makePdf({ pages: 1, text: 'The terms' }), 'terms.pdf');
  const { page, wait, complaints } = await read(link);
  await firstText(page).waitFor();
  await expectBegun(link);
  await wait(1 * minutes);
  await page.reload();
  await expect.poll(() => durationOf(link)).toBeGreaterThanOrEqual(1 * minutes);
  await firstText(page).waitFor();
  await wait(1 * minutes);

  await page.goto('about:blank');

  await expect.poll(() => durationOf(link)).toBeGreaterThanOrEqual(2 * minutes);
  await wait(10 * minutes);
  const view = await viewOf(link);
  expect(view.duration_ms).toBeLessThan(2 * minutes + slackMs);
  expect(view.pages).toEqual([{ page: 1, duration_ms: view.duration_ms }]);
  expect(complaints).toEqual([]);
});

it('a view does not count idle time', async () => {
  const link = await share(makePdf({ pages: 1, text: 'The terms' }), 'terms.pdf');
  const { page, wait } = await read(link);
  await firstText(page).waitFor();
  await expectBegun(link);
  await wait(60 * minutes);
  await expect.poll(() => durationOf(link)).toBeGreaterThanOrEqual(2 * minutes);

  await page.mouse.move(200, 200);
  await wait(1 * minutes);

  await expect.poll(() => durationOf(link)).toBeGreaterThanOrEqual(3 * minutes);
  expect(await durationOf(link)).toBeLessThan(3 * minutes + slackMs);
});

itHoldsFor([
  ['a picture, which is one page', makePng(320, 200), 'picture.png', [1]],
  ['a text, which is one page', Buffer.from('The terms\n'), 'terms.txt', [1]],
  ['a file that is not shown, and so without pages', makeZip(), 'files.zip', []],
])('a view shows how long another type was open', async (_what, bytes, filename, pages) => {
  const link = await share(bytes, filename);
  const { wait, complaints } = await read(link);
  await expectBegun(link);
  await wait(1 * minutes);

  await expect.poll(() => durationOf(link)).toBeGreaterThanOrEqual(1 * minutes);

  const view = await viewOf(link);
  expect(view.pages.map((one) => one.page)).toEqual(pages);
  expect(complaints).toEqual([]);
});

it('a view counts a recording that plays without input', async () => {
  const link = await share(makeWav(3_000), 'tone.wav');
  const { page, wait, complaints } = await read(link);
  await expectBegun(link);
  await page.evaluate("document.querySelector('audio').play()");

  for (let minute = 0; minute < 5; minute++) {
    await wait(1 * minutes);
    await page.evaluate(`new Promise((resolve) =>
      document.querySelector('audio').addEventListener('timeupdate', resolve, { once: true }))`);
  }

  await expect.poll(() => durationOf(link)).toBeGreaterThanOrEqual(4 * minutes);
  expect((await viewOf(link)).pages.map((one) => one.page)).toEqual([1]);
  expect(complaints).toEqual([]);
});
