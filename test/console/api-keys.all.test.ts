import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { generateCredential } from '../../src/base/crypto/credential-format.ts';
import { insertCredential } from '../../src/credentials/store.ts';
import { transact } from '../../src/storage/database.ts';
import { stopTimers } from '../support/browser-pages.ts';
import { expectFitForAll, momentIn, paste, takeSecret } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { fillSignIn, staleSignInTime, useConsole } from '../support/console-suite.ts';
import { addWorkspace } from '../support/owner-rows.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

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

describe('a workspace API key', () => {
  it('is created, shown once, and works with the shown command', async () => {
    const { page, open } = await visitAs(await member('admin'));
    await open('/');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    const wish = { name: 'Nightly', scopes: ['documents:read'], end: momentIn(48 * hourMs) };
    await create(page, wish);
    const { secret, command } = await takeSecret(page);
    expect(secret).toMatch(/^lk_wk_/);
    expect(await paste(command)).toMatchObject({ documents: [] });

    const row = rowOf(page, 'Nightly');
    await row.getByText('Active').waitFor();
    expect(await row.textContent()).toContain('documents:read');
    expect(await page.content()).not.toContain(secret);
    const [made] = (await keysOf(workspaceId())).filter(({ name }) => name === 'Nightly');
    expect(made?.scopes).toBe('documents:read');
    expect(Math.abs((made?.expire_time ?? 0) - Date.now() - 48 * hourMs)).toBeLessThan(hourMs);
  });

  it.each([
    [['links:read'], { links: [] }],
    [['documents:write', 'links:write'], { name: 'hello.txt' }],
  ])('gets a command that %s allow', async (scopes, answer) => {
    const { ownerId } = await added();
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    await create(page, { name: 'Robot', scopes });
    const { command } = await takeSecret(page);
    expect(await paste(command)).toMatchObject(answer);
  });

  it('gets no command if it can only create links', async () => {
    const { ownerId } = await added();
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    await create(page, { name: 'Robot', scopes: ['links:write'] });
    expect((await takeSecret(page)).command).toBe('');
  });

  it('is copied with the button, and the focus returns', async () => {
    const { page, open } = await visitAs(await staff());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const { ownerId } = await added();
    await open(pathOf(ownerId));
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

  it('shows validation errors at the fields', async () => {
    const { ownerId } = await added();
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    await create(page, { name: '', scopes: [] });
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    await dialog.getByText('Choose at least one scope.').waitFor();
    await dialog.getByLabel('documents:read').check();
    await dialog.getByLabel('Expires').fill('2020-01-01T00:00');
    await dialog.getByLabel('Name').fill('Robot');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const end = dialog.getByLabel('Expires');
    await expect.poll(() => end.getAttribute('aria-invalid')).toBe('true');
    await dialog.getByText('Request ID').waitFor();
    await expectFitForAll(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Create API key' }).click();
    expect(await end.inputValue()).toBe('');
    expect(await end.getAttribute('aria-invalid')).not.toBe('true');
    expect(await keysOf(ownerId)).toHaveLength(1);
  });

  it('is created once after a step-up', async () => {
    const person = await staff();
    const { ownerId } = await added();
    const { page, open } = await visitAs(person, { signedInAt: staleSignInTime() });
    await open(pathOf(ownerId));
    await create(page, { name: 'Robot', scopes: ['documents:read'] });
    await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await fillSignIn(page, person);
    const { secret } = await takeSecret(page);
    expect(await statusOf(secret)).toBe(200);
    expect(await keysOf(ownerId)).toHaveLength(2);
  });
});

describe('rotating a key', () => {
  it('keeps the old key for the chosen time and shows its expiry', async () => {
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
  });

  it('can expire the old key immediately', async () => {
    const { ownerId, credentialId, text: old } = await added();
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    await chooseRowAction(page, 'Rotate');
    const dialog = page.getByRole('dialog', { name: 'Rotate “Test credential”' });
    await dialog.getByLabel('Old key expires').selectOption('Immediately');
    await dialog.getByText('Programs that still use it are rejected').waitFor();
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const { secret, text } = await takeSecret(page);
    expect(text).toContain('The old key has expired.');
    expect([await statusOf(old), await statusOf(secret)]).toEqual([401, 200]);
    await rowOf(page, credentialId).getByText('Revoked', { exact: true }).waitFor();
  });
});

describe('revoking a key', () => {
  it('asks for confirmation, then revokes the key', async () => {
    const { ownerId, text: key } = await added();
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    const question = page.getByRole('dialog', { name: 'Revoke “Test credential”?' });
    await chooseRowAction(page, 'Revoke');
    await question.getByText('Programs that use this key are rejected').waitFor();
    await expectFitForAll(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await statusOf(key)).toBe(200);

    await chooseRowAction(page, 'Revoke');
    await question.getByRole('button', { name: 'Revoke' }).click();
    await tableOf(page).getByText('Revoked', { exact: true }).waitFor();
    expect(await statusOf(key)).toBe(401);
    expect(await page.getByRole('button', { name: /^Actions/ }).count()).toBe(0);
  });
});

describe('the list of workspace API keys', () => {
  it('loads more pages', async () => {
    const { ownerId } = await added();
    const now = Date.now();
    for (let count = 0; count < 50; count++) {
      const fields = { name: `Key ${count}`, scopes: 'links:read', createTime: now + 1 + count };
      const made = generateCredential('wk', randomBytes);
      await insertCredential(db(), { kind: 'wk', id: ownerId }, made, fields);
    }
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    await page.getByRole('button', { name: 'Load more' }).click();
    await rowOf(page, 'Test credential').waitFor();
    await expect.poll(() => tableOf(page).getByRole('row').count()).toBe(52);
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  });

  it('explains what to do if it is empty', async () => {
    const { ownerId } = await added();
    await transact(db(), (trx) =>
      trx.deleteFrom('credentials').where('workspace_id', '=', ownerId).execute(),
    );
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    await page.getByText('No API keys yet').waitFor();
    await page.getByText('Create one to upload documents').waitFor();
    await expectFitForAll(page);
  });

  it('is accessible in both color schemes and on a phone', async () => {
    const { ownerId } = await added();
    const { page, open } = await visitAs(await staff());
    await open(pathOf(ownerId));
    await tableOf(page).waitFor();
    await expectFitForAll(page);
    await chooseRowAction(page, 'Rotate');
    await page.getByRole('dialog').waitFor();
    await expectFitForAll(page);
  });

  it('is neither shown nor offered to members without the scope', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(pathOf(workspaceId()));
    const problem = page.getByRole('alert');
    await problem.getByText('You don’t have access').waitFor();
    await problem.getByText('Request ID').waitFor();
    expect(await page.getByRole('button', { name: 'Create API key' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  });

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
