// Using the navigation with the keyboard and on a phone.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { deleteMember } from '../../src/sharing/workspaces/store.ts';
import { transact } from '../../src/storage/database.ts';
import { heading, overhangOf, phone } from '../support/browser-pages.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { addMember } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';

const { app, workspaceId, visit, visitAs, staff, member } = useConsole();

const focused = (page: Page) => page.locator(':focus');

/** Presses Tab until the element with this role and name has the focus. */
async function tabTo(page: Page, role: 'button', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).and(focused(page));
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await wanted.count()) === 1) return;
  }
  throw new Error(`Tab leads to no ${role} ${name}`);
}

it('with the keyboard only, a user signs in, opens a screen, uses it and signs out', async () => {
  const own = await member('member');
  const { page, open } = await visit();
  await open('/sign-in');
  await page.getByLabel('Email address').and(focused(page)).waitFor();
  await page.keyboard.type(own.email);
  await page.keyboard.press('Enter');
  await page.locator('input[name=password]').and(focused(page)).waitFor();
  await page.keyboard.type(own.password);
  await page.keyboard.press('Enter');
  await heading(page, 'Home').and(focused(page)).waitFor();

  await tabTo(page, 'button', 'User menu');
  await page.keyboard.press('Enter');
  await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitem', { name: 'Your account' }).and(focused(page)).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Your account').and(focused(page)).waitFor();
  await tabTo(page, 'button', 'Change password');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  await dialog.getByLabel('Current password').and(focused(page)).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Change password' }).and(focused(page)).waitFor();

  await page.reload();
  await heading(page, 'Your account').waitFor();
  await tabTo(page, 'button', 'User menu');
  await page.keyboard.press('Enter');
  await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitem', { name: 'Your account' }).and(focused(page)).waitFor();
  await page.keyboard.press('End');
  await page.getByRole('menuitem', { name: 'Sign out' }).and(focused(page)).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Sign in').and(focused(page)).waitFor();
});

