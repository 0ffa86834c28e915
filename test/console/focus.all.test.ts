// The focus after an action, for keyboard and screen reader users.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
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

describe('an error in a form', () => {
  it('gets the focus if the service reports it', async () => {
    const { page, open } = await visitAs(await staff(), low);
    await open('/users');
    await page.getByRole('button', { name: 'Create user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type').selectOption('Staff: manages the service');
    await dialog.getByLabel('Email address').fill('nonsense');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expectFocus(page, /^input: Email address/);
    const box = await dialog.getByLabel('Email address').boundingBox();
    expect(box?.y).toBeGreaterThan(0);
  });

  it('gets the focus if the form reports it', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/clients');
    await page.getByRole('button', { name: 'Create client' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Ledger');
    await dialog.getByLabel('Add an area', { exact: true }).fill('payments');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expectFocus(page, /^input: Add an area/);
  });

  it('is shown for a year with five digits', async () => {
    const { page, open } = await visitAs(await staff());
    await open(`/workspaces/${workspaceId()}/settings/api-keys`);
    await page.getByRole('button', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('CI');
    await dialog.getByLabel('Expires').fill('20270-01-01T00:00');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Enter a year with four digits.').waitFor();
    await expectFocus(page, /^input: Expires/);
  });
});

describe('after an action, the focus', () => {
  it('returns to the button, or to the heading if the button is gone', async () => {
    const { page, open } = await visitAs(await staff());
    await upload(app(), makePdf({ pages: 1, text: 'Terms' }), 'terms.pdf');
    await open(`/workspaces/${workspaceId()}/documents`);
    await chooseRowAction(page, 'Rename');
    await page.getByRole('dialog').getByLabel('Name').fill('conditions.pdf');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('link', { name: 'conditions.pdf' }).waitFor();
    await expectFocus(page, /^button: Actions for/);
    await chooseRowAction(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No documents yet').waitFor();
    await expectFocus(page, /^h1: Documents/);
  });

  it('is kept if another button replaces the pressed one', async () => {
    const { page, open } = await visitAs(await staff());
    const { id } = await addUser(db(), { kind: 'member', name: 'Bosun' });
    await open(`/users/${id}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await expectFocus(page, /^h1: Bosun/);
    await page.getByRole('button', { name: 'Enable' }).press('Enter');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await expectFocus(page, /^h1: Bosun/);
  });

  it('moves to the first new row', async () => {
    for (let i = 0; i < 51; i++) await addUser(db(), { kind: 'member' });
    const { page, open } = await visitAs(await staff());
    await open('/users?kind=member');
    const more = page.getByRole('button', { name: 'Load more' });
    await more.press('Enter');
    await more.waitFor({ state: 'detached' });
    await expectFocus(page, /^tr: /);
    const row = page.getByRole('row').nth(51);
    await row.and(page.locator(':focus')).waitFor();
  });

  it('stays in the filter', async () => {
    const { page, open } = await visitAs(await staff());
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
});
