// The pictures of the README, taken on every run and kept where LATCHKEY_WRITE_PICTURES is 'true'.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { makeReport } from '../support/report-pdf.ts';
import { api, makeLink, upload } from '../support/sharing.ts';
import { desktop, newReader, phone, picture } from '../support/viewing.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const report = makeReport();
const isWriting = process.env.LATCHKEY_WRITE_PICTURES === 'true';

let test: TestApp;
let browser: Browser;
beforeAll(async () => {
  test = await startTestApp();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await test.remove();
});

async function share(fields = {}) {
  const document = await upload(test, report, 'Quarterly report.pdf');
  return makeLink(test, document.id, { allow_download: true, ...fields });
}

const documentStands = (page: Page) => page.locator('.page.drawn .text span').first().waitFor();

it('the report of the tour is the one that is made here', async () => {
  const file = path.join(docs, 'sample.pdf');
  if (isWriting) await writeFile(file, report);
  expect(report.equals(await readFile(file))).toBe(true);
});

type Setting = {
  readonly options: BrowserContextOptions;
  readonly gated?: boolean;
  readonly revoked?: boolean;
  /** Only to look at while working on it. */
  readonly isDraft?: boolean;
};

const dark = { colorScheme: 'dark' } as const;

const settings: Record<string, Setting> = {
  'viewer-desktop': { options: desktop },
  'viewer-phone': { options: phone },
  'viewer-dark': { options: { ...desktop, ...dark }, isDraft: true },
  gate: { options: desktop, gated: true },
  'gate-dark': { options: { ...phone, ...dark }, gated: true, isDraft: true },
  gone: { options: desktop, revoked: true },
};

it.each(Object.entries(settings))('the picture %s can be taken', async (name, setting) => {
  const { options, gated = false, revoked = false, isDraft = false } = setting;
  const link = await share({ email_required: gated });
  if (revoked) await api(test, 'DELETE', `/links/${link.id}`);
  const { page, complaints } = await newReader(browser, test.app.publicUrl, options);
  await page.goto(link.url);
  if (!gated && !revoked) await documentStands(page);
  await page.waitForLoadState('networkidle');

  const image = await picture(page, name);

  // Chromium itself logs the answer 410.
  expect(complaints.filter((complaint) => !complaint.includes('410 (Gone)'))).toEqual([]);
  if (isWriting && !isDraft) await writeFile(path.join(docs, 'images', `${name}.png`), image);
  await page.context().close();
});