it('the keyboard reaches header, menu and content, or skips to the content', async () => {
  const { page, open } = await visitAs(await member('member'));
  await open('/account');
  for (const name of ['User menu', 'Change name', 'Copy your ID']) {
    await page.getByRole('button', { name }).waitFor();
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Members' }).waitFor();
  const met: string[] = [];
  for (let presses = 0; presses < 14; presses++) {
    await page.keyboard.press('Tab');
    const focus = focused(page);
    met.push((await focus.getAttribute('aria-label')) ?? (await focus.textContent()) ?? '');
  }
  expect(met).toEqual([
    'Skip to content',
    'Latchkey',
    expect.stringMatching(/^Search or go to/),
    expect.stringMatching(/User menu$/),
    expect.stringMatching(/Workspace: Demo workspace$/),
    ...['Home', 'Documents', 'Links', 'Readers', 'Members'],
    ...['API reference', 'Help with errors'],
    'Change name',
    'Copy your ID',
  ]);

  await open('/account');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await skip.and(focused(page)).waitFor();
  await expect.poll(async () => (await skip.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0);
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('main').and(focused(page)).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('main').locator(':focus').waitFor();
});

it('landmarks have names, unknown paths an error, and the switcher works', async () => {
  const { page, open } = await visitAs(await staff());
  await open('/workspaces');
  await page.getByRole('table', { name: 'Workspaces' }).waitFor();
  for (const role of ['banner', 'navigation', 'main'] as const) {
    expect(await page.getByRole(role).count()).toBe(1);
  }
  const menu = page.getByRole('navigation', { name: 'Main' });
  const current = menu.locator('[aria-current=page]');
  expect(await current.allInnerTexts()).toEqual(['Workspaces']);
  const levels = await page
    .getByRole('heading')
    .evaluateAll((all) => all.map((one) => one.tagName));
  expect(levels).toEqual(['H1']);

  // In a low window, the menu scrolls to the current entry.
  const currentIsShown = async () => {
    const { y: end = 0 } = (await menu.getByRole('group', { name: 'Help' }).boundingBox()) ?? {};
    const { y = 0, height = 0 } = (await current.boundingBox()) ?? {};
    return y > 0 && y + height <= end;
  };
  for (const [name, path, height] of [
    ['Audit log', '/audit', 600],
    // In this window, only the entries of the workspace, which arrive later, move it down.
    ['Users', '/users', 880],
  ] as const) {
    await page.setViewportSize({ width: 1280, height });
    await open(path);
    await menu.getByRole('link', { name: 'Readers' }).waitFor();
    expect(await current.allInnerTexts()).toEqual([name]);
    await expect.poll(currentIsShown).toBe(true);
  }

  await open('/nowhere');
  await heading(page, 'Page not found').waitFor();
  await menu.getByRole('group', { name: 'Administration' }).getByRole('link').first().waitFor();
  await page.getByRole('main').getByRole('heading').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'start page' }).click();
  await heading(page, 'Overview').waitFor();

  for (const screen of ['documents', 'links', 'members']) {
    await open(`/workspaces/ws_0000000000000000000000/${screen}`);
    await heading(page, 'Page not found').waitFor();
  }

  await addWorkspace(app().app.inside.db, '');
  await open('/account');
  await page.getByRole('button', { name: 'Workspace: Choose a workspace' }).click();
  await page.getByRole('option', { name: 'Test workspace' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('option', { name: 'Test workspace' }).click();
  await heading(page, 'Documents').waitFor();
  const switcher = page.getByRole('button', { name: 'Workspace: Test workspace' });
  await switcher.waitFor();
  await menu.getByRole('link', { name: 'Users' }).click();
  await heading(page, 'Users').waitFor();
  await switcher.waitFor();
  await menu.getByRole('group', { name: 'Workspace' }).getByRole('link').first().waitFor();
  await page.reload();
  await heading(page, 'Users').waitFor();
  await switcher.waitFor();
});

it('the menu on a phone can be reached when it is open, and closes', async () => {
  const { page, open } = await visitAs(await staff(), phone);
  await open('/account');
  const menu = page.getByRole('navigation', { name: 'Main' });
  expect(await menu.count()).toBe(0);
  for (let presses = 0; presses < 8; presses++) {
    await page.keyboard.press('Tab');
    expect(await page.locator('nav :focus').count()).toBe(0);
  }
  await page.getByRole('button', { name: 'Open menu' }).click();
  await menu.waitFor();
  await page.getByRole('main').waitFor({ state: 'hidden' });
  // They are in the window without scrolling.
  const help = menu.getByRole('group', { name: 'Help' });
  for (const name of ['API reference', 'Help with errors']) {
    const { y = 0, height = 0 } = (await help.getByRole('link', { name }).boundingBox()) ?? {};
    expect(y + height).toBeGreaterThan(0);
    expect(y + height).toBeLessThanOrEqual(844);
  }
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await changeColorScheme(page, 'dark');
  await expectAccessible(page);
  await menu.getByRole('link', { name: 'Workspaces' }).click();
  await heading(page, 'Workspaces').and(focused(page)).waitFor();
  await menu.waitFor({ state: 'hidden' });

  // It closes after choosing the current screen.
  await page.getByRole('button', { name: 'Open menu' }).click();
  await menu.getByRole('link', { name: 'Workspaces' }).click();
  await page.getByRole('button', { name: 'Open menu' }).waitFor();
  await heading(page, 'Workspaces').waitFor();

  // Escape closes it, and its button gets the focus.
  await page.getByRole('button', { name: 'Open menu' }).click();
  await menu.getByRole('link', { name: 'Workspaces' }).focus();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open menu' }).and(focused(page)).waitFor();
  await heading(page, 'Workspaces').waitFor();
});

it('a screen whose code fails to load can be tried again', async () => {
  const { page, open, complaints } = await visitAs(await staff());
  await open('/account');
  await page.context().setOffline(true);
  await page.getByRole('navigation').getByRole('link', { name: 'Workspaces' }).click();
  const failed = heading(page, 'This page couldn’t be loaded');
  await failed.waitFor();
  const again = page.getByRole('button', { name: 'Try again' });
  // The user is still offline.
  await again.click();
  await failed.waitFor();
  await expectAccessible(page);
  await page.context().setOffline(false);
  await again.click();
  await heading(page, 'Workspaces').waitFor();

  await page.route(/assets\/account-screen/, (route) => route.abort());
  await open('/account#sessions');
  await failed.waitFor();
  await page.unrouteAll();
  await again.click();
  await heading(page, 'Your account').waitFor();
  expect(new URL(page.url()).origin).toBe(app().app.publicUrl);
  // Chromium and React log the failure.
  complaints.splice(0);
});

it('a dialog whose code fails to load leaves its screen', async () => {
  const { page, open, complaints } = await visitAs(await staff());
  // Chromium does not always apply a route to a page that is already open.
  await page.route(/assets\/palette-/, (route) => route.abort());
  await open('/account');
  await page.keyboard.press('Control+K');
  const dialog = page.getByRole('dialog', { name: 'This dialog couldn’t be opened' });
  await dialog.waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await heading(page, 'Your account').waitFor();
  // Chromium and React log the failure.
  complaints.splice(0);
});

it('the start shows a member the last workspace, or the only one', async () => {
  const { db } = app().app.inside;
  const own = await member('member');
  const { ownerId: other } = await addWorkspace(db, '');
  await addMember(db, other, 'member', own.id);
  const { page, open } = await visitAs(own);
  await open('/');
  await heading(page, 'Workspaces').waitFor();
  await open(`/workspaces/${other}/documents`);
  await open('/account');
  await open('/');
  await page.waitForURL(`**/workspaces/${other}/home`);

  await transact(db, (trx) => deleteMember(trx, other, own.id));
  await open('/');
  await page.waitForURL(`**/workspaces/${workspaceId()}/home`);
  await heading(page, 'Home').waitFor();
});
