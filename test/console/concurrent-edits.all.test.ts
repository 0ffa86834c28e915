// Two people change one resource: the second one sees a message, and keeps the input.
import { expect, it } from 'vitest';
import { expectFitForAll } from '../support/console-credentials.ts';
import { useConsole } from '../support/console-suite.ts';
import { addClient, changeAsOtherProcess } from '../support/owner-rows.ts';

const { app, workspaceId, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;
const title = 'Someone else changed this';

it('a form keeps its input if someone else has changed its values', async () => {
  const { ownerId: id } = await addClient(db(), 'payments:read');
  const { page, open } = await visitAs(await staff());
  await open(`/clients/${id}`);
  await page.getByRole('button', { name: 'Change scopes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change scopes' });
  const box = (name: string) => dialog.getByRole('checkbox', { name });
  await box('payments:write').check();
  const change = { scopes: 'payments:read refunds:read' };
  await changeAsOtherProcess(db(), (trx) =>
    trx.updateTable('clients').set(change).where('id', '=', id).execute(),
  );
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText(title).waitFor();
  await expectFitForAll(page);
  expect(await box('payments:write').isChecked()).toBe(true);
  const stored = db().selectFrom('clients').select('scopes').where('id', '=', id);
  expect(await stored.executeTakeFirst()).toEqual(change);

  // A new form begins with the current values.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('refunds:read').first().waitFor();
  await page.getByRole('button', { name: 'Change scopes' }).click();
  expect(await box('payments:write').isChecked()).toBe(false);
  expect(await box('refunds:read').isChecked()).toBe(true);
  await box('payments:read').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await stored.executeTakeFirst()).toEqual({ scopes: 'refunds:read' });

  // The form of the settings is refused only if its own values have changed.
  await open(`/workspaces/${workspaceId()}/settings/general`);
  const expires = page.getByLabel('Expires');
  await expires.selectOption('7');
  await page.getByRole('button', { name: 'Save link defaults' }).click();
  await page.getByText('Link defaults saved').waitFor();

  // Renaming the workspace changes its tag, but not the values of the form.
  await page.getByRole('button', { name: 'Rename' }).click();
  const rename = page.getByRole('dialog', { name: 'Rename workspace' });
  await rename.getByLabel('Name').fill('Renamed workspace');
  await rename.getByRole('button', { name: 'Rename' }).click();
  await page.getByText('Renamed workspace').first().waitFor();
  await expires.selectOption('30');
  await page.getByRole('button', { name: 'Save link defaults' }).click();
  const storedDefaults = async () => {
    const row = db().selectFrom('workspaces').select('link_defaults');
    return (await row.where('id', '=', workspaceId()).executeTakeFirst())?.link_defaults ?? '';
  };
  await expect.poll(storedDefaults).toContain('30');

  const others = (await storedDefaults()).replace('30', '90');
  await db()
    .updateTable('workspaces')
    .set({ link_defaults: others })
    .where('id', '=', workspaceId())
    .execute();
  await page.getByLabel('Allow download').check();
  await page.getByRole('button', { name: 'Save link defaults' }).click();
  await page.getByRole('alert').getByText(title).waitFor();
  await expectFitForAll(page);
  expect(await page.getByLabel('Allow download').isChecked()).toBe(true);
  expect(await storedDefaults()).toBe(others);
});
