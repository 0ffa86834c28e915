// Who read which page: on the page of a document, through all its links.
import { beforeAll, describe, expect, it } from 'vitest';
import { inkOf, overhangOf, phone, settle, takePicture } from '../support/browser-pages.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { addViews, dayMs } from '../support/link-rows.ts';
import { makeReport } from '../support/report-pdf.ts';
import { type LinkFields, makeLink, upload } from '../support/sharing-api.ts';

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

describe('the page of a document', () => {
  it('lists its readers, and the pages that each of them read', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(`${path()}/readers`);
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
    expect(
      (await times.getByRole('listitem').allInnerTexts()).map((text) => text.split(/\n+/)),
    ).toEqual([
      ['Page 1', '9 s'],
      ['Page 2', '1 min 1 s'],
      ['Page 3', '4 s'],
      ['Page 4', '—'],
    ]);
    await expectAccessible(page);
    await toggle.click();
    await times.waitFor({ state: 'detached' });

    await readers.getByRole('searchbox').or(readers.getByRole('textbox')).first().fill('reader1@');
    await readers.getByText('1 entry').waitFor();
  });

  it('shows its newest readers first', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(path());
    const rows = page.getByRole('table', { name: 'Recent views' }).getByRole('row');
    await rows.filter({ hasText: 'reader0@example.com' }).waitFor();
    expect(await rows.count()).toBe(11);
    const main = page.getByRole('main');
    const sections = await main.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(sections).toEqual(['Average time per page', 'Recent readers']);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All readers' }).click();
    await page.getByText('513 entries').waitFor();
  });

  it('shows small pictures of the pages with the average time', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(path());
    const strip = page
      .getByRole('region', { name: 'Chart of the average time per page', exact: true })
      .last();
    await strip.getByText('513 views').waitFor();
    await expect.poll(() => strip.locator('canvas[data-drawn]').count()).toBe(4);
    expect(
      await inkOf(page, 'section[aria-label="Chart of the average time per page"]'),
    ).toBeGreaterThan(0.005);
  });

  it('saves all views as CSV', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(`${path()}/readers`);
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toMatch(/ views\.csv$/);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trim().split('\r\n');
    expect(lines).toHaveLength(514);
    expect(lines[1]).toContain('"1:9000 2:61000 3:4000"');
  });

  it.each([
    ['phone', phone],
    ['1024', { viewport: { width: 1024, height: 768 } }],
    ['1440', { viewport: { width: 1440, height: 900 } }],
  ])('fits a window: %s', async (size, settings) => {
    const { page, open } = await visitAs(await member('member'), settings);
    await open(`${path()}/readers`);
    await page.getByText('513 entries').waitFor();
    await page.getByRole('button', { name: 'reader0@example.com' }).click();
    expect(await overhangOf(page)).toBe(0);
    await settle(page);
    await takePicture(page, `readers-${size}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await takePicture(page, `readers-${size}-dark`);
    await page.goto(`${app().app.publicUrl}/console/workspaces/${workspaceId()}/links/${link.id}`);
    await page.getByText('512 entries').waitFor();
    await page.getByRole('button', { name: 'reader0@example.com' }).click();
    expect(await overhangOf(page)).toBe(0);
    await takePicture(page, `readers-link-${size}`);
  });
});
