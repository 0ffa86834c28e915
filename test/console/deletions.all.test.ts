// Deleting resources in the console, and restoring them.
import path from 'node:path';
import { expect, it } from 'vitest';
import { useConsole } from '../support/console-suite.ts';
import { addClient, addWorkspace } from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();
const pictures = process.env.DELETION_PICTURES;

it('a deleted client can be restored from the toast and from its page', async () => {
  const { page, open } = await visitAs(await staff());
  const { ownerId } = await addClient(app().app.inside.db, 'payments:read');
  const keep = async (name: string) => {
    if (pictures === undefined) return;
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: path.join(pictures, `${name}-${width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  await open(`/clients/${ownerId}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await button('Delete').click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.textContent()).toContain('It can be restored for 7 days.');
  await keep('client-dialog');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Client deleted').waitFor();
  await page.getByText('for good on').waitFor();
  await keep('client-deleted');
  await button('Undo').click();
  await button('Disable').waitFor();

  await button('Delete').click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await button('Restore').waitFor();
  await open('/clients?deleted=shown');
  await page.getByText('Deleted', { exact: true }).first().waitFor();
  await keep('clients-deleted');
  await open(`/clients/${ownerId}`);
  await button('Restore').click();
  await button('Disable').waitFor();

  const { ownerId: workspaceId } = await addWorkspace(app().app.inside.db, '');
  await open(`/workspaces/${workspaceId}/settings/general`);
  await keep('workspace-settings');
  await button('Delete workspace').click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
  await open('/workspaces?deleted=shown');
  await keep('workspaces-deleted');
  await button('Restore').click();
  await button('Restore').waitFor({ state: 'detached' });
  await open('/account');
  await keep('account');
  const download = page.waitForEvent('download');
  await button('Export my data').click();
  expect((await download).suggestedFilename()).toBe('my-data.tar');
});
