import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { stopTimers } from '../support/browser-pages.ts';
import { expectFitForAll, paste, takeSecret } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { fillSignIn, staleSignInTime, useConsole } from '../support/console-suite.ts';
import { addWorkspace } from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const hourMs = 3_600_000;
const db = () => app().app.inside.db;

/** A new workspace with one active key. */
const added = () => addWorkspace(db(), 'documents:read');

const pathOf = (id: string) => `/workspaces/${id}/settings/api-keys`;
const tableOf = (page: Page) => page.getByRole('table', { name: 'API keys' });
const rowOf = (page: Page, text: string) =>
  tableOf(page).getByRole('row').filter({ hasText: text });

/** Returns the HTTP status of a request with the key. */
async function statusOf(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${app().app.publicUrl}/api/v1/documents`, { headers })).status;
}

const keysOf = (id: string) =>
  db().selectFrom('credentials').selectAll().where('workspace_id', '=', id).execute();

type Wish = { readonly name: string; readonly scopes: readonly string[]; readonly end?: string };

async function create(page: Page, { name, scopes, end = '' }: Wish): Promise<void> {
  await page.getByRole('button', { name: 'Create API key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByLabel('Name').fill(name);
  for (const scope of scopes) await dialog.getByLabel(scope, { exact: true }).check();
  await dialog.getByLabel('Expires').fill(end);
  await dialog.getByRole('button', { name: 'Create' }).click();
}

it('a form creates a key once after a step-up, with a command for its scopes', async () => {
  const person = await staff();
  const { ownerId } = await added();
  const { page, open } = await visitAs(person, { signedInAt: staleSignInTime() });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(pathOf(ownerId));
  await create(page, { name: '', scopes: [] });
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByText('Choose at least one scope.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await create(page, { name: 'Robot', scopes: ['documents:read'] });
  await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
  await fillSignIn(page, person);
  expect(await statusOf((await takeSecret(page)).secret)).toBe(200);
  expect(await keysOf(ownerId)).toHaveLength(2);

  // Errors of the service are at their fields, and a new form has none of them.
  const past = '2020-01-01T00:00';
  await create(page, { name: 'Robot', scopes: ['documents:read'], end: past });
  const end = dialog.getByLabel('Expires');
  await expect.poll(() => end.getAttribute('aria-invalid')).toBe('true');
  await dialog.getByText('Request ID').waitFor();
  await expectFitForAll(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Create API key' }).click();
  expect(await end.inputValue()).toBe('');
  expect(await end.getAttribute('aria-invalid')).not.toBe('true');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await keysOf(ownerId)).toHaveLength(2);

  for (const [scopes, answer] of [
    [['links:read'], { links: [] }],
    [['documents:write', 'links:write'], { name: 'hello.txt' }],
  ] as const) {
    await create(page, { name: 'Robot', scopes });
    expect(await paste((await takeSecret(page)).command), scopes.join()).toMatchObject(answer);
  }
  await create(page, { name: 'Robot', scopes: ['links:write'] });
  expect((await takeSecret(page)).command).toBe('');

  // The button copies the key, and the focus returns.
  await create(page, { name: 'Robot', scopes: ['documents:read'] });
  const copy = page.getByRole('button', { name: 'Copy API key' });
  await copy.waitFor();
  const clock = await stopTimers(page);
  await copy.click();
  await page.getByRole('button', { name: 'API key copied' }).waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  await clock.resume();
  expect((await takeSecret(page)).secret).toBe(copied);
  const focused = 'document.activeElement.textContent';
  await expect.poll(() => page.evaluate(focused)).toBe('Create API key');
});

it('a rotated key works for the chosen time, and a revoked key ends at once', async () => {
  const { ownerId, credentialId, text: old } = await added();
  const { page, open } = await visitAs(await staff());
  await open(pathOf(ownerId));
  await chooseRowAction(page, 'Rotate');
  const dialog = page.getByRole('dialog', { name: 'Rotate “Test credential”' });
  const choice = dialog.getByLabel('Old key expires');
  await expect
    .poll(() => choice.locator('option').allTextContents())
    .toEqual(['Immediately', 'In 1 hour', 'In 1 day', 'In 7 days', 'In 30 days']);
  await dialog.getByText('It works until').waitFor();
  await expectFitForAll(page);
  await choice.selectOption('In 1 hour');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  const { secret, command, text } = await takeSecret(page);
  expect(text).toContain('The old key works until');
  expect(await paste(command)).toMatchObject({ documents: [] });
  expect([await statusOf(old), await statusOf(secret)]).toEqual([200, 200]);

  const keys = await keysOf(ownerId);
  const [before, after] = [
    keys.find(({ id }) => id === credentialId),
    keys.find(({ id }) => id !== credentialId),
  ];
  expect(before?.expire_time).toBe((after?.create_time ?? 0) + hourMs);
  expect(after).toMatchObject({ name: 'Test credential', scopes: 'documents:read' });
  const end = rowOf(page, credentialId).getByRole('time').first();
  await expect
    .poll(() => end.getAttribute('datetime'))
    .toBe(new Date(before?.expire_time ?? 0).toISOString());

  // A rotation can end the old key at once.
  const rotated = rowOf(page, after?.id ?? '');
  await chooseRowAction(rotated, 'Rotate');
  await dialog.getByLabel('Old key expires').selectOption('Immediately');
  await dialog.getByText('Programs that still use it are rejected').waitFor();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  const last = await takeSecret(page);
  expect(last.text).toContain('The old key has expired.');
  expect([await statusOf(secret), await statusOf(last.secret)]).toEqual([401, 200]);
  await rotated.getByText('Revoked', { exact: true }).waitFor();

  await chooseRowAction(rowOf(page, credentialId), 'Revoke');
  const question = page.getByRole('dialog', { name: 'Revoke “Test credential”?' });
  await question.getByText('Programs that use this key are rejected').waitFor();
  await expectFitForAll(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  expect(await statusOf(old)).toBe(200);
  await chooseRowAction(rowOf(page, credentialId), 'Revoke');
  await question.getByRole('button', { name: 'Revoke' }).click();
  await rowOf(page, credentialId).getByText('Revoked', { exact: true }).waitFor();
  expect([await statusOf(old), await statusOf(last.secret)]).toEqual([401, 200]);
  expect(await page.getByRole('button', { name: /^Actions/ }).count()).toBe(1);
});

it('an empty list explains what to do', async () => {
  const { ownerId: empty } = await added();
  await transact(db(), (trx) =>
    trx.deleteFrom('credentials').where('workspace_id', '=', empty).execute(),
  );
  const { page, open } = await visitAs(await staff());
  await open(pathOf(empty));
  await page.getByText('No API keys yet').waitFor();
  await page.getByText('Create one to upload documents').waitFor();
  await expectFitForAll(page);
});

describe('the list of workspace API keys', () => {
  it('is read-only for staff with the read scope', async () => {
    const { ownerId } = await added();
    const { page, open } = await visitAs(await staff(['api_keys:read', 'workspaces:read']));
    await open(pathOf(ownerId));
    await tableOf(page).waitFor();
    expect(await page.getByRole('button', { name: /^Actions/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Create API key' }).count()).toBe(0);
  });

  it('does not offer scopes that the user lacks', async () => {
    const { ownerId } = await added();
    const scopes = ['api_keys:read', 'api_keys:write', 'workspaces:read', 'links:read'];
    const { page, open } = await visitAs(await staff(scopes));
    await open(pathOf(ownerId));
    await page.getByRole('button', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('links:read').isEnabled()).toBe(true);
    expect(await dialog.getByLabel('documents:read').isEnabled()).toBe(false);
  });
});
