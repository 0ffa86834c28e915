// Screen readers, the keyboard and system settings.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { desktop, phone } from '../support/browser-pages.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import { makePng } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, share } = useViewer();
const low = { viewport: { width: 1280, height: 720 } };
const pdf = makePdf({ pages: 2, text: 'The terms' });

async function open(options: BrowserContextOptions = low, bytes = pdf, name = 'terms.pdf') {
  const link = await share(bytes, name, { allow_download: true });
  const reader = await read(options);
  await reader.page.goto(link.url);
  const zoom = reader.page.locator('output', { hasText: '%' });
  // A phone has no place for it.
  await zoom.waitFor({ state: 'attached' });
  return reader;
}

/** The accessibility tree without URLs. */
async function heard(page: Page): Promise<string[]> {
  const lines = (await page.locator('body').ariaSnapshot()).split('\n');
  return lines.filter((line) => !line.includes('/url:'));
}

const styleOf = (page: Page, selector: string, property: string) =>
  page.evaluate<string>(
    `getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`,
  );

it('every control has a name and a role, and the keyboard reaches it', async () => {
  const { page } = await open();

  await expect
    .poll(() => heard(page))
    .toEqual([
      '- banner:',
      '  - button "Pages and outline"',
      '  - heading "terms.pdf" [level=1]',
      '  - group "Page":',
      '    - button "Previous page" [disabled]',
      '    - textbox "Page (of 2)": "1"',
      '    - button "Next page"',
      '  - group "Zoom":',
      '    - button "Zoom out"',
      '    - status "Zoom": 125%',
      '    - button "Zoom in"',
      '    - button "Fit page"',
      '  - button "Search"',
      '  - group "Tools":',
      '    - button "Rotate"',
      '    - button "One page at a time"',
      '    - button "Full screen"',
      '    - button "Print"',
      '  - link "Download":',
      '- main "terms.pdf":',
      '  - status: Document loaded, 2 pages',
      '  - group "Pages":',
      '    - group "Page 1 of 2": The terms, page 1',
      '    - group "Page 2 of 2": The terms, page 2',
    ]);

  const stops: string[] = [];
  for (let stop = 0; stop < 14; stop++) {
    await page.keyboard.press('Tab');
    const [name, outline] = await page.evaluate<[string, string]>(`(() => {
      const { activeElement } = document;
      const { outlineStyle } = getComputedStyle(activeElement);
      const { ariaLabel, id, textContent } = activeElement;
      return [ariaLabel || id || textContent, outlineStyle];
    })()`);
    stops.push(name);
    // The document shows its focus as a line above it, because pages would cover an outline.
    if (name !== 'Pages') expect(outline, name).toBe('solid');
  }
  expect(stops).toEqual([
    'Pages and outline',
    ...['Previous page', 'Page (of 2)', 'Next page'],
    ...['Zoom out', 'Zoom in', 'Fit page', 'Search'],
    ...['Rotate', 'One page at a time', 'Full screen', 'Print'],
    ...['Download', 'Pages'],
  ]);

  // An image.
  const { page: picture } = await open(low, makePng(320, 200), 'picture.png');
  await expect
    .poll(() => heard(picture))
    .toEqual([
      '- banner:',
      '  - heading "picture.png" [level=1]',
      '  - group "Zoom":',
      '    - button "Zoom out"',
      '    - status "Zoom": 100%',
      '    - button "Zoom in"',
      '    - button "Fit page"',
      '  - group "Tools":',
      '    - button "Full screen"',
      '  - link "Download":',
      '- main "picture.png":',
      '  - img "picture.png"',
      '  - status: Document loaded, 1 image',
    ]);
});

itHoldsFor([
  ['a PDF', pdf, 'terms.pdf'],
  ['a picture', makePng(320, 200), 'picture.png'],
])('a thumb hits every control on a phone', async (_, bytes, name) => {
  const { page } = await open(phone, bytes, name);
  const controls = page.locator('button:visible, input:visible, a:visible');
  const wrong = await controls.evaluateAll((all) =>
    all.map((control) => {
      const { width, height, right } = control.getBoundingClientRect();
      return Math.min(width, height) >= 44 && right <= 390 ? '' : control.outerHTML;
    }),
  );
  expect(wrong.length).toBeGreaterThanOrEqual(4);
  expect(wrong.filter(Boolean)).toEqual([]);
});

it('dark mode leaves the document white, and forced colors give it a border', async () => {
  const { page } = await open({ ...desktop, colorScheme: 'dark' });

  expect(await styleOf(page, 'body', 'background-color')).toBe('rgb(18, 22, 27)');
  await page.locator('.page:has(.textLayer)').first().waitFor();
  expect(await styleOf(page, '.page', 'background-color')).toBe('rgb(255, 255, 255)');

  await page.emulateMedia({ forcedColors: 'active' });
  expect(await styleOf(page, '.page', 'outline-style')).toBe('solid');
});

it('nothing moves by itself with reduced motion, and else a loading document does', async () => {
  const link = await share(pdf, 'terms.pdf');
  const { page } = await read();
  // The document never arrives, so the progress bar stays.
  await page.route('**/file', () => {});
  for (const [reducedMotion, movingMin] of [
    ['reduce', 0],
    ['no-preference', 1],
  ] as const) {
    await page.emulateMedia({ reducedMotion });
    await page.goto(link.url);
    await page.getByRole('progressbar').waitFor();
    const moving = await page.evaluate<number>('document.getAnimations().length');
    expect(moving, reducedMotion).toBe(movingMin);
  }
});
