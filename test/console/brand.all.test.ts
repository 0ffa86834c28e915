// The color and the logo of a workspace.
import { expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { makePng } from '../support/sharing-api.ts';

const { workspaceId, visitAs, member } = useConsole();

it('an owner sets and removes the color and the logo', async () => {
  const { page, open } = await visitAs(await member('owner'), phone);
  await open(`/workspaces/${workspaceId()}/settings/general`);
  const brand = page.getByRole('region', { name: 'Brand' });
  await brand.getByLabel('Button color').fill('#aa3300');
  await brand.getByRole('button', { name: 'Save color' }).click();
  await brand.getByRole('button', { name: 'Reset' }).waitFor();

  const chooser = page.waitForEvent('filechooser');
  await brand.getByRole('button', { name: 'Upload logo' }).click();
  const file = { name: 'logo.png', mimeType: 'image/png', buffer: makePng(80, 40) };
  await (await chooser).setFiles(file);
  const logo = brand.getByRole('img', { name: /^Logo of / });
  await logo.waitFor();
  const width = () => logo.evaluate((image) => Reflect.get(image, 'naturalWidth'));
  await expect.poll(width).toBe(80);
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await changeColorScheme(page, 'dark');
  await expectAccessible(page);

  await brand.getByRole('button', { name: 'Remove logo' }).click();
  await logo.waitFor({ state: 'detached' });
  await brand.getByRole('button', { name: 'Reset' }).click();
  await brand.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
});
