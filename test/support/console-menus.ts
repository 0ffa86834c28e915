// The menus and tabs of the console.
import type { Locator, Page } from 'playwright-core';

async function chooseFromUserMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name }).click();
}

export const signOut = (page: Page) => chooseFromUserMenu(page, 'Sign out');

export const openAccount = (page: Page) => chooseFromUserMenu(page, 'Your account');

/** Opens the list of workspaces with the workspace switcher. */
export async function openWorkspaces(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Workspace:/ }).click();
  await page.getByRole('option', { name: /all workspaces/i }).click();
}

/** Unfolds the filter of a list. */
export async function openFilter(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'Filter' }).click();
}

/** Opens the menu of the only row within `place`, or of the row with this name. */
export async function openRowMenu(place: Page | Locator, name = ''): Promise<Locator> {
  await place.getByRole('button', { name: `Actions for ${name}` }).click();
  return ('page' in place ? place.page() : place).getByRole('menu');
}

/** Chooses an action in the menu of a row; see `openRowMenu`. */
export async function chooseRowAction(
  place: Page | Locator,
  action: string,
  name = '',
): Promise<void> {
  const menu = await openRowMenu(place, name);
  await menu.getByRole('menuitem', { name: action, exact: true }).click();
}

/** The tabs of a document. */
export const documentTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Document' }).getByRole('link', { name });
