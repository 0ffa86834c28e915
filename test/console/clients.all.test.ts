import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { generateCredential } from '../../src/base/crypto/credential-format.ts';
import { insertCredential } from '../../src/credentials/store.ts';
import { insertClient } from '../../src/identity/clients/store.ts';
import { addScopes, expectFitForAll, paste, takeSecret } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { fillSignIn, staleSignInTime, useConsole } from '../support/console-suite.ts';
import { localText } from '../support/link-rows.ts';
import { addClient, usageRow } from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const hourMs = 3_600_000;
const db = () => app().app.inside.db;
const added = () => addClient(db(), 'payments:read');
const secretsOf = (page: Page) => page.getByRole('table', { name: 'Secrets' });

/** Returns the HTTP status of a token request. */
async function statusOf(client_id: string, client_secret: string, scope = 'payments:read') {
  const answer = await fetch(`${app().app.publicUrl}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret, scope }),
  });
  return answer.status;
}

const clientsNamed = (name: string) =>
  db().selectFrom('clients').selectAll().where('name', '=', name).execute();
const clientOf = (id: string) =>
  db().selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const rowsOf = (id: string) =>
  db().selectFrom('credentials').selectAll().where('client_id', '=', id).execute();

it('a client is created with a secret, and its secrets are rotated and revoked', async () => {
  const { page, open } = await visitAs(await staff());
  await open('/clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  const creation = page.getByRole('dialog', { name: 'Create client' });
  await creation.getByLabel('Name').fill('Payments');
  await addScopes(creation, 'payments:read');
  await creation.getByText('Scopes of Latchkey').click();
  await creation.getByRole('checkbox', { name: 'accounts:read' }).check();
  await creation.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Copy client ID', exact: true }).waitFor();
  const { secret: first, command, text } = await takeSecret(page);
  expect(first).toMatch(/^lk_cs_/);
  const token = { token_type: 'Bearer', scope: 'payments:read accounts:read' };
  expect(await paste(command)).toMatchObject(token);
  const [client] = await clientsNamed('Payments');
  const id = client?.id ?? '';
  expect(text).toContain(client?.id);
  await page.getByRole('link', { name: 'Payments' }).click();
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  await secretsOf(page).getByText('Active').waitFor();
  await page.getByText('Optional. A token is bound to a key').waitFor();

  // Another secret, with a name and an expiry.
  await page.getByRole('button', { name: 'Create secret' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create secret' });
  await dialog.getByLabel('Name').fill('Named');
  await dialog.getByLabel('Expires').fill(localText(Date.now() + 48 * hourMs));
  await expectFitForAll(page);
  await dialog.getByRole('button', { name: 'Create' }).click();
  const named = await takeSecret(page);
  expect(await paste(named.command)).toMatchObject({ scope: 'payments:read accounts:read' });
  await secretsOf(page).getByText('Named').waitFor();
  expect([await statusOf(id, first), await statusOf(id, named.secret)]).toEqual([200, 200]);
  const namedEnd = (await rowsOf(id)).find(({ name }) => name === 'Named')?.expire_time ?? 0;
  expect(Math.abs(namedEnd - Date.now() - 48 * hourMs)).toBeLessThan(hourMs);

  // A rotation ends older secrets after the overlap.
  const rotation = page.getByRole('dialog', { name: 'Rotate secrets' });
  const rotate = async (overlap: string, name: string) => {
    await page.getByRole('button', { name: 'Rotate' }).click();
    await rotation.getByLabel('Name').fill(name);
    await rotation.getByLabel('Older secrets expire').selectOption(overlap);
    if (name === 'Second') await expectFitForAll(page);
    await rotation.getByRole('button', { name: 'Rotate' }).click();
    return takeSecret(page);
  };
  const second = await rotate('In 7 days', 'Second');
  expect(second.text).toContain('All older secrets expire by');
  const rows = await rowsOf(id);
  const made = rows.find(({ name }) => name === 'Second');
  const end = (made?.create_time ?? 0) + 7 * 24 * hourMs;
  const oldest = rows.filter(({ name }) => !['Named', 'Second'].includes(name));
  expect(oldest.map(({ expire_time }) => expire_time)).toEqual([end]);
  expect(await statusOf(id, first)).toBe(200);
  const third = await rotate('Immediately', 'Third');
  expect(third.text).toContain('All older secrets have expired.');
  const secrets = [first, second.secret, third.secret];
  const statuses = await Promise.all(secrets.map((secret) => statusOf(id, secret)));
  expect(statuses).toEqual([401, 401, 200]);

  await chooseRowAction(page, 'Revoke', '“Third”');
  const question = page.getByRole('dialog', { name: 'Revoke “Third”?' });
  await question.getByText('can’t be used to get new tokens').waitFor();
  await question.getByText('to reject them as well, disable the client').waitFor();
  expect(await statusOf(id, third.secret)).toBe(200);
  await question.getByRole('button', { name: 'Revoke' }).click();
  const row = secretsOf(page).getByRole('row').filter({ hasText: 'Third' });
  await row.getByText('Revoked', { exact: true }).waitFor();
  // The time is next to the state, and the secret no longer expires.
  const cells = await row.getByRole('cell').allTextContents();
  expect(cells.slice(2, 4)).toEqual([expect.stringMatching(/^Revoked\S/), '—']);
  expect(await statusOf(id, third.secret)).toBe(401);
});

it('a client gets a new name and scopes, and is disabled and enabled again', async () => {
  const person = await staff();
  const { ownerId, text } = await added();
  const { page, open } = await visitAs(person, { signedInAt: staleSignInTime() });
  await open(`/clients/${ownerId}`);
  // Neither the list of secrets nor a new name needs a step-up.
  await secretsOf(page).getByText('Test credential').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: 'Rename' }).click();
  const rename = page.getByRole('dialog', { name: 'Rename client' });
  await rename.getByLabel('Name').fill('Ledger');
  await rename.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  expect(await clientOf(ownerId)).toMatchObject({ name: 'Ledger', scopes: 'payments:read' });

  await page.getByRole('button', { name: 'Change scopes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change scopes' });
  await dialog.getByRole('checkbox', { name: 'payments:read' }).uncheck();
  await addScopes(dialog, 'ledger:read, ledger:write');
  await dialog.getByText('Removed immediately').getByText('payments:read').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await fillSignIn(page, person);
  const shown = page.getByRole('definition').getByRole('listitem');
  await shown.getByText('ledger:write').waitFor();
  expect(await shown.allTextContents()).toEqual(['ledger:read', 'ledger:write']);
  expect((await clientOf(ownerId)).scopes).toBe('ledger:read ledger:write');
  expect(await statusOf(ownerId, text)).toBe(400);
  expect(await statusOf(ownerId, text, 'ledger:write')).toBe(200);

  await chooseRowAction(page, 'Disable', 'Ledger');
  const question = page.getByRole('dialog', { name: 'Disable “Ledger”?' });
  await question.getByText('its existing tokens are rejected immediately').waitFor();
  expect(await statusOf(ownerId, text, 'ledger:write')).toBe(200);
  await question.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('definition').getByText('Disabled').waitFor();
  expect(await statusOf(ownerId, text, 'ledger:write')).toBe(401);
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('definition').getByText('Enabled').waitFor();
  expect(await statusOf(ownerId, text, 'ledger:write')).toBe(200);

  await page.getByRole('link', { name: 'events on this target' }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  expect(new URL(page.url()).searchParams.get('target')).toBe(ownerId);
});

it('imported clients have their ids, and the service limits secrets to ten', async () => {
  const areas = ['a', 'b', 'c', 'd', 'e'].map((area) => `${area}${'x'.repeat(60)}:write`);
  const { ownerId } = await addClient(db(), areas.join(' '));
  const id = 'billing.worker-1';
  await insertClient(db(), { ...(await clientOf(ownerId)), id, name: 'Billing worker' });
  const hash = { id: `sec_${'a'.repeat(22)}`, digest: '', importedHash: '$2b$' };
  const imported = { name: '', scopes: '', createTime: Date.now() };
  await insertCredential(db(), { kind: 'cs', id }, hash, imported);
  for (let count = 1; count < 9; count++) {
    const fields = { name: '', scopes: '', createTime: Date.now() };
    const made = generateCredential('cs', randomBytes);
    await insertCredential(db(), { kind: 'cs', id: ownerId }, made, fields);
  }
  const { page, open } = await visitAs(await staff());
  await open('/clients');
  await page.getByRole('link', { name: 'Billing worker' }).click();
  await page.getByRole('heading', { level: 1, name: 'Billing worker' }).waitFor();
  await secretsOf(page).getByText('Imported').waitFor();
  expect(new URL(page.url()).pathname).toMatch(/\/clients\/billing\.worker-1$/);

  await open(`/clients/${ownerId}`);
  await secretsOf(page).waitFor();
  await expectFitForAll(page);
  await page.getByRole('button', { name: 'Create secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await takeSecret(page);
  await page.getByRole('button', { name: 'Create secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByText('The client already has 10 live secrets.').waitFor();
  expect(await rowsOf(ownerId)).toHaveLength(10);

  await open('/clients/cli_0000000000000000000000');
  await page.getByRole('alert').getByText('Not found').waitFor();
  expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
  await expectFitForAll(page);
});

it('staff with the read scope see a client, and change nothing', async () => {
  const { ownerId } = await added();
  const { page, open } = await visitAs(await staff(['clients:read']));

  await open(`/clients/${ownerId}`);
  await page.getByText(ownerId, { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: /^events / }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Rename|Disable|secret/ }).count()).toBe(0);
});

it('the field for scopes shows errors for areas, and keeps one that was not added', async () => {
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

it('the field for scopes offers areas in use and new areas to the keyboard', async () => {
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

it('a client shows how many tokens it got, and why requests were refused', async () => {
  const { ownerId, credentialId } = await addClient(db(), 'payments:read');
  const refused = 'identity.credential_invalid';
  const rows = [
    ...[usageRow(ownerId, 0, 'issued', 1200), usageRow(ownerId, 3, 'issued', 300)],
    ...[usageRow(ownerId, 3, refused, 7), usageRow(ownerId, 40, 'issued', 9)],
    ...[usageRow(ownerId, 2, 'verified', 41), usageRow(credentialId, 0, 'issued', 5)],
  ];
  await db().insertInto('usage_counts').values(rows).execute();
  const { page, open } = await visitAs(await staff());
  await open(`/clients/${ownerId}`);
  const usage = page.getByRole('region', { name: 'Usage' });
  await usage.getByText('1,500').first().waitFor();
  expect(await usage.getByRole('definition').allTextContents()).toEqual(['1,500', '7', '41', '7']);
  await usage.getByText(refused).waitFor();
  await usage.getByText('Show as table').click();
  const cells = usage.getByRole('table', { name: 'Issued tokens per day' }).getByRole('cell');
  expect((await cells.allTextContents()).slice(0, 4)).toEqual(['1,200', '0', '0', '300']);
  await expectFitForAll(page);

  const { page: other, open: openOther } = await visitAs(await staff(['clients:read']));
  await openOther(`/clients/${ownerId}`);
  await other.getByText(ownerId).first().waitFor();
  expect(await other.getByRole('region', { name: 'Usage' }).count()).toBe(0);
});
