// Search, side panel, slides and the other tools of the PDF viewer.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { desktop, phone } from '../support/browser-pages.ts';
import { expectAccessible } from '../support/console-suite.ts';
import { makeDeck } from '../support/deck-pdf.ts';
import { makePdf } from '../support/pdf.ts';
import type { LinkFields } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, share } = useViewer();

const files = {
  terms: makePdf({ pages: 12, text: 'The terms' }),
  deck: makeDeck({ pages: 8 }),
};
const links: Partial<Record<keyof typeof files, LinkFields>> = {};

async function open(name: keyof typeof files, options: BrowserContextOptions = desktop) {
  links[name] ??= await share(files[name], `${name}.pdf`, { allow_download: true });
  const link = links[name];
  const reader = await read(options);
  await reader.page.goto(link.url);
  await textOf(reader.page).first().waitFor({ state: 'attached' });
  return { ...reader, link };
}

const textOf = (page: Page) => page.locator('.scroller .textLayer');
const placeOf = (page: Page) => page.getByLabel(/^Page \(of/).inputValue();
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

it('the search finds all matches, and the side panel opens pages', async () => {
  const { page, complaints } = await open('terms');

  await page.keyboard.press('Control+f');
  await page.getByLabel('Search in the document').fill('TERMS');
  const matches = page.getByRole('search').getByRole('status');
  await expect.poll(() => matches.textContent()).toBe('1 of 12');
  const selected = page.locator('.highlight.selected');
  await expect.poll(() => selected.textContent()).toBe('terms');
  await page.keyboard.press('Enter');
  await expect.poll(() => matches.textContent()).toBe('2 of 12');
  await expect.poll(() => placeOf(page)).toBe('2');
  await press(page, 'Previous match');
  await press(page, 'Previous match');
  await expect.poll(() => matches.textContent()).toBe('12 of 12');
  await expect.poll(() => placeOf(page)).toBe('12');
  await expectAccessible(page);

  await page.getByLabel('Search in the document').fill('no such word');
  await expect.poll(() => matches.textContent()).toBe('No matches');
  await page.keyboard.press('Escape');
  expect(await page.getByRole('search').count()).toBe(0);
  expect(await page.locator('.highlight.selected').count()).toBe(0);
  expect(complaints).toEqual([]);

  // The side panel.
  await page.getByLabel('Page (of 12)').fill('1');
  await page.keyboard.press('Enter');
  await expect.poll(() => placeOf(page)).toBe('1');
  await press(page, 'Pages and outline');
  const pictures = page.getByRole('tabpanel', { name: 'Pages' }).getByRole('button');
  expect(await pictures.count()).toBe(12);
  expect(await pictures.first().getAttribute('aria-current')).toBe('page');
  const picture = pictures.nth(2).locator('canvas');
  // Until it is drawn, a canvas has the default size.
  await expect.poll(() => picture.getAttribute('width')).toBe('128');
  await expectAccessible(page);
  await pictures.nth(2).click();
  await expect.poll(() => placeOf(page)).toBe('3');
  await expect.poll(() => pictures.nth(2).getAttribute('aria-current')).toBe('page');

  await page.getByRole('tab', { name: 'Outline' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Outline' });
  await expect.poll(() => panel.textContent()).toBe('This document has no outline.');
  expect(complaints).toEqual([]);

  // The pages rotate and fill the screen.
  const box = () => page.locator('.scroller .page').first().boundingBox();
  const isWide = async () => {
    const { width = 0, height = 0 } = (await box()) ?? {};
    return width > height;
  };
  expect(await isWide()).toBe(false);

  await press(page, 'Rotate');

  await expect.poll(isWide).toBe(true);
  await expect.poll(() => textOf(page).first().textContent()).toBe('The terms, page 1');
  expect(complaints).toEqual([]);

  await press(page, 'Full screen');
  await expect.poll(() => page.evaluate('document.fullscreenElement !== null')).toBe(true);
  await press(page, 'Exit full screen');
  await expect.poll(() => page.evaluate('document.fullscreenElement')).toBe(null);
});

it('a presentation shows one slide at a time', async () => {
  const { page, complaints } = await open('deck');
  const slides = page.locator('.scroller .page');
  const expectSlide = async (number: number) => {
    await expect.poll(() => textOf(page).first().textContent()).toBe(`Slide ${number}`);
    expect(await slides.count()).toBe(1);
  };

  await expectSlide(1);
  const box = await slides.boundingBox();
  expect(box?.width).toBeGreaterThan(1200);
  for (const key of ['ArrowRight', 'ArrowDown', 'PageDown', ' ']) await page.keyboard.press(key);
  await expectSlide(5);
  await page.keyboard.press('ArrowLeft');
  await press(page, 'Previous page');
  await expectSlide(3);
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, 100);
  await expectSlide(4);
  await press(page, 'Next page');
  await expectSlide(5);
  await page.keyboard.press('End');
  await expectSlide(8);
  const next = page.getByRole('button', { name: 'Next page' });
  expect(await next.getAttribute('aria-disabled')).toBe('true');

  await press(page, 'All pages in a column');
  await expect.poll(() => slides.count()).toBe(8);
  await expect.poll(() => placeOf(page)).toBe('8');
  await press(page, 'One page at a time');
  await expectSlide(8);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

it('on a phone, a presentation has an outline and turns with a finger', async () => {
  const { page, complaints } = await open('deck', phone);

  await press(page, 'Pages and outline');
  await page.getByRole('tab', { name: 'Pages' }).press('ArrowRight');
  await page.getByRole('button', { name: 'Chapter 5' }).click();

  await expect.poll(() => placeOf(page)).toBe('5');
  await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
  await page.goBack();
  await expect.poll(() => placeOf(page)).toBe('1');
  expect(complaints).toEqual([]);

  const session = await page.context().newCDPSession(page);
  const drag = async (...xs: number[]) => {
    const at = (x: number) => ({ touchPoints: [{ x, y: 420 }] });
    const [first = 0, ...others] = xs;
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', ...at(first) });
    for (const x of others) {
      await session.send('Input.dispatchTouchEvent', { type: 'touchMove', ...at(x) });
    }
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };

  await drag(300, 200, 100);
  await expect.poll(() => placeOf(page)).toBe('2');
  await drag(100, 110, 120);
  await drag(100, 200, 300);
  await expect.poll(() => placeOf(page)).toBe('1');
});

it('pages open where the reader stopped, unless the URL names a page', async () => {
  const { page, link } = await open('terms');
  await page.getByLabel('Page (of 12)').fill('7');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('#page=7');

  await page.goto('about:blank');
  await page.goto(link.url);
  await expect.poll(() => placeOf(page)).toBe('7');

  await page.goto('about:blank');
  await page.goto(`${link.url}#page=4`);
  await expect.poll(() => placeOf(page)).toBe('4');
});

it('the bars of a phone hide while the reader scrolls down, and return on a tap', async () => {
  const { page, complaints } = await open('terms', phone);
  const top = async () => (await page.locator('header').boundingBox())?.y;
  await expectAccessible(page);

  await page.mouse.move(200, 400);
  await page.mouse.wheel(0, 400);
  await expect.poll(top).toBeLessThan(-50);
  await page.touchscreen.tap(200, 400);
  await expect.poll(top).toBe(0);

  await press(page, 'More tools');
  await expectAccessible(page);
  await press(page, 'Rotate');
  expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
