// The readers of a workspace: the list, the page of one person, and the erasure.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { heading, overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import {
  type ConsoleVisit,
  changeColorScheme,
  expectAccessible,
  useConsole,
} from '../support/console-suite.ts';
import { makeWatchedLink, openLink, readPages, reportView } from '../support/link-views.ts';
import { makePdf } from '../support/pdf.ts';
import { type LinkFields, makeLink, uploadVersion } from '../support/sharing-api.ts';

const clock = { aheadMs: 0 };
const { app, workspaceId, visitAs, member } = useConsole({
  now: () => Date.now() + clock.aheadMs,
});

const people = () => `/workspaces/${workspaceId()}/readers`;

const rowsOf = (page: Page, name: string) =>
  page
    .getByRole('table', { name })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });

async function read(link: LinkFields, email: string, pages: string): Promise<void> {
  const cookie = await openLink(link, email);
  clock.aheadMs += 120_000;
  expect((await reportView(link, cookie, readPages(pages))).status).toBe(204);
  await app().app.inside.views.flush();
}

let board: LinkFields;

beforeAll(async () => {
  board = await makeWatchedLink(app(), { name: 'For the board' });
  await read(board, 'jane@example.com', '1:7000,2:22000');
  await read(board, 'omar@example.org', '1:3000');
  await uploadVersion(app(), board.document_id, makePdf({ pages: 2, text: 'Second' }), 'deck.pdf');
  const bank = await makeLink(app(), board.document_id, {
    name: 'For the bank',
    email_required: true,
  });
  await read(bank, 'jane@example.com', '2:5000');
});

/** The list and the page of one person. */
async function expectFit({ page, open }: ConsoleVisit): Promise<void> {
  await open(people());
  await expect.poll(() => rowsOf(page, 'Readers').count()).toBe(2);
  expect(await overhangOf(page)).toBe(0);
  await page.getByRole('link', { name: 'jane@example.com' }).click();
  await expect.poll(() => rowsOf(page, 'Views').count()).toBe(2);
  expect(await overhangOf(page)).toBe(0);
  await changeColorScheme(page, 'dark');
  await expectAccessible(page);
}

it('the readers of a workspace are listed, searched, saved, and have a page each', async () => {
  const visit = await visitAs(await member('member'));
  const { page, open } = visit;
  await open(`/workspaces/${workspaceId()}/documents`);
  await page.getByRole('link', { name: 'Readers', exact: true }).click();
  await heading(page, 'Readers').waitFor();
  const rows = rowsOf(page, 'Readers');
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.first().innerText()).toContain('jane@example.com');
  await expectAccessible(page);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe('Readers.csv');
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toContain('"email","view_count"');
  expect(lines[1]).toContain('jane@example.com');
  await page.getByRole('searchbox').or(page.getByRole('textbox')).first().fill('omar');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.first().getByRole('link', { name: 'omar@example.org' }).click();
  await heading(page, 'omar@example.org').waitFor();
  await page.getByRole('link', { name: 'Readers', exact: true }).first().waitFor();

  // The page of a person has every link, version and page.
  await open(`/workspaces/${workspaceId()}/links/${board.id}`);
  await page.getByRole('link', { name: 'jane@example.com' }).click();
  await heading(page, 'jane@example.com').waitFor();
  const views = rowsOf(page, 'Views');
  await expect.poll(() => views.count()).toBe(2);
  for (const text of ['deck.pdf', '2', 'For the bank', '5 s']) {
    await views.nth(0).getByText(text, { exact: true }).first().waitFor();
  }
  await views.nth(1).getByRole('link', { name: 'For the board' }).waitFor();
  await views.nth(1).getByRole('button', { name: 'Pages of deck.pdf' }).click();
  const times = page.getByRole('region', { name: 'Time per page of jane@example.com' });
  await times.getByText('22 s').waitFor();
  await expectAccessible(page);
  await views.nth(0).getByRole('link', { name: 'deck.pdf' }).click();
  await heading(page, 'deck.pdf').waitFor();
  await expectFit(visit);
});

it('the readers of a workspace fit a phone', async () => {
  await expectFit(await visitAs(await member('member'), phone));
});

it('a reader is erased after a confirmation, and the views stay without the address', async () => {
  await read(board, 'erase.me@example.com', '1:4000');
  const own = await makeLink(app(), board.document_id, { recipient: 'erase.me@example.com' });
  const { page, open } = await visitAs(await member('member'));
  await open(people());
  await chooseRowAction(page, 'Erase', 'erase.me@example.com');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('that no count changes').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Erase' }).click();
  await page.getByText('Address erased').waitFor();
  await expect.poll(() => rowsOf(page, 'Readers').count()).toBe(2);
  await open(`/workspaces/${workspaceId()}/links/${board.id}`);
  await page.getByText('3 entries').waitFor();
  await page.getByText('Anonymous').waitFor();
  expect(await page.getByText('erase.me@example.com').count()).toBe(0);
  await open(`/workspaces/${workspaceId()}/links/${own.id}`);
  await heading(page, 'Erased reader').waitFor();
  expect(await page.getByText('deleted.invalid').count()).toBe(0);
});
