// A reader at the gate, in a browser.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Presses a button and waits for the next page with its styles. */
export async function press(page: Page, name: string): Promise<void> {
  const arrived = page.waitForEvent('load');
  await page.getByRole('button', { name }).click();
  await arrived;
}

/** Fills in the field and submits the form. A complete code submits itself. */
export async function answer(page: Page, label: string, text: string): Promise<void> {
  if (label === 'Code') {
    const arrived = page.waitForEvent('load');
    await page.getByLabel(label).fill(text);
    await arrived;
    return;
  }
  await page.getByLabel(label).fill(text);
  await press(page, 'Continue');
}

/** Waits for the error, which must describe the field. */
export async function expectError(page: Page, label: string, text: string): Promise<void> {
  const alert = page.getByRole('alert');
  await expect.poll(() => alert.textContent()).toContain(text);
  const field = page.getByLabel(label);
  const describing = (await field.getAttribute('aria-describedby'))?.split(' ');
  expect(describing).toEqual([await alert.getAttribute('id'), 'why']);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
}

export const expectAsked = (page: Page, label: string) => page.getByLabel(label).waitFor();

/** Waits for the document of two pages that says “The terms”. */
export async function expectDocument(page: Page): Promise<void> {
  const text = page.locator('#viewer .page').first().locator('.textLayer');
  await expect.poll(() => text.textContent()).toBe('The terms, page 1');
}
