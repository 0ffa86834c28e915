import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { desktop, overhangOf } from '../support/browser-pages.ts';
import { expectFitForAll } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { addViews, dayMs, rowOf } from '../support/link-rows.ts';
import {
  makeWatchedLink,
  openLink,
  otherVisit,
  readPages,
  reportView,
  viewsOf,
} from '../support/link-views.ts';
import type { LinkFields } from '../support/sharing-api.ts';

const clock = { aheadMs: 0 };
const { app, workspaceId, visitAs, staff, member } = useConsole({
  now: () => Date.now() + clock.aheadMs,
});

const pathOf = (link: LinkFields) => `/workspaces/${workspaceId()}/links/${link.id}`;

/** Records a view with the reported pages. */
async function viewed(link: LinkFields, email: string, ...reports: Record<string, string>[]) {
  const cookie = await openLink(link, email);
  clock.aheadMs += 120_000;
  for (const form of reports) expect((await reportView(link, cookie, form)).status).toBe(204);
  await app().app.inside.views.flush();
}

/** The table of a chart, without zero rows unless `all` is set. */
async function barsOf(page: Page, name: string, zero?: string): Promise<string[][]> {
  const chart = page.getByRole('figure', { name });
  await chart.getByText('Show as table').click();
  const rows = chart.getByRole('table').getByRole('row');
  await rows.first().waitFor();
  const texts = (await rows.allInnerTexts()).map((text) => text.split('\t'));
  return texts.slice(1).filter(([, text]) => text !== zero);
}

