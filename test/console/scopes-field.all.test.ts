// The form field for scopes, in the form of a client.
import { expect, it } from 'vitest';
import { addScopes, expectFitForAll, takeSecret } from '../support/console-credentials.ts';
import { useConsole } from '../support/console-suite.ts';
import { addClient } from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;
const clientsNamed = (name: string) =>
  db().selectFrom('clients').selectAll().where('name', '=', name).execute();

it('shows errors for areas, and keeps an area that was not added', async () => {
  const { page, open } = await visitAs(await staff(['clients:read', 'clients:write']));
  await open('/clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create client' });
  await dialog.getByLabel('Name').fill('Refused');
  await addScopes(dialog, 'payments:read Payments');
  await dialog.getByText('“Payments” isn’t a valid area.').waitFor();
  await addScopes(dialog, 'users:write');
  await dialog.getByText('“users” is an area of Latchkey. You can’t grant it here.').waitFor();
  await addScopes(dialog, 'clients');
  await dialog.getByText('Choose it below.').waitFor();
  const field = dialog.getByRole('combobox', { name: 'Add an area' });
  await field.fill('ledger');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Add the area or clear the field.').waitFor();
  await field.and(page.locator(':focus')).waitFor();
  const offered = dialog.getByRole('checkbox', { name: /^(?:clients|users):/ });
  expect(await offered.count()).toBe(2);
  await expectFitForAll(page);
  expect(await clientsNamed('Refused')).toEqual([]);
});

it('gets scopes of areas in use and new areas with the keyboard', async () => {
  await addClient(db(), 'shipping:write signing_keys:read');
  const { page, open } = await visitAs(await staff());
  await open('/clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create client' });
  await dialog.getByRole('checkbox', { name: 'shipping:write' }).waitFor();
  await dialog.getByLabel('Name').fill('Keyboard');
  await dialog.getByRole('checkbox', { name: 'shipping:read' }).press('Space');
  await addScopes(dialog, 'harbour');
  const box = (scope: string) => dialog.getByRole('checkbox', { name: scope });
  await box('harbour:read').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  expect(await box('harbour:write').isChecked()).toBe(true);
  await dialog.locator('summary', { hasText: 'Scopes of Latchkey' }).press('Enter');
  await dialog.getByText('acts as clients').waitFor();
  await box('clients:write').check();
  await expectFitForAll(page);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await takeSecret(page);
  const [client] = await clientsNamed('Keyboard');
  expect(client?.scopes).toBe('shipping:read harbour:write clients:write');
});
