// The pages that readers see, as in the pictures of the documentation.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import {
  desktop,
  docsDir,
  isWritingPictures,
  keepPicture,
  phone,
} from '../support/browser-pages.ts';
import { recordWebm } from '../support/media-files.ts';
import { makeReport } from '../support/report-pdf.ts';
import { findFailures, itHoldsFor } from '../support/rule.ts';
import {
  floorPlan,
  payments,
  printSlides,
  releaseNotes,
  sourceCode,
} from '../support/sample-files.ts';
import { callSharingApi, type LinkFields, makeZip } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const report = makeReport();

const { app, read, share } = useViewer();

it('the sample document is up to date', async () => {
  const file = path.join(docsDir, 'sample.pdf');
  if (isWritingPictures) await writeFile(file, report);
  expect(report.equals(await readFile(file))).toBe(true);
});

type Setting = {
  readonly browser?: BrowserContextOptions;
  /** By default, the report. */
  readonly name?: string;
  readonly content?: (page: Page) => Promise<Buffer> | Buffer;
  /** Options of the link; by default, anyone may open it and download the document. */
  readonly fields?: object;
  /** Leads from the first page to the page of the picture. */
  readonly prepare?: (page: Page, link: LinkFields) => Promise<void>;
};

const onPhone = { browser: phone };
const darkDesktop = { ...desktop, colorScheme: 'dark' } as const;
const darkPhone = { ...phone, colorScheme: 'dark' } as const;
const verified = { email_required: true, email_verification_required: true };
const text = (content: string) => () => Buffer.from(content);

const settings: Record<string, Setting> = {
  'viewer-desktop': { prepare: pageDrawn },
  'viewer-phone': { ...onPhone, prepare: pageDrawn },
  'viewer-dark': { browser: darkDesktop, prepare: pageDrawn },
  'viewer-search': { prepare: search },
  'viewer-slides': { name: 'Pitch.pdf', content: inOtherTab(printSlides), prepare: pageDrawn },
  'viewer-image': { name: 'Floor plan.svg', content: text(floorPlan), prepare: loaded },
  'viewer-markdown': { name: 'Release 4.2.md', content: text(releaseNotes), prepare: loaded },
  'viewer-table': { name: 'Payments.csv', content: text(payments), prepare: loaded },
  'viewer-code': { name: 'open-invoices.ts', content: text(sourceCode), prepare: loaded },
  'viewer-video': { name: 'Workshop.webm', content: inOtherTab(recordWebm), prepare: playShortly },
  'viewer-download': {
    name: 'Drawings.zip',
    content: () => makeZip('plan.dxf', 'LINE 0 0 10 20\n'.repeat(20_000)),
  },
  gate: { fields: { email_required: true } },
  'gate-dark': { browser: darkPhone, fields: { email_required: true } },
  'gate-password': { fields: { password: 'open sesame' }, prepare: enterWrongPassword },
  'gate-code': { ...onPhone, fields: verified, prepare: enterEmail },
  gone: { prepare: revoke },
  'link-not-found': { prepare: openUnknown },
};

itHoldsFor([
  ['desktop', desktop, 13],
  ['dark desktop', darkDesktop, 1],
  ['phone', phone, 2],
  ['dark phone', darkPhone, 1],
])('the pages of the pictures open', async (_, browser, count) => {
  const { page, complaints } = await read(browser);
  const shown = Object.entries(settings).filter(([, one]) => (one.browser ?? desktop) === browser);
  expect(shown).toHaveLength(count);
  const failures = await findFailures(shown, async (name, setting) => {
    const { content = () => report, fields, prepare } = setting;
    const bytes = await content(page);
    const options = { allow_download: true, ...fields };
    const link = await share(bytes, setting.name ?? 'Quarterly report.pdf', options);
    await page.goto(link.url);
    await prepare?.(page, link);
    await page.waitForLoadState('networkidle');
    await keepPicture(page, name);
    // Chromium logs error responses.
    expect(complaints.splice(0).filter((line) => !/status of 4\d\d/.test(line))).toEqual([]);
  });
  expect(failures).toEqual([]);
});

/** Makes a document in another tab, whose messages are not complaints about the viewer. */
function inOtherTab(make: (page: Page) => Promise<Buffer>) {
  return async (page: Page): Promise<Buffer> => {
    const other = await page.context().newPage();
    const made = await make(other);
    await other.close();
    return made;
  };
}

async function pageDrawn(page: Page): Promise<void> {
  await page.locator('.page .textLayer span').first().waitFor();
}

async function loaded(page: Page): Promise<void> {
  await page.getByText(/^Document loaded/).waitFor({ state: 'attached' });
}

/** Stops after the first frames. Before the start, the player of the browser has a spinner. */
async function playShortly(page: Page): Promise<void> {
  await loaded(page);
  await page.evaluate(`(async () => {
    const video = document.querySelector('video');
    video.muted = true;
    await video.play();
    await new Promise((resolve) => video.addEventListener('timeupdate', resolve, { once: true }));
    video.pause();
  })()`);
}

async function search(page: Page): Promise<void> {
  await pageDrawn(page);
  await page.getByRole('button', { name: 'Pages and outline' }).click();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByLabel('Search in the document').fill('quarter');
  await page.locator('.highlight.selected').waitFor();
  const pictures = page.locator('[aria-label="Pages and outline"] canvas');
  await expect.poll(() => pictures.count()).toBe(4);
}

async function enterWrongPassword(page: Page): Promise<void> {
  await page.getByLabel('Password').fill('a guess');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').waitFor();
}

async function enterEmail(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill('jane@example.com');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Code').waitFor();
}

async function revoke(page: Page, link: LinkFields): Promise<void> {
  await callSharingApi(app(), 'DELETE', `/links/${link.id}`);
  await page.reload();
}

async function openUnknown(page: Page, { url }: LinkFields): Promise<void> {
  await page.goto(url.replace(/.{22}$/, '0'.repeat(22)));
}

itHoldsFor([
  ['errors', '/errors#rate_limited', desktop],
  ['page-not-found', '/nowhere', desktop],
  ['api-reference', '/docs#operation/LinkService_CreateLink', desktop],
  ['api-reference-dark', '/docs', darkDesktop],
])('the pages of the other pictures open', async (name, address, options) => {
  const { page, complaints } = await read(options);
  await page.goto(app().app.publicUrl + address);
  await page.getByRole('heading').first().waitFor();
  await page.waitForLoadState('networkidle');
  await keepPicture(page, name);
  expect(complaints.filter((line) => !/status of 404/.test(line))).toEqual([]);
});
