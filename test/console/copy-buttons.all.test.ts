import { expect, it } from 'vitest';
import { stopTimers } from '../support/browser-pages.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';

const { app, visitAs, staff } = useConsole();

it('an ID is copied and announced, also without a clipboard API, or else selected', async () => {
  const id = app().env.CLIENT_ID;
  const { page, open } = await visitAs(await staff());
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(`/clients/${id}`);
  const copy = page.getByRole('button', { name: 'Copy client ID' });
  const announced = page.getByRole('status').getByText('client ID copied');
  const clock = await stopTimers(page);
  await copy.click();
  await announced.waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);
  await clock.resume();

  // Over plain HTTP, browsers have no such API.
  await page.addInitScript(`
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.addEventListener('copy', () => { window.copied = document.activeElement.value; });
  `);
  await open(`/clients/${id}`);
  await clock.pauseAt(Date.now() + 60_000);
  await copy.click();
  await announced.waitFor();
  expect(await page.evaluate('window.copied')).toBe(id);
  const copied = page.getByRole('button', { name: 'client ID copied' });
  await copied.and(page.locator(':focus')).waitFor();
  await clock.resume();

  await page.addInitScript('document.execCommand = () => false');
  await open(`/clients/${id}`);
  await copy.click();
  await page.getByText('to copy the selected text').waitFor();
  const field = page.getByRole('textbox', { name: 'client ID' });
  await field.and(page.locator(':focus')).waitFor();
  expect(await page.evaluate('String(getSelection())')).toBe(id);
  await expectAccessible(page);
});
