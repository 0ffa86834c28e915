// Search, sorting, colors and anchors of text documents, and the keys of the viewer.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectContrast } from '../support/console-suite.ts';
import { makePdf } from '../support/pdf.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { openReader } = useViewer();

const cellsOf = (page: Page, column: number) =>
  page.locator(`#viewer tbody td:nth-of-type(${column})`).allTextContents();

/** The number of marked matches, from the registry of the browser. */
const markedOf = (page: Page) => page.evaluate<number>("CSS.highlights.get('match')?.size ?? 0");

it('the search of a text counts and marks the matches, and scrolls to them', async () => {
  const { page, show, complaints } = await openReader();
  const lines = Array.from({ length: 400 }, (_, line) => `Line ${line} of (these) terms`);
  await show(lines.join('\n'), 'terms.txt');
  await page.keyboard.press('/');
  const field = page.getByRole('searchbox', { name: 'Search in the document' });
  await field.fill('LINE 39');
  await page.getByText('1 of 11', { exact: true }).waitFor();
  expect(await markedOf(page)).toBe(11);
  expect(await page.evaluate("document.querySelector('main').scrollTop")).toBeGreaterThan(300);
  await field.press('Shift+Enter');
  await page.getByText('11 of 11', { exact: true }).waitFor();
  await field.press('Enter');
  await page.getByText('1 of 11', { exact: true }).waitFor();
  // No sign of the text is part of a pattern.
  await field.fill('(these');
  await page.getByText(/^\d+ of 400$/).waitFor();
  await field.fill('39 of (these) terms');
  await page.getByText(/^\d+ of 4$/).waitFor();
  await field.fill('.*');
  await page.getByText('No matches', { exact: true }).waitFor();
  await expectAccessible(page);
  await field.press('Escape');
  await expect.poll(() => markedOf(page)).toBe(0);

  // It finds words across colored parts, and not across cells.
  for (const [content, name, query] of [
    ['const answer = 42;\n', 'answer.ts', 'const answer = 42'],
    ['name,sum\nOne,2\nOne2,3\n', 'sums.csv', 'one2'],
  ] as const) {
    await show(content, name);
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox').fill(query);
    await page.getByText('1 of 1', { exact: true }).waitFor();
  }
  expect(complaints).toEqual([]);
});

it('a table is sorted by a column, by numbers or words, and back, with all rows', async () => {
  const { page, show, complaints } = await openReader();
  const rows = ['Town,People', 'Ulm,"126,405"', 'Aachen,"249,070"', 'Jena,', 'Bonn,"9,500"'];
  await show(rows.join('\n'), 'towns.csv');
  const people = page.getByRole('button', { name: 'People' });
  await people.click();
  expect(await cellsOf(page, 1)).toEqual(['Bonn', 'Ulm', 'Aachen', 'Jena']);
  await people.click();
  expect(await cellsOf(page, 1)).toEqual(['Jena', 'Aachen', 'Ulm', 'Bonn']);
  await people.click();
  expect(await cellsOf(page, 1)).toEqual(['Ulm', 'Aachen', 'Jena', 'Bonn']);
  await page.getByRole('button', { name: 'Town' }).press('Enter');
  expect(await cellsOf(page, 1)).toEqual(['Aachen', 'Bonn', 'Jena', 'Ulm']);
  const heading = page.getByRole('columnheader', { name: 'Town' });
  expect(await heading.getAttribute('aria-sort')).toBe('ascending');
  await expectAccessible(page);

  // The order changes while the table is filled.
  const numbers = Array.from({ length: 3000 }, (_, row) => `${2999 - row}`);
  await show(['Number', ...numbers].join('\n'), 'numbers.csv');
  await page.getByRole('button', { name: 'Number' }).click();
  await expect.poll(() => page.locator('#viewer tbody tr').count()).toBe(3000);
  expect(await cellsOf(page, 1)).toEqual(numbers.toReversed());
  expect(complaints).toEqual([]);
});

it('code has colors with enough contrast, and never becomes markup', async () => {
  const { page, show, complaints } = await openReader();
  const code = '// <b>bold</b>\nexport const text = "<img src=x onerror=alert(1)>" + 7;\n';
  await show(code, 'evil.ts');
  expect(await page.locator('#viewer pre').textContent()).toBe(code);
  expect(await page.locator('#viewer pre :not(span)').count()).toBe(0);
  expect(await page.locator('#viewer .hljs-comment').count()).toBe(1);
  expect(await page.locator('#viewer .hljs-keyword').allTextContents()).toContain('const');
  await expectContrast(page);
  expect(complaints).toEqual([]);
});

it('Markdown has links to its headings, and no other ids', async () => {
  const { page, show, complaints } = await openReader();
  const words = 'Words.\n\n'.repeat(200);
  const text = [
    '[Later](#the-later-part) [Again](#again-1) [Away](#nowhere)',
    `${words}## The *later* part!`,
    '## Again',
    '## Again',
    `<p id="name">x</p>\n\n${words}`,
  ].join('\n\n');
  await show(text, 'guide.md');
  expect(await page.locator('#viewer a').allTextContents()).toEqual(['Later', 'Again']);
  await page.getByRole('link', { name: 'Later' }).click();
  const heading = page.getByRole('heading', { name: 'The later part!' });
  await expect.poll(async () => (await heading.boundingBox())?.y ?? 9999).toBeLessThan(200);
  const ids = await page.locator('#viewer [id]').evaluateAll((all) => all.map(({ id }) => id));
  expect(ids).toEqual(['section-the-later-part', 'section-again', 'section-again-1']);
  expect(complaints).toEqual([]);
});

it('the keys of the viewer are in a dialog, work, and fill the screen', async () => {
  const { page, show, complaints } = await openReader();
  await show(makePdf({ pages: 3, text: 'The terms' }), 'terms.pdf');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.waitFor();
  for (const text of ['Search', 'Go to a page', 'Rotate', 'Full screen', 'Zoom in or out']) {
    await dialog.getByText(text, { exact: true }).waitFor();
  }
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.keyboard.press('g');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByLabel('Page (of 3)').inputValue()).toBe('2');
  await page.keyboard.press('/');
  await page.keyboard.type('r?');
  expect(await page.getByRole('searchbox').inputValue()).toBe('r?');
  expect(await dialog.count()).toBe(0);
  await page.keyboard.press('Escape');

  // Full screen hides the bar after a while, and shows it on input.
  await page.keyboard.press('f');
  await expect.poll(() => page.evaluate('document.fullscreenElement !== null')).toBe(true);
  const bar = page.locator('header.top');
  const bottom = async () => {
    const box = await bar.boundingBox();
    return box === null ? 0 : box.y + box.height;
  };
  await expect.poll(bottom).toBeLessThanOrEqual(0);
  await page.mouse.move(200, 300);
  await page.mouse.move(210, 310);
  await expect.poll(bottom).toBeGreaterThan(40);
  await page.keyboard.press('f');
  await expect.poll(() => page.evaluate('document.fullscreenElement !== null')).toBe(false);
  expect(complaints).toEqual([]);
});
