// Tables of the console: their layout in narrow windows, their rows and their times.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { heading, overhangOf } from '../support/browser-pages.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { makePdf } from '../support/pdf.ts';
import {
  callSharingApi,
  type DocumentFields,
  makeLink,
  makeZip,
  upload,
} from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

const pathOf = (screen: string) => `/workspaces/${workspaceId()}/${screen}`;
const minuteMs = 60_000;

let document: DocumentFields;

beforeAll(async () => {
  document = await upload(app(), makePdf({ pages: 2, text: 'Terms' }), 'terms.pdf');
  const create_time = Date.now() - 90 * minuteMs;
  await transact(app().app.inside.db, async (trx) => {
    await trx.updateTable('documents').set({ create_time }).where('id', '=', document.id).execute();
  });
  await makeLink(app(), document.id, { name: 'For the board' });
  const verified = { email_required: true, email_verification_required: true };
  const ended = await makeLink(app(), document.id, { name: 'Withdrawn', ...verified });
  await callSharingApi(app(), 'DELETE', `/links/${ended.id}`);
});

/** How the first row is laid out. */
const displayOf = (page: Page) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('tbody tr')).display`);

const openingRow = (page: Page) => page.getByRole('row').filter({ hasText: 'terms.pdf' });

it('a table at 1,024 pixels has one line per row and its header in sight', async () => {
  const viewport = { width: 1024, height: 768 };
  const { page, open } = await visitAs(await staff(), { viewport });
  const paths = [
    ...['documents', 'links', 'settings/api-keys'].map(pathOf),
    ...['/users', '/clients', '/customers', '/audit'],
  ];
  for (const path of paths) {
    await open(path);
    await page.getByRole('cell').first().waitFor();
    expect([path, await displayOf(page)]).toEqual([path, 'table-row']);
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('tbody tr')].map((row) => row.clientHeight)`,
    );
    expect([path, Math.max(...heights) <= 42]).toEqual([path, true]);
    expect([path, await overhangOf(page)]).toEqual([path, 0]);
  }

  await page.setViewportSize({ width: 1280, height: 400 });
  await open('/audit');
  await page.getByRole('cell').first().waitFor();
  await page.evaluate(`(() => {
    const row = document.querySelector('tbody tr');
    for (let count = 0; count < 40; count++) row.after(row.cloneNode(true));
    scrollTo(0, 1000);
  })()`);
  const header = page.getByRole('columnheader').first();
  await expect.poll(async () => Math.round((await header.boundingBox())?.y ?? 0)).toBe(52);

  // A short ID has one line, and the whole ID is copied.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('/clients');
  const id = app().env.CLIENT_ID;
  await page.getByText(`${id.slice(0, 8)}…${id.slice(-5)}`, { exact: true }).waitFor();
  await page.getByRole('button', { name: `Copy client ID ${id}` }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(id);

  // Workspaces are searched in the switcher.
  await open('/account');
  await page.getByRole('button', { name: /^Workspace:/ }).click();
  await page.getByRole('textbox', { name: 'Search workspaces' }).fill('demo');
  await page.getByRole('option', { name: 'Demo workspace' }).click();
  await heading(page, 'Documents').waitFor();
});

it('a row shows its values, opens its page, and has two lines on a phone', async () => {
  const { page, open } = await visitAs(await member('member'));
  await open(pathOf('documents'));
  const time = openingRow(page).getByRole('time');
  await time.getByText('1 hr. ago').waitFor();
  const exact = (await time.getAttribute('title')) ?? '';
  expect(exact).toMatch(/\d{4}, \d+:\d\d:\d\d/);
  const shown = await time.locator('[aria-hidden]').textContent();
  expect(shown).toBe('1 hr. ago');
  expect(await time.textContent()).toBe(`${shown}${exact}`);

  // A dash stands for a missing value.
  await open(pathOf('links'));
  const expiryOf = (name: string) =>
    page.getByRole('row').filter({ hasText: name }).locator('td[data-title="Expires"]');
  expect(await expiryOf('Withdrawn').textContent()).toBe('—');
  expect(await expiryOf('For the board').textContent()).toBe('Never');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => expiryOf('Withdrawn').isVisible()).toBe(false);
  // The value continues the title: “Expires never”.
  expect(await expiryOf('For the board').innerText()).toBe('never');

  // A phone has rows with two lines.
  await open(pathOf('documents'));
  await openingRow(page).waitFor();
  expect(await displayOf(page)).toBe('block');
  expect(await overhangOf(page)).toBe(0);

  // A click outside the name opens the page; a click on the menu does not.
  await page.setViewportSize({ width: 1280, height: 800 });
  await openingRow(page)
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  await page.keyboard.press('Escape');
  await heading(page, 'Documents').waitFor();
  await openingRow(page).getByText('PDF', { exact: true }).click();
  await heading(page, 'terms.pdf').waitFor();
});

it('a list is searched and sorted by the service, and its address says how', async () => {
  for (const name of ['Anchor.zip', 'buoy.zip', 'Compass.zip']) {
    await upload(app(), makeZip(name), name);
  }
  const { page, open } = await visitAs(await member('member'));
  await open(pathOf('documents'));
  const names = () => page.getByRole('row').getByRole('link').allTextContents();
  await page.getByRole('status').getByText('4 entries').waitFor();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search Documents' });
  await search.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('BUOY');
  await page.getByRole('status').getByText('1 entry').waitFor();
  expect(await names()).toEqual(['buoy.zip']);
  await search.fill('nothing like it');
  await page.getByText('No results').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show all' }).click();

  const byName = page.getByRole('columnheader', { name: 'Name' });
  await byName.getByRole('button').click();
  const sorted = ['Anchor.zip', 'buoy.zip', 'Compass.zip', 'terms.pdf'];
  await expect.poll(names).toEqual(sorted);
  expect(await byName.getAttribute('aria-sort')).toBe('ascending');
  await byName.getByRole('button').click();
  await expect.poll(names).toEqual(sorted.toReversed());
  await expectAccessible(page);

  for (const name of ['tide 1.zip', 'tide 2.zip']) await upload(app(), makeZip(name), name);
  await open(pathOf('documents'));
  const expectState = async () => {
    await expect.poll(names).toEqual(['tide 1.zip', 'tide 2.zip']);
    expect(await search.inputValue()).toBe('tide');
  };
  await search.pressSequentially('tide', { delay: 20 });
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await expectState();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('q'), searchParams.get('order')]).toEqual(['tide', 'name']);

  await page.reload();
  await expectState();
  await page.getByRole('link', { name: 'tide 1.zip' }).click();
  await heading(page, 'tide 1.zip').waitFor();
  await page.goBack();
  await expectState();

  const menu = page.getByRole('navigation', { name: 'Main' });
  await menu.getByRole('link', { name: 'Documents' }).click();
  await expect.poll(async () => (await names()).length).toBeGreaterThan(2);
  expect(await search.inputValue()).toBe('');
  await search.fill('7');
  await expect.poll(() => new URL(page.url()).search).toBe('?q=%227%22');
  await page.reload();
  await expect.poll(() => search.inputValue()).toBe('7');
});
