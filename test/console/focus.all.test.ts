// The focus after an action, for keyboard and screen reader users.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { desktop } from '../support/browser-pages.ts';
import { chooseRowAction, openFilter } from '../support/console-menus.ts';
import { useConsole } from '../support/console-suite.ts';
import { makePdf } from '../support/pdf.ts';
import { upload } from '../support/sharing-api.ts';
import { addUser } from '../support/user-rows.ts';

const { app, workspaceId, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;
const low = { ...desktop, viewport: { width: 1280, height: 600 } };

/** The focused element: its role or tag, and its name or text. */
const focusOf = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { activeElement: at } = document;
    const label = at.labels?.[0]?.textContent ?? at.getAttribute('aria-label') ?? at.textContent;
    return at === document.body ? 'nothing' : at.localName + ': ' + label.slice(0, 40);
  })()`);

const expectFocus = (page: Page, place: RegExp) => expect.poll(() => focusOf(page)).toMatch(place);

it('an error in a form gets the focus, whether the service or the form reports it', async () => {
  const { page, open } = await visitAs(await staff(), low);
  const dialog = page.getByRole('dialog');
  const submit = () => dialog.getByRole('button', { name: 'Create' }).click();
  await open('/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  await dialog.getByLabel('Type').selectOption('Staff: manages the service');
  await dialog.getByLabel('Email address').fill('nonsense');
  await submit();
  await expectFocus(page, /^input: Email address/);
  const box = await dialog.getByLabel('Email address').boundingBox();
  expect(box?.y).toBeGreaterThan(0);

  await open('/clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  await dialog.getByLabel('Name').fill('Ledger');
  await dialog.getByLabel('Add an area', { exact: true }).fill('payments');
  await submit();
  await expectFocus(page, /^input: Add an area/);

  await open(`/workspaces/${workspaceId()}/settings/api-keys`);
  await page.getByRole('button', { name: 'Create API key' }).click();
  await dialog.getByLabel('Name').fill('CI');
  await dialog.getByLabel('Expires').fill('20270-01-01T00:00');
  await submit();
  await dialog.getByText('Enter a year with four digits.').waitFor();
  await expectFocus(page, /^input: Expires/);
});

it('after an action, the focus is on the button, the heading or the first new row', async () => {
  const { page, open } = await visitAs(await staff());
  await upload(app(), makePdf({ pages: 1, text: 'Terms' }), 'terms.pdf');
  await open(`/workspaces/${workspaceId()}/documents`);
  const dialog = page.getByRole('dialog');
  await chooseRowAction(page, 'Rename');
  await dialog.getByLabel('Name').fill('conditions.pdf');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('link', { name: 'conditions.pdf' }).waitFor();
  await expectFocus(page, /^button: Actions for/);
  await chooseRowAction(page, 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No documents yet').waitFor();
  await expectFocus(page, /^h1: Documents/);

  const { id } = await addUser(db(), { kind: 'member', name: 'Bosun' });
  await open(`/users/${id}`);
  await chooseRowAction(page, 'Disable', 'Bosun');
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).waitFor();
  await expectFocus(page, /^button: Actions for Bosun/);
  // The pressed button vanishes.
  await page.getByRole('button', { name: 'Enable' }).press('Enter');
  await page.getByRole('button', { name: 'Enable' }).waitFor({ state: 'detached' });
  await expectFocus(page, /^h1: Bosun/);

  for (let i = 0; i < 50; i++) await addUser(db(), { kind: 'member' });
  await open('/users?kind=member');
  const more = page.getByRole('button', { name: 'Load more' });
  await more.press('Enter');
  await more.waitFor({ state: 'detached' });
  await expectFocus(page, /^tr: /);
  const row = page.getByRole('row').nth(51);
  await row.and(page.locator(':focus')).waitFor();

  for (const path of ['/users', '/audit']) {
    await open(path);
    const form = page.getByRole('search');
    await openFilter(page);
    const field = form.locator('input:not([type=hidden])').first();
    await field.fill('nothing');
    await field.press('Enter');
    await page.waitForURL(/=nothing/);
    await expectFocus(page, /^summary: /);
    await page.getByRole('button', { name: 'Clear filter' }).press('Enter');
    await page.waitForURL(/^[^?]*$/);
    await expectFocus(page, /^summary: /);
    await openFilter(page);
    expect(await field.inputValue()).toBe('');
  }
});
