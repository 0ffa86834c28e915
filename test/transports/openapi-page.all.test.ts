// The API reference at /docs, in a browser under its content security policy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { desktop, newReader, phone, type Reader } from '../support/browser-pages.ts';
import { expectAccessible } from '../support/console-suite.ts';
import { startTestApp } from '../support/harness.ts';
import { openApi } from '../support/openapi.ts';
import { useStarted } from '../support/use-started.ts';

const test = useStarted(() => startTestApp());
let reader: Reader;
beforeAll(async () => {
  reader = await open(desktop);
});
afterAll(async () => {
  await reader.page.context().close();
});

async function open(options: typeof desktop): Promise<Reader> {
  const { publicUrl } = test.app;
  const opened = await newReader(await sharedBrowser(), publicUrl, options);
  await opened.page.goto(`${publicUrl}/docs`);
  return opened;
}

describe('the API reference', () => {
  it('shows every operation, and asks no other origin', async () => {
    const { page, requests, complaints } = reader;
    const summaries = Object.values(openApi().paths).flatMap((item) =>
      Object.values(item).map(({ summary }) => summary),
    );
    const headings = await page.locator('h3').allTextContents();
    expect(headings).toEqual(expect.arrayContaining(summaries));
    expect(requests.filter((line) => /^GET \/(?!assets\/)/.test(line))).toEqual(['GET /docs']);
    expect(complaints).toEqual([]);
  });

  it('has a place for each of its links', async () => {
    const missing = await reader.page.evaluate<string[]>(`
      [...document.querySelectorAll('a[href^="#"]')]
        .map(({ hash }) => decodeURIComponent(hash.slice(1)))
        .filter((id) => document.getElementById(id) === null)
    `);
    expect(missing).toEqual([]);
    const ids = Object.values(openApi().paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => `#operation/${operationId}`),
    );
    expect(ids.length).toBeGreaterThan(100);
    const links = await reader.page.evaluate<string[]>(`
      [...document.querySelectorAll('a[href^="#operation/"]')]
        .map((link) => link.getAttribute('href'))
    `);
    expect(links.sort()).toEqual(ids.sort());
  });

  // The page describes every method, and the check reads each of its elements.
  it('is accessible', { timeout: 300_000 }, async () => {
    await expectAccessible(reader.page);
  });

  it('has contents on a phone, which a chosen link hides', async () => {
    const { page, complaints } = await open(phone);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    expect(await contents.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Contents' }).click();
    await contents.getByRole('link', { name: 'Errors' }).click();
    const heading = page.getByRole('heading', { name: 'Errors', exact: true }).first();
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(200);
    const bar = await page.locator('body > header').boundingBox();
    expect((await heading.boundingBox())?.y).toBeGreaterThanOrEqual(bar?.height ?? 0);
    expect(await contents.isVisible()).toBe(false);
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
