// The API reference at /docs, in a browser under its content security policy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { desktop, newReader, phone, type Reader } from '../support/browser-pages.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { openApi } from '../support/openapi.ts';

let test: TestApp;
let reader: Reader;
beforeAll(async () => {
  test = await startTestApp();
  reader = await open(desktop);
});
afterAll(async () => {
  await reader.page.context().close();
  await test.remove();
});

async function open(options: typeof desktop): Promise<Reader> {
  const { publicUrl } = test.app;
  const opened = await newReader(await sharedBrowser(), publicUrl, options);
  await opened.page.goto(`${publicUrl}/docs`);
  // The name of a heading also contains the label of its anchor.
  await opened.page.locator('h2', { hasText: 'Create link' }).waitFor({ state: 'attached' });
  return opened;
}

describe('the API reference', () => {
  it('shows every operation, and asks no other origin', async () => {
    const { page, requests, complaints } = reader;
    const summaries = Object.values(openApi().paths).flatMap((item) =>
      Object.values(item).map(({ summary }) => summary),
    );
    const headings = async () =>
      (await page.locator('h2').allTextContents()).map((text) => text.trim());
    await expect.poll(headings).toEqual(expect.arrayContaining(summaries));
    expect(requests.filter((line) => /^GET \/(?!assets\/)/.test(line))).toEqual([
      'GET /docs',
      'GET /openapi.json',
    ]);
    expect(complaints).toEqual([]);
  });

  it('finds a method by its name', async () => {
    const { page, complaints } = reader;
    await page.getByRole('textbox').first().fill('jwks');
    await page.locator('[role="menuitem"]', { hasText: 'Get JWKS' }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('has no empty panel next to the first sections', async () => {
    const { page } = reader;
    const section = page.locator('[id="section/Requests"]');
    const text = section.locator('.redoc-markdown');
    const { width = 0 } = (await text.boundingBox()) ?? {};
    // With an empty panel at its right, it would have 532 pixels.
    expect(width).toBeGreaterThan(700);
    const grounds = await page.evaluate<string[]>(`(() => {
      const section = document.getElementById('section/Requests');
      const { right, top, height } = section.getBoundingClientRect();
      const shown = document.elementFromPoint(right - 10, top + height / 2);
      return [shown, document.body].map((one) => getComputedStyle(one).backgroundColor);
    })()`);
    expect(grounds[0]).toBe(grounds[1]);
  });

  it('has a menu on a phone that covers no text', async () => {
    const { page, complaints } = await open(phone);
    const bar = page.locator('.menu-content + div');
    const { y = -1, width, height = 0 } = (await bar.boundingBox()) ?? {};
    expect([y, width]).toEqual([0, 390]);
    const title = await page.getByRole('heading', { level: 1 }).boundingBox();
    expect(title?.y).toBeGreaterThanOrEqual(height);
    await bar.click();
    const search = await page.getByRole('textbox').first().boundingBox();
    expect(search?.y).toBeGreaterThanOrEqual(height);
    await page.locator('.menu-content label', { hasText: 'Errors' }).click();
    const heading = page.locator('[id="section/Errors"] h1, [id="section/Errors"] h2').first();
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(200);
    expect((await heading.boundingBox())?.y).toBeGreaterThanOrEqual(height);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('fits on a phone in dark colours', async () => {
    const { page, complaints } = await open({ ...phone, colorScheme: 'dark' });
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe('rgb(25, 29, 35)');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
