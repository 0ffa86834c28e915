// Actions on credentials in the console, and checks that every page must pass.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { desktop, overhangOf, phone } from './browser-pages.ts';
import { changeColorScheme, expectAccessible } from './console-suite.ts';

const run = promisify(execFile);

export type TakenSecret = {
  readonly secret: string;
  /** Empty if the row has no such text. */
  readonly command: string;
  /** The whole text of its dialog. */
  readonly text: string;
};

/** Reads a secret that is shown once, and confirms that it is stored. */
export async function takeSecret(page: Page): Promise<TakenSecret> {
  const dialog = page.getByRole('dialog').filter({ hasText: 'It isn’t shown again' });
  await dialog.waitFor();
  const texts = await dialog.locator('code').allTextContents();
  const [secret = '', command = ''] = texts.filter((shown) => !/^cli_\w+$/.test(shown));
  const text = (await dialog.textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return { secret, command, text };
}

/** Adds scopes of areas outside the service, separated by spaces. */
export async function addScopes(dialog: Locator, scopes: string): Promise<void> {
  const field = dialog.getByRole('combobox', { name: 'Add an area' });
  await field.fill(scopes);
  await field.press('Enter');
}

/** Runs a line that a user would paste into a shell, and parses its JSON output. */
export async function paste(line: string): Promise<unknown> {
  const { stdout } = await run('sh', ['-c', line]);
  return JSON.parse(stdout);
}

/** Checks accessibility and layout of the page: light on a desktop, dark on a phone. */
export async function expectFitForAll(page: Page): Promise<void> {
  for (const [{ viewport }, colorScheme] of [
    [phone, 'dark'],
    [desktop, 'light'],
  ] as const) {
    if (viewport) await page.setViewportSize(viewport);
    await changeColorScheme(page, colorScheme);
    // A resized page moves its content in a transition.
    await expect.poll(() => overhangOf(page)).toBe(0);
    await expectAccessible(page);
  }
}
