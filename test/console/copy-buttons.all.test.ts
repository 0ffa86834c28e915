import { expect, it } from 'vitest';
import { stopTimers } from '../support/browser-pages.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';

const { app, visitAs, staff } = useConsole();

const pathOf = () => `/clients/${app().env.CLIENT_ID}`;

const withoutClipboard = "Object.defineProperty(navigator, 'clipboard', { value: undefined })";

it('screen readers hear what was copied', async () => {
  const { page, open } = await visitAs(await staff());
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(pathOf());
  await stopTimers(page);
  await page.getByRole('button', { name: 'Copy client ID' }).click();
  await page.getByRole('status').getByText('client ID copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(app().env.CLIENT_ID);
});

it('without a clipboard API, as over plain HTTP, the fallback copies', async () => {
  const { page, open } = await visitAs(await staff());
  await page.addInitScript(withoutClipboard);
  await page.addInitScript(`document.addEventListener('copy', () => {
    window.copied = document.activeElement.value;
  })`);
  await open(pathOf());
  await stopTimers(page);
  const copy = page.getByRole('button', { name: 'Copy client ID' });
  await copy.click();
  await page.getByRole('status').getByText('client ID copied').waitFor();
  expect(await page.evaluate('window.copied')).toBe(app().env.CLIENT_ID);
  await page
    .getByRole('button', { name: 'client ID copied' })
    .and(page.locator(':focus'))
    .waitFor();
});

it('if copying fails, the text is selected', async () => {
  const { page, open } = await visitAs(await staff());
  await page.addInitScript(withoutClipboard);
  await page.addInitScript('document.execCommand = () => false');
  await open(pathOf());
  await page.getByRole('button', { name: 'Copy client ID' }).click();
  await page.getByText('to copy the selected text').waitFor();
  const field = page.getByRole('textbox', { name: 'client ID' });
  await field.and(page.locator(':focus')).waitFor();
  expect(await page.evaluate('String(getSelection())')).toBe(app().env.CLIENT_ID);
  await expectAccessible(page);
});
