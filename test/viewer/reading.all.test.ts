// Zooming, turning pages and following links with mouse, keyboard and touch.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inkOf, overhangOf, phone, settle } from '../support/browser-pages.ts';
import { makePdf } from '../support/pdf.ts';
import { makePng } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { read, share } = useViewer();

const link = (rect: string, action: string) =>
  `<< /Type /Annot /Subtype /Link /Rect [${rect}] ${action} >>`;
const pdf = makePdf({
  pages: 5,
  text: 'The terms',
  annotations: [
    link('72 600 272 630', '/A << /S /URI /URI (https://www.example.com/terms) >>'),
    link('72 500 272 530', '/Dest [10 0 R /Fit]'),
    link('72 400 272 430', '/A << /S /URI /URI (javascript:alert\\(1\\)) >>'),
  ].join(' '),
});

async function open(options = {}) {
  const { url } = await share(pdf, 'terms.pdf');
  const reader = await read(options);
  await reader.page.goto(url);
  await reader.page.locator('#viewer .page .textLayer span').first().waitFor();
  // The text can be selected, and its links are in place.
  const loaded = reader.page.getByRole('status').filter({ hasText: 'Document loaded' });
  await loaded.waitFor({ state: 'attached' });
  return { ...reader, url };
}

const percent = (page: Page) => page.locator('output').textContent();
const placeOf = (page: Page) => page.getByLabel('Page (of 5)').inputValue();
const widthOf = async (page: Page, selector = '#viewer .page') =>
  (await page.locator(selector).first().boundingBox())?.width ?? 0;
const browserZoom = (page: Page) => page.evaluate<number>('visualViewport.scale');

/** The width of an A4 page: 595 points at 96 / 72 pixels each. */
const paperWidth = (595 * 96) / 72;

it('on a phone, two fingers zoom the document, and bars never lie over the text', async () => {
  const { page } = await open(phone);
  const before = await widthOf(page);

  await pinch(page, { x: 195, y: 400 }, 60, 120);

  await expect.poll(() => widthOf(page)).toBeGreaterThan(before * 1.9);
  expect(await widthOf(page)).toBeLessThan(before * 2.1);
  expect(await browserZoom(page)).toBe(1);
  expect(await overhangOf(page)).toBe(0);
  await pinch(page, { x: 195, y: 400 }, 120, 30);
  await expect.poll(() => widthOf(page)).toBeLessThan(before * 0.6);

  await page.reload();
  await page.locator('#viewer .page .textLayer span').first().waitFor();
  await page.evaluate(`(() => {
    window.tops = [];
    const watch = () => {
      window.tops.push(document.querySelector('.place').getBoundingClientRect().top);
      requestAnimationFrame(watch);
    };
    watch();
  })()`);
  await page.locator('.scroller').hover();
  for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, 60);
  await page.locator('body.reading').waitFor();
  await settle(page);
  const tops = await page.evaluate<number[]>('window.tops');
  const { height } = phone.viewport ?? { height: 0 };
  expect(tops.length).toBeGreaterThan(3);
  expect(Math.min(...tops)).toBeGreaterThan(height - 90);
  expect(tops.at(-1)).toBeGreaterThanOrEqual(height);
  const bar = await page.locator('header').boundingBox();
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(0);
});

it('the buttons zoom in round steps within limits, and fit the page or its width', async () => {
  const { page, complaints } = await open();
  await expect.poll(() => percent(page)).toBe('125%');

  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(() => percent(page)).toBe('150%');
  expect(await widthOf(page)).toBeCloseTo(paperWidth * 1.5, -1);
  const zoomIn = page.getByRole('button', { name: 'Zoom in' });
  for (let step = 0; step < 20; step++) await zoomIn.press('Enter');

  await expect.poll(() => percent(page)).toBe('500%');
  expect(await zoomIn.getAttribute('aria-disabled')).toBe('true');
  const zoomOut = page.getByRole('button', { name: 'Zoom out' });
  for (let step = 0; step < 20; step++) await zoomOut.press('Enter');
  await expect.poll(() => percent(page)).toBe('10%');
  expect(await zoomOut.getAttribute('aria-disabled')).toBe('true');
  expect(await zoomIn.getAttribute('aria-disabled')).toBe('false');
  expect(complaints).toEqual([]);

  const viewer = await page.locator('#viewer').boundingBox();
  const box = () => page.locator('#viewer .page').first().boundingBox();

  await page.getByRole('button', { name: 'Fit page' }).click();
  expect((await box())?.height).toBeLessThanOrEqual(viewer?.height ?? 0);
  expect((await box())?.height).toBeGreaterThan((viewer?.height ?? 0) * 0.9);

  await page.getByRole('button', { name: 'Fit width' }).click();
  expect((await box())?.width).toBeGreaterThan((viewer?.width ?? 0) * 0.9);
  await expect.poll(() => overhangOf(page, '.scroller')).toBe(0);
  await expect.poll(() => page.getByRole('button', { name: 'Fit page' }).count()).toBe(1);
});

