import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { overhangOf } from '../support/browser-pages.ts';
import { addScopes, expectFitForAll, paste, takeSecret } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { fillSignIn, staleSignInTime, useConsole } from '../support/console-suite.ts';
import { addCustomer, usageRow } from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const hourMs = 3_600_000;
const db = () => app().app.inside.db;
const added = (accounts: readonly string[] = ['acc-1', 'acc-2']) =>
  addCustomer(db(), 'payments:read', { accounts });
const keysOf = (page: Page) => page.getByRole('table', { name: 'API keys' });

/** Returns the HTTP status of a token request with the key. */
async function statusOf(api_key: string): Promise<number> {
  const answer = await fetch(`${app().app.publicUrl}/tokens/api-key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key }),
  });
  return answer.status;
}

const customerOf = (id: string) =>
  db().selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const rowsOf = (id: string) =>
  db().selectFrom('credentials').selectAll().where('customer_id', '=', id).execute();
const accountsOf = (id: string) =>
  db()
    .selectFrom('customer_accounts')
    .select('account_id')
    .where('customer_id', '=', id)
    .orderBy('account_id')
    .execute();

it('a customer gets accounts and a key, and is disabled', async () => {
  const person = await staff();
  const { page, open } = await visitAs(person, { signedInAt: staleSignInTime() });
  await open('/customers');
  await page.getByRole('button', { name: 'Create customer' }).click();
  const creation = page.getByRole('dialog', { name: 'Create customer' });
  await creation.getByLabel('Name').fill('Harbour Ltd');
  await creation.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Harbour Ltd' }).waitFor();
  await page.getByText('No accounts yet.').waitFor();
  await page.getByText('No API keys yet').waitFor();
  await expectFitForAll(page);
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  // The accounts.
  const edit = page.getByRole('dialog', { name: 'Edit accounts' });
  const save = async (text: string) => {
    await edit.getByLabel('Account IDs').fill(text);
    await edit.getByRole('button', { name: 'Save' }).click();
  };
  await page.getByRole('button', { name: 'Edit accounts' }).click();
  await save('acc-7\nacc/8');
  await edit.getByText('“acc/8” isn’t a valid account ID').waitFor();
  await save(Array.from({ length: 1001 }, (_, index) => `a${index}`).join('\n'));
  await edit.getByText('Enter at most 1000 items. You entered 1001.').waitFor();
  await save(Array.from({ length: 60 }, (_, index) => `a${index}`.padEnd(120, 'x')).join('\n'));
  const problem = 'must have at most 6000 characters in total, with 3 more for each id';
  await edit.getByText(problem).first().waitFor();
  expect(await accountsOf(id)).toEqual([]);
  await save('acc-7\nacc-8\n\nacc-7');
  const list = page.getByRole('region', { name: 'Accounts' }).getByRole('listitem');
  await list.first().waitFor();
  expect(await list.allTextContents()).toEqual(['acc-7', 'acc-8']);

  await page.getByRole('button', { name: 'Edit accounts' }).click();
  expect(await edit.getByLabel('Account IDs').inputValue()).toBe('acc-7\nacc-8');
  await edit.getByLabel('Account IDs').fill('acc-8');
  await edit.getByText('Removed immediately').getByText('acc-7').waitFor();
  await expectFitForAll(page);
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'hidden' });
  expect(await accountsOf(id)).toEqual([{ account_id: 'acc-8' }]);

  // A key has no management scopes, and is created once after a step-up.
  await page.getByRole('button', { name: 'Create API key' }).click();
  const key = page.getByRole('dialog', { name: 'Create API key' });
  await key.getByRole('button', { name: 'Create' }).click();
  await key.getByText('Choose at least one scope.').waitFor();
  await addScopes(key, 'users:write');
  await key.getByText('“users” is an area of Latchkey. You can’t grant it here.').waitFor();
  await expectFitForAll(page);
  await addScopes(key, 'payments:read');
  await key.getByRole('checkbox', { name: 'payments:read' }).waitFor();
  expect(await rowsOf(id)).toEqual([]);
  await key.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
  await fillSignIn(page, person);
  const { secret, command } = await takeSecret(page);
  expect(secret).toMatch(/^lk_ck_/);
  expect(await paste(command)).toMatchObject({ token_type: 'Bearer', scope: 'payments:read' });
  await keysOf(page).getByText('Active').waitFor();
  expect(await rowsOf(id)).toHaveLength(1);

  await page.getByRole('button', { name: 'Rename' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rename customer' });
  await dialog.getByLabel('Name').fill('Quay Ltd');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { level: 1, name: 'Quay Ltd' }).waitFor();
  expect((await customerOf(id)).name).toBe('Quay Ltd');

  await page.getByRole('button', { name: 'Disable' }).click();
  const question = page.getByRole('dialog', { name: 'Disable “Quay Ltd”?' });
  await question.getByText('Its API keys can’t get new tokens').waitFor();
  expect(await statusOf(secret)).toBe(200);
  await question.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('definition').getByText('Disabled').waitFor();
  expect(await statusOf(secret)).toBe(401);
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('definition').getByText('Enabled').waitFor();
  expect(await statusOf(secret)).toBe(200);
});

it('the keys of a customer are rotated with an overlap, and revoked', async () => {
  const { ownerId, credentialId, text: old } = await added();
  const { page, open } = await visitAs(await staff());
  await open(`/customers/${ownerId}`);
  await chooseRowAction(page, 'Rotate');
  const dialog = page.getByRole('dialog', { name: 'Rotate “Test credential”' });
  await dialog.getByLabel('Old key expires').selectOption('In 30 days');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  const { secret, command } = await takeSecret(page);
  expect(await paste(command)).toMatchObject({ scope: 'payments:read' });
  expect([await statusOf(old), await statusOf(secret)]).toEqual([200, 200]);
  const rows = await rowsOf(ownerId);
  const made = rows.find(({ id }) => id !== credentialId);
  const end = (made?.create_time ?? 0) + 30 * 24 * hourMs;
  expect(rows.find(({ id }) => id === credentialId)?.expire_time).toBe(end);

  const row = keysOf(page).getByRole('row').filter({ hasText: credentialId });
  await chooseRowAction(row, 'Revoke');
  const question = page.getByRole('dialog', { name: 'Revoke “Test credential”?' });
  await question.getByText('The key can’t get new tokens').waitFor();
  await question.getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  expect([await statusOf(old), await statusOf(secret)]).toEqual([401, 200]);
});

it('a customer with many accounts shows the first ones and a link to all', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `acc-${String(index).padStart(3, '0')}`);
  const { ownerId } = await added(ids);
  const { page, open } = await visitAs(await staff());
  await open(`/customers/${ownerId}`);
  const region = page.getByRole('region', { name: 'Accounts' });
  await region.getByText('acc-019').waitFor();
  expect(await region.getByText(/^acc-/).count()).toBe(20);
  await expectFitForAll(page);
  await region.getByRole('button', { name: 'Show 40 more' }).click();
  await expect.poll(() => region.getByText(/^acc-/).count()).toBe(60);
  const focused = page.locator(':focus');
  await expect.poll(() => focused.textContent()).toBe('acc-020');
  await region.getByRole('link', { name: 'Show all 60 accounts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  const table = page.getByRole('table', { name: 'Accounts' });
  await expect.poll(() => table.getByRole('row').count()).toBe(51);
  await page.getByRole('main').getByRole('link', { name: 'Test customer' }).click();
  await page.getByRole('heading', { level: 1, name: 'Test customer' }).waitFor();
  await page.getByRole('link', { name: 'events by this actor' }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  expect(new URL(page.url()).searchParams.get('actor')).toBe(ownerId);
});

it('accounts are listed, all or by customer', async () => {
  const first = await added(['north-1', 'north-2', 'x'.repeat(128)]);
  await added(['south-1']);
  const { page, open } = await visitAs(await staff(['accounts:read', 'customers:read']));
  await open('/accounts');
  const table = page.getByRole('table', { name: 'Accounts' });
  await table.getByText('south-1').waitFor();
  await page.getByPlaceholder('All customers').click();
  await page.getByRole('option', { name: first.ownerId.slice(-5) }).click();
  await table.getByText('south-1').waitFor({ state: 'detached' });
  await table.getByText('north-1').waitFor();
  expect(await table.getByRole('row').count()).toBe(4);
  await page.reload();
  await table.getByText('north-2').waitFor();
  await page.getByRole('button', { name: 'Show the accounts of all customers' }).click();
  await table.getByText('south-1').waitFor();
  await open('/accounts?customer=cus_0000000000000000000000');
  await page.getByText('No accounts for this customer').waitFor();

  // Without the write scope, the customer is read-only.
  await open(`/customers/${first.ownerId}`);
  await page.getByText('north-1').waitFor();
  expect(await page.getByRole('button', { name: /Rename|Disable|Edit|API key/ }).count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => overhangOf(page)).toBe(0);
});

it('an API key of a customer shows its own usage, also after it was revoked', async () => {
  const { ownerId, credentialId } = await addCustomer(db(), 'payments:read');
  const rows = [usageRow(ownerId, 0, 'issued', 90), usageRow(credentialId, 2, 'issued', 60)];
  await db()
    .insertInto('usage_counts')
    .values([...rows, usageRow(credentialId, 0, 'identity.credential_invalid', 8)])
    .execute();
  const { page, open } = await visitAs(await staff());
  await open(`/customers/${ownerId}`);
  const keys = page.getByRole('region', { name: 'API keys' });
  await chooseRowAction(keys, 'Revoke');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await keys.getByText('Revoked', { exact: true }).waitFor();
  await chooseRowAction(keys, 'Usage');
  const usage = page.getByRole('dialog', { name: 'Usage of “Test credential”' });
  await usage.getByText('Issued tokens per day').first().waitFor();
  expect(await usage.getByRole('definition').allTextContents()).toEqual(['60', '8', '0', '8']);
  await expectFitForAll(page);

  const { page: other, open: openOther } = await visitAs(
    await staff(['customers:read', 'customers:write']),
  );
  await openOther(`/customers/${ownerId}`);
  const revoked = other.getByRole('region', { name: 'API keys' });
  await revoked.getByText('Revoked', { exact: true }).waitFor();
  expect(await revoked.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
});