describe('a link', () => {
  it('shows its properties, its document and its URL, and its views', async () => {
    const link = await makeWatchedLink(app(), { name: 'For the board', password: 'open sesame' });
    const { page, open } = await visitAs(await member('member'));
    await open(pathOf(link));
    await page.getByRole('heading', { level: 1, name: 'For the board' }).waitFor();
    await page.getByText('No views yet').waitFor();
    for (const fact of [link.url, link.id, 'Password, email required', 'Not allowed']) {
      await page.getByText(fact, { exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Copy link ID' }).waitFor();
    const address = page.getByRole('link', { name: 'Open' });
    expect(await address.getAttribute('href')).toBe(link.url);
    expect(await address.getAttribute('rel')).toBe('noopener noreferrer');
    const document = page.getByRole('link', { name: 'deck.pdf' });
    expect(await document.getAttribute('href')).toBe(
      `/console/workspaces/${workspaceId()}/documents/${link.document_id}`,
    );
    await expectAccessible(page);

    // A view without an address is anonymous.
    await addViews(app(), link, [{ time: Date.now(), email: '' }]);
    await page.reload();
    await page.getByRole('cell', { name: 'Anonymous' }).waitFor();

    await open(`/workspaces/${workspaceId()}/links/lnk_none`);
    await page.getByRole('alert').getByText('The workspace has no such link.').waitFor();

    // A view names the program that read for a person.
    const forPrograms = { name: 'For programs', program_access: true };
    const programs = await makeWatchedLink(app(), forPrograms);
    const view = { time: Date.now(), email: 'jane.doe@example.com' };
    await addViews(app(), programs, [{ ...view, program: 'Assistant of the legal department' }]);
    await open(pathOf(programs));
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.getByText('Read by Assistant of the legal department').waitFor();
      await page.getByText('May read for a person').waitFor();
      expect(await overhangOf(page)).toBe(0);
    }

    // The screen of the document shows the same number of views.
    const counted = await makeWatchedLink(app(), { name: 'Counted' });
    await open(`/workspaces/${workspaceId()}/documents/${counted.document_id}/links`);
    const name = page.getByRole('link', { name: 'Counted' });
    const views = rowOf(page, 'Counted').getByRole('cell').nth(3);
    await expect.poll(() => views.textContent()).toContain('0');
    await viewed(counted, 'counted@example.com', readPages('1:1000'));

    // The console loaded the list a moment ago.
    await name.click();
    await page.getByRole('cell', { name: 'counted@example.com' }).waitFor();
    await page.goBack();

    await expect.poll(() => views.textContent()).toContain('1');
  });

  it('shows a new view on an untouched page', async () => {
    const link = await makeWatchedLink(app(), { name: 'Watched' });
    const { page, open } = await visitAs(await member('member'));
    await page.clock.install();
    await open(pathOf(link));
    await page.getByText('No views yet').waitFor();
    await viewed(link, 'new@example.com', readPages('1:1000'));
    await page.clock.fastForward(11_000);
    await page.getByRole('cell', { name: 'new@example.com' }).waitFor();
  });

  it('is edited and revoked on its screen, which fits a window of any size', async () => {
    const link = await makeWatchedLink(app());
    const { page, open } = await visitAs(await member('member'));
    await open(pathOf(link));
    await page.getByRole('heading', { level: 1, name: 'deck.pdf' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit link' });
    await dialog.getByLabel('Name').fill('Renamed');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
    await chooseRowAction(page, 'Revoke', '“Renamed”');
    await page
      .getByRole('dialog', { name: 'Revoke “Renamed”?' })
      .getByRole('button', { name: 'Revoke link' })
      .click();
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    await page.getByText('The link was revoked before anyone opened it.').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    expect((await fetch(link.url)).status).toBe(410);
    await expectAccessible(page);

    const watched = await makeWatchedLink(app(), { name: 'To investors' });
    const now = Date.now();
    const rows = Array.from({ length: 60 }, (_, index) => ({
      time: now - ((index * index) % 40) * dayMs - index * 3_600_000,
      pages: { 1: 9_000 + 200 * index, 2: 30_000 - 300 * index, 3: 1_000 * (index % 7) },
    }));
    await addViews(app(), watched, rows);
    await open(pathOf(watched));
    await page.getByRole('figure', { name: 'Views per day' }).waitFor();
    await page.getByText('reader0@example.com').waitFor();
    await page.getByText('Show as table').first().click();
    // The sticky header of the table would cover a part of some row.
    await page.evaluate('scrollTo(0, 0)');
    await expectFitForAll(page);
  });

  it('is read-only without the write scope', async () => {
    const link = await makeWatchedLink(app(), { name: 'Only looked at' });
    const reader = await staff(['workspaces:read', 'documents:read', 'links:read']);
    const { page, open } = await visitAs(reader);
    await open(pathOf(link));
    await page.getByText('No views yet').waitFor();
    for (const name of ['Edit', /^Actions/]) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    await page.getByRole('main').getByRole('link', { name: 'Links' }).click();
    await page.getByRole('link', { name: 'Only looked at' }).waitFor();
    await page.getByRole('button', { name: 'Copy URL' }).first().waitFor();
    for (const name of ['Create link', /^Actions/]) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
  });
});

describe('the views of a link', () => {
  it('are listed and totalled', async () => {
    const link = await makeWatchedLink(app());
    await viewed(link, 'first@example.com', readPages('1:20000,2:40000'));
    await viewed(
      link,
      'second@example.com',
      readPages('2:10000'),
      readPages('2:5000,3:1500', otherVisit),
    );
    await viewed(link, 'third@example.com');
    const { page, open } = await visitAs(await member('member'));
    await open(pathOf(link));

    const rows = page.getByRole('table', { name: 'Views', exact: true }).getByRole('row');
    await rows
      .filter({ hasText: 'third@example.com' })
      .getByText('third@example.com', { exact: true })
      .waitFor();
    const first = rows.filter({ hasText: 'first@example.com' });
    await first.getByText('1 min', { exact: true }).waitFor();
    await first.getByText('1–2', { exact: true }).waitFor();
    await first.getByText('Longest: page 2, 40 s').waitFor();
    expect(await rows.count()).toBe(4);

    const views = await viewsOf(app(), link);
    const times = new Map<number, number>();
    for (const { page: number, duration_ms } of views.flatMap(({ pages }) => pages)) {
      times.set(number, (times.get(number) ?? 0) + duration_ms);
    }
    expect([...times].sort()).toEqual([
      [1, 20_000],
      [2, 55_000],
      [3, 1_500],
    ]);
    const strip = page
      .getByRole('region', { name: 'Chart of the average time per page', exact: true })
      .last();
    const items = (await strip.getByRole('listitem').allInnerTexts()).map((text) =>
      text.split(/\n+/),
    );
    expect(items.map(([name, time]) => [name, time])).toEqual([
      ['Page 1', '20 s'],
      ['Page 2', '28 s'],
      ['Page 3', '2 s'],
    ]);
    await page.getByText('at least a second, out of 3 views. Longest: page 2, 28 s.').waitFor();
    const days = await barsOf(page, 'Views per day');
    expect(days).toHaveLength(30);
    expect(days.reduce((sum, [, text]) => sum + Number(text), 0)).toBe(3);
    // The sticky header of the table would cover a part of some row.
    await page.evaluate('scrollTo(0, 0)');
    await expectAccessible(page);

    // They are listed in pages, and the charts cover all of them.
    const many = await makeWatchedLink(app());
    const now = Date.now();
    const added = Array.from({ length: 1_010 }, (_, index) => ({
      time: now - index * 60_000,
      pages: { 1: 1_000 },
    }));
    await addViews(app(), many, added);
    await open(pathOf(many));
    await rows.nth(20).waitFor();
    expect(await rows.count()).toBe(21);
    await page.getByRole('button', { name: 'Load more' }).click();
    await rows.nth(40).waitFor();
    await page.getByText('out of 1,010 views').waitFor();
    const bars = await barsOf(page, 'Views per day', '0');
    const counts = bars.map(([, text = '']) => Number(text.replace(',', '')));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_010);
  });

  it('are counted per day in the time zone of the browser, on both pages', async () => {
    const link = await makeWatchedLink(app());
    const timeZone = 'Pacific/Auckland';
    const utcDay = Math.floor((Date.now() - 5 * dayMs) / dayMs) * dayMs;
    // Midnight there is at 11:00 or 12:00 UTC, so both views have the same UTC date.
    const times = [utcDay + 9 * 3_600_000, utcDay + 14 * 3_600_000, utcDay + 15 * 3_600_000];
    await addViews(
      app(),
      link,
      times.map((time) => ({ time })),
    );
    const label = (time: number) =>
      new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone }).format(time);
    const settings = { ...desktop, timezoneId: timeZone, locale: 'en-US' };
    const { page, open } = await visitAs(await member('member'), settings);
    for (const path of [
      pathOf(link),
      `/workspaces/${workspaceId()}/documents/${link.document_id}`,
    ]) {
      await open(path);
      expect(await barsOf(page, 'Views per day', '0')).toEqual([
        [label(utcDay + dayMs), '2'],
        [label(utcDay), '1'],
      ]);
      await page.getByText('Time zone: Pacific/Auckland.').waitFor();
    }
  });
});
