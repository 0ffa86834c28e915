// The order in which the parts of a large PDF are loaded.
import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { makeDeck } from '../support/deck-pdf.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, share } = useViewer();
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
