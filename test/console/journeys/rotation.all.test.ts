// A client secret and the signing key are rotated, without a moment in which tokens are refused.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heading, keepPictures } from '../../support/browser-pages.ts';
import { paste, takeSecret } from '../../support/console-credentials.ts';
import { chooseRowAction } from '../../support/console-menus.ts';
import { useConsole } from '../../support/console-suite.ts';
import { addClient, changeAsOtherProcess } from '../../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;

/** Returns the HTTP status of a token request. */
async function statusOf(client_id: string, client_secret: string) {
  const answer = await fetch(`${app().app.publicUrl}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret, scope: 'payments:read' }),
  });
  return answer.status;
}

/** Waits until the service has stored the last use of each secret. */
async function usesStored(clientId: string, count: number): Promise<void> {
  const query = db().selectFrom('credentials').select('id').where('client_id', '=', clientId);
  const used = () => query.where('last_used_time', 'is not', null).execute();
  await expect.poll(used, { timeout: 30_000 }).toHaveLength(count);
}

it('a new secret works together with the old one, which is then revoked', async () => {
  const { ownerId, credentialId, text: old } = await addClient(db(), 'payments:read');
  await changeAsOtherProcess(db(), async (trx) => {
    for (const [table, id, name] of [
      ['clients', ownerId, 'Payments'],
      ['credentials', credentialId, 'November'],
    ] as const) {
      await trx.updateTable(table).set({ name }).where('id', '=', id).execute();
    }
  });
  expect(await statusOf(ownerId, old)).toBe(200);
  await usesStored(ownerId, 1);
  const { page, open } = await visitAs(await staff());
  await open(`/clients/${ownerId}`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate secrets' });
  await dialog.getByLabel('Name').fill('December');
  await keepPictures(page, 'rotation-dialog');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  const shown = page.getByRole('dialog').filter({ hasText: 'All older secrets expire by' });
  await shown.waitFor();
  await keepPictures(page, 'rotation-secret');
  const { command } = await takeSecret(page);
  expect(await paste(command)).toMatchObject({ scope: 'payments:read' });
  expect(await statusOf(ownerId, old)).toBe(200);
  await usesStored(ownerId, 2);
  await page.reload();
  await secretRow(page, 'December').getByText('Active').waitFor();
  await secretRow(page, 'December').scrollIntoViewIfNeeded();
  await keepPictures(page, 'rotation-overlap');

  await chooseRowAction(page, 'Revoke', '“November”');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await secretRow(page, 'November').getByText('Revoked', { exact: true }).waitFor();
  expect(await statusOf(ownerId, old)).toBe(401);
  expect(await paste(command)).toMatchObject({ scope: 'payments:read' });
});

const secretRow = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Secrets' }).getByRole('row').filter({ hasText: name });

it('a signing key is published before it signs, and after it has signed', async () => {
  const { page, open } = await visitAs(await staff());
  await open('/signing-keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText(/is next\. It is ready at/).waitFor();
  await keepPictures(page, 'rotation-key-pending');
  const aged = (time: number) =>
    changeAsOtherProcess(db(), (trx) =>
      trx
        .updateTable('signing_keys')
        .set(({ eb }) => ({
          create_time: eb('create_time', '-', time),
          activate_time: eb('activate_time', '-', time),
        }))
        .execute(),
    );
  await aged(400_000);
  await page.reload();
  await heading(page, 'Signing keys').waitFor();
  const ready = page.getByRole('table', { name: 'Signing keys' }).getByRole('row');
  await chooseRowAction(ready.filter({ hasText: 'Pending' }), 'Activate');
  const question = page.getByRole('dialog', { name: /^Activate / });
  await question.getByText('it never signs again').waitFor();
  await keepPictures(page, 'rotation-key-activate');
  await question.getByRole('button', { name: 'Activate' }).click();
  await page.getByText(/is retired: .* it stays published until/).waitFor();
  await keepPictures(page, 'rotation-key-retired');
});
