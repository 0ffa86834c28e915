// Questions of dialogs with a form, before input is submitted or lost.
import { expect, it } from 'vitest';
import { takeSecret } from '../support/console-credentials.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';

const { app, visitAs, staff } = useConsole();

const clientsNamed = (name: string) =>
  app().app.inside.db.selectFrom('clients').selectAll().where('name', '=', name).execute();

it('asks before it creates a client without scopes', async () => {
  const { page, open } = await visitAs(await staff());
  await open('/clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create client' });
  await dialog.getByLabel('Name').fill('Without scopes');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Without scopes, the client gets no token.').waitFor();
  expect(await clientsNamed('Without scopes')).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await takeSecret(page);
  expect(await clientsNamed('Without scopes')).toHaveLength(1);
});

it('asks before it discards what the user has entered', async () => {
  const { page, open } = await visitAs(await staff());
  await open('/clients');
  const dialog = page.getByRole('dialog', { name: 'Create client' });
  const start = async () => {
    await page.getByRole('button', { name: 'Create client' }).click();
    await dialog.waitFor();
  };
  await start();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  await start();
  const name = dialog.getByLabel('Name');
  await name.fill('Draft');
  await page.keyboard.press('Escape');
  await dialog.getByText('Discard your changes?').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Keep editing' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  expect(await name.inputValue()).toBe('Draft');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await start();
  expect(await name.inputValue()).toBe('');
});