it('the keys and the wheel zoom, and the point under the pointer stays', async () => {
  const { page } = await open();

  await page.keyboard.press('Control+=');
  await expect.poll(() => percent(page)).toBe('150%');
  await page.keyboard.press('Meta+-');
  await expect.poll(() => percent(page)).toBe('125%');
  await page.keyboard.press('+');
  await expect.poll(() => percent(page)).toBe('150%');
  await page.keyboard.press('Control+0');
  await expect.poll(() => percent(page)).toBe('125%');

  // Elsewhere, the browser handles the keys.
  await page.getByRole('button', { name: 'Zoom out' }).focus();
  await page.keyboard.press('Control+=');
  await page.keyboard.press('+');
  expect(await percent(page)).toBe('125%');

  // Ctrl and the wheel.
  const point = { x: 500, y: 350 };
  const shareAt = async () => {
    const box = await page.locator('#viewer .page').first().boundingBox();
    if (!box) throw new Error('no page');
    return [(point.x - box.x) / box.width, (point.y - box.y) / box.height];
  };
  const before = await shareAt();
  await page.mouse.move(point.x, point.y);

  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');

  await expect.poll(() => percent(page)).toBe('228%');
  const after = await shareAt();
  expect(after[0]).toBeCloseTo(before[0] ?? 0, 2);
  expect(after[1]).toBeCloseTo(before[1] ?? 0, 2);
  expect(await browserZoom(page)).toBe(1);
  await expect.poll(() => inkOf(page)).toBeGreaterThan(0.0005);
});

it('the zoom works for an image', async () => {
  const { url } = await share(makePng(2400, 1200), 'wide.png');
  const { page, complaints } = await read();
  await page.goto(url);
  await page.locator('output', { hasText: '%' }).waitFor();

  expect(await overhangOf(page, '#viewer')).toBe(0);
  await page.keyboard.press('+');
  await expect.poll(() => percent(page)).toBe('67%');
  expect(await widthOf(page, '#viewer img')).toBe(1608);
  expect(await overhangOf(page, '#viewer')).toBeGreaterThan(300);
  await page.keyboard.press('0');
  expect(await overhangOf(page, '#viewer')).toBe(0);
  expect(await page.getByLabel(/^Page \(/).count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('pages are opened by number or with keys, and are kept in the URL across a reload', async () => {
  const { page, url } = await open();
  const field = page.getByLabel('Page (of 5)');
  const jumpTo = async (text: string) => {
    await field.fill(text);
    await field.press('Enter');
  };

  await jumpTo('4');
  await expect.poll(() => placeOf(page)).toBe('4');
  const top = (await page.locator('#viewer .page').nth(3).boundingBox())?.y ?? 0;
  expect(top).toBeGreaterThan(52);
  expect(top).toBeLessThan(92);
  await jumpTo('9');
  await expect.poll(() => placeOf(page)).toBe('5');
  await jumpTo('0');
  await expect.poll(() => placeOf(page)).toBe('1');
  await jumpTo('x');
  expect(await placeOf(page)).toBe('1');

  await page.locator('#viewer').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => placeOf(page)).toBe('2');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => placeOf(page)).toBe('2');
  await page.keyboard.press('End');
  await expect.poll(() => placeOf(page)).toBe('5');
  await page.keyboard.press('Home');
  await expect.poll(() => placeOf(page)).toBe('1');
  await scrollTo(page, 'PageDown', '3');
  await scrollTo(page, 'PageUp', '1');

  // The URL.
  await page.goto('about:blank');
  await page.goto(`${url}#page=3`);
  await expect.poll(() => placeOf(page)).toBe('3');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.url()).toContain('#page=4');
  await page.reload();
  await page.locator('#viewer .page:has(.textLayer)').first().waitFor();
  await expect.poll(() => placeOf(page)).toBe('4');
});

it('text can be selected, and links open a new window and run no script', async () => {
  const { page, complaints } = await open();
  const links = page.locator('#viewer .page').first().getByRole('link');
  await expect.poll(() => links.count()).toBe(2);

  const outward = links.first();
  expect(await outward.getAttribute('href')).toBe('https://www.example.com/terms');
  expect(await outward.getAttribute('rel')).toContain('noreferrer');
  expect(await outward.getAttribute('target')).toBe('_blank');
  const box = await outward.boundingBox();
  expect(box?.width).toBeCloseTo((200 * 96 * 1.25) / 72, -1);

  await links.nth(1).click();
  await expect.poll(() => placeOf(page)).toBe('4');
  await page.goBack();
  await expect.poll(() => placeOf(page)).toBe('1');
  expect(complaints).toEqual([]);

  // The pointer waits until the page has stopped moving and the text is under it.
  const text = page.locator('#viewer .textLayer span').first();
  await text.hover({ position: { x: 1, y: 8 } });
  const words = await text.boundingBox();
  if (!words) throw new Error('no text');

  await page.mouse.down();
  await page.mouse.move(words.x + words.width + 5, words.y + words.height / 2, { steps: 4 });
  await page.mouse.up();

  const selected = () => page.evaluate('String(getSelection())');
  await expect.poll(selected).toBe('The terms, page 1');
});

/** Presses a key that scrolls by less than a page, until the page is reached. */
async function scrollTo(page: Page, key: string, place: string): Promise<void> {
  for (let presses = 0; presses < 10 && (await placeOf(page)) !== place; presses++) {
    await page.evaluate(`(() => {
      const scroller = document.querySelector('.scroller');
      window.scrolled = new Promise((resolve) => {
        scroller.addEventListener('scrollend', () => resolve(), { once: true });
      });
    })()`);
    await page.keyboard.press(key);
    // The next key waits for the end of the scrolling, which takes many frames.
    await page.evaluate('window.scrolled');
    await settle(page);
  }
  expect(await placeOf(page)).toBe(place);
}

/** Moves two fingers around a point from a distance of `from` pixels to `to` pixels. */
async function pinch(page: Page, at: { x: number; y: number }, from: number, to: number) {
  const session = await page.context().newCDPSession(page);
  const touchPoints = (distance: number) => [
    { x: at.x, y: at.y - distance / 2, id: 0 },
    { x: at.x, y: at.y + distance / 2, id: 1 },
  ];
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', distance?: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: distance === undefined ? [] : touchPoints(distance),
    });
  await send('touchStart', from);
  for (let step = 1; step <= 5; step++) await send('touchMove', from + ((to - from) * step) / 5);
  await send('touchEnd');
  await session.detach();
}
