// Who read which page: on the page of a document, through all its links.
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { inkOf, overhangOf, phone } from '../support/browser-pages.ts';
import {
  type ConsoleVisit,
  changeColorScheme,
  expectAccessible,
  useConsole,
} from '../support/console-suite.ts';
import { lastCode, Visitor } from '../support/gate-visitor.ts';
import { addViews, dayMs } from '../support/link-rows.ts';
import { makeReport } from '../support/report-pdf.ts';
import { type LinkFields, makeLink, sha256, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

const longName = `Quarterly report of the ${'very long '.repeat(14)}subsidiary.pdf`;

let link: LinkFields;
const path = () => `/workspaces/${workspaceId()}/documents/${link.document_id}`;

beforeAll(async () => {
  const document = await upload(app(), makeReport(), longName);
  link = await makeLink(app(), document.id, { name: 'To investors', email_required: true });
  const unnamed = await makeLink(app(), document.id);
  const now = Date.now();
  await addViews(app(), unnamed, [{ time: now - 90 * dayMs, pages: { 1: 1_000 } }]);
  await addViews(app(), link, [
    { time: now - 60_000, pages: { 1: 9_000, 2: 61_000, 3: 4_000 } },
    { time: now - 2 * dayMs, pages: { 1: 3_000 } },
    ...Array.from({ length: 510 }, (_, index) => ({
      time: now - 3 * dayMs - index * 3_600_000,
      pages: { 1: 5_000, 2: 20_000 },
    })),
  ]);
});

/** Unfolds the first reader of the document, and then of the link. */
async function expectFit({ page, open }: ConsoleVisit, size: string): Promise<void> {
  for (const [screen, count] of [
    [`${path()}/readers`, 513],
    [`/workspaces/${workspaceId()}/links/${link.id}`, 512],
  ] as const) {
    await open(screen);
    await page.getByText(`${count} entries`).waitFor();
    await page.getByRole('button', { name: 'reader0@example.com' }).click();
    expect(await overhangOf(page), size).toBe(0);
    if (count === 512) continue;
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
    await changeColorScheme(page, 'light');
  }
}

it('a document shows its readers, the pages that each of them read, and pictures', async () => {
  const visit = await visitAs(await member('member'));
  const { page, open } = visit;
  await open(path());
  const recent = page.getByRole('table', { name: 'Recent views' }).getByRole('row');
  await recent.filter({ hasText: 'reader0@example.com' }).waitFor();
  expect(await recent.count()).toBe(11);
  const main = page.getByRole('main');
  const sections = await main.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(sections).toEqual(['Average time per page', 'Recent readers']);
  const chart = 'Chart of the average time per page';
  const strip = page.getByRole('region', { name: chart, exact: true }).last();
  await strip.getByText('513 views').waitFor();
  await expect.poll(() => strip.locator('canvas[data-drawn]').count()).toBe(4);
  expect(await inkOf(page, `section[aria-label="${chart}"]`)).toBeGreaterThan(0.005);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'All readers' }).click();
  const readers = page.getByRole('region', { name: 'Readers' });
  await readers.getByText('513 entries').waitFor();
  const row = readers.getByRole('row').filter({ hasText: 'reader0@example.com' });
  await row.getByRole('link', { name: 'To investors' }).waitFor();
  await row.getByText('1 min 14 s').waitFor();
  const address = row.getByRole('link', { name: 'reader0@example.com' });
  expect(await address.evaluate((link) => link.scrollWidth <= link.clientWidth)).toBe(true);
  const toggle = row.getByRole('button', { name: 'reader0@example.com' });
  await toggle.click();
  const times = page.getByRole('region', { name: 'Time per page of reader0@example.com' });
  await times.waitFor();
  const texts = await times.getByRole('listitem').allInnerTexts();
  expect(texts.map((text) => text.split(/\n+/))).toEqual([
    ['Page 1', '9 s'],
    ['Page 2', '1 min 1 s'],
    ['Page 3', '4 s'],
    ['Page 4', '—'],
  ]);
  await expectAccessible(page);
  await toggle.click();
  await times.waitFor({ state: 'detached' });

  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toMatch(/ views\.csv$/);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines).toHaveLength(514);
  expect(lines[1]).toContain('"1:9000 2:61000 3:4000"');

  await readers.getByRole('searchbox').or(readers.getByRole('textbox')).first().fill('reader1@');
  await readers.getByText('1 entry').waitFor();

  for (const [width, height] of [
    [1024, 768],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expectFit(visit, `${width}`);
  }
});

it('the readers fit a phone', async () => {
  await expectFit(await visitAs(await member('member'), phone), 'phone');
});

it('the row of a reader has the receipt of the agreement', async () => {
  const terms = 'Keep these papers confidential.';
  const document = await upload(app(), Buffer.from('Plan'), 'Plan.txt');
  const gated = await makeLink(app(), document.id, { agreement: terms });
  const reader = new Visitor(gated);
  await reader.post({ email: 'jane@example.com' });
  await reader.post({ code: await lastCode(app(), 'jane@example.com') });
  await reader.post({ agreement: sha256(Buffer.from(terms)) });
  expect((await reader.get('/file')).status).toBe(200);

  const { page, open } = await visitAs(await member('member'), phone);
  await open(`/workspaces/${workspaceId()}/links/${gated.id}`);
  await page.getByRole('button', { name: 'Pages of jane@example.com' }).click();
  await page.getByText('The reader accepted the agreement.').waitFor();
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  const downloads = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download receipt' }).click();
  const download = await downloads;
  expect(download.suggestedFilename()).toMatch(/^agr_.*\.json$/);
  const receipt = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(receipt).toMatchObject({ email: 'jane@example.com' });

  await page.route('**/receipt?*', (route) => route.fulfill({ status: 503 }));
  await page.getByRole('button', { name: 'Download receipt' }).click();
  await page.getByRole('alert').waitFor();
});
