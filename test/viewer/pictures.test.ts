// Screenshots for the README. They are written to docs/ if LATCHKEY_WRITE_PICTURES is 'true'.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { desktop, phone, takePicture } from '../support/browser-pages.ts';
import { makeReport } from '../support/report-pdf.ts';
import { callSharingApi } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const report = makeReport();
const isWriting = process.env.LATCHKEY_WRITE_PICTURES === 'true';

const { app, read, share } = useViewer();

const documentStands = (page: Page) => page.locator('.page .textLayer span').first().waitFor();

it('the sample document is up to date', async () => {
  const file = path.join(docs, 'sample.pdf');
  if (isWriting) await writeFile(file, report);
  expect(report.equals(await readFile(file))).toBe(true);
});

type Setting = {
  readonly options: BrowserContextOptions;
  readonly gated?: boolean;
  readonly revoked?: boolean;
  /** Not part of docs/. */
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
  const fields = { allow_download: true, email_required: gated };
  const link = await share(report, 'Quarterly report.pdf', fields);
  if (revoked) await callSharingApi(app(), 'DELETE', `/links/${link.id}`);
  const { page, complaints } = await read(options);
  await page.goto(link.url);
  if (!gated && !revoked) await documentStands(page);
  await page.waitForLoadState('networkidle');

  const image = await takePicture(page, name);

  // Chromium logs the response with 410.
  expect(complaints.filter((complaint) => !complaint.includes('410 (Gone)'))).toEqual([]);
  if (isWriting && !isDraft) await writeFile(path.join(docs, 'images', `${name}.png`), image);
});
