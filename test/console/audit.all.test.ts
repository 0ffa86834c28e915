import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/crypto/ids.ts';
import type { AuditEventRow } from '../../src/storage/schema/schema.ts';
import { auditEventRow } from '../support/audit-rows.ts';
import { openAnotherTab, overhangOf } from '../support/browser-pages.ts';
import { chooseRowAction, openFilter } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { addClient } from '../support/owner-rows.ts';
import { addUser } from '../support/user-rows.ts';

const { app, workspaceId, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;

async function addEvent(event: Partial<AuditEventRow> = {}): Promise<AuditEventRow> {
  const row = auditEventRow({
    actor_id: newId('cli', randomBytes),
    action: 'ClientService.UpdateClient',
    target: newId('cli', randomBytes),
    request_id: crypto.randomUUID(),
    address: '192.0.2.7',
    ...event,
  });
  await db().insertInto('audit_events').values(row).execute();
  return row;
}

const rowsOf = (page: Page) =>
  page
    .getByRole('table', { name: 'Events' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });

const dialogOf = (page: Page) => page.getByRole('dialog');

describe('the audit log', () => {
  it('shows an action of the console with its request ID', async () => {
    const actor = await staff();
    const { page, open } = await visitAs(actor);
    const user = await addUser(db(), { kind: 'member', name: 'Passer-by' });
    await open(`/users/${user.id}`);
    await chooseRowAction(page, 'Disable', 'Passer-by');
    await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByRole('link', { name: 'events on this target' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await rowsOf(page).getByText('Success', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Details of UserService.DisableUser' }).click();
    const dialog = dialogOf(page);
    const { request_id } = await db()
      .selectFrom('audit_events')
      .select('request_id')
      .where('target', '=', user.id)
      .executeTakeFirstOrThrow();
    await dialog.getByText(request_id, { exact: true }).waitFor();
    await dialog.getByText('127.0.0.1', { exact: true }).waitFor();
    await expectAccessible(page);
    await dialog.getByText('disabled the user').waitFor();
    await dialog.getByText('"action": "UserService.DisableUser"').waitFor();
    await dialog.getByRole('link', { name: 'Passer-by' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Passer-by' }).waitFor();
  });

  it('is filtered by every field, and the URL keeps the filter', async () => {
    // Young enough for the retention.
    const noon = new Date().setUTCHours(-12, 0, 0, 0);
    const common = { actor_id: newId('cli', randomBytes), create_time: noon };
    const wanted = await addEvent(common);
    await addEvent({ ...common, create_time: noon - 60_000 });
    await addEvent({ ...common, create_time: noon + 60_000 });
    await addEvent({ ...common, code: 'forbidden' });
    await addEvent({ ...common, action: 'ClientService.DisableClient' });
    await addEvent({ create_time: noon });
    const visit = await visitAs(await staff());
    const { page, open } = visit;
    await open('/audit');
    await openFilter(page);
    await page.getByRole('combobox', { name: 'Actor' }).fill(common.actor_id);
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(5);
    await openFilter(page);
    await page.getByRole('combobox', { name: 'Action' }).fill(wanted.action);
    await page.getByLabel('Outcome').selectOption('Success');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(3);
    const local = (time: number) => {
      const zone = new Date(time).getTimezoneOffset() * 60_000;
      return new Date(time - zone).toISOString().slice(0, 19);
    };
    await openFilter(page);
    await page.getByLabel('From', { exact: true }).fill(local(noon));
    await page.getByLabel('To', { exact: true }).fill(local(noon + 1000));
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    const startTime = new Date(noon).toISOString().slice(0, 19);
    expect(new URL(page.url()).searchParams.get('start_time')).toContain(startTime);

    const another = await openAnotherTab(visit);
    await another.goto(page.url());
    await expect.poll(() => rowsOf(another).count()).toBe(1);
    await openFilter(another);
    const actor = another.getByRole('combobox', { name: 'Actor' });
    expect(await actor.inputValue()).toBe(common.actor_id);
    expect(await another.getByLabel('From', { exact: true }).inputValue()).toContain(
      local(noon).slice(0, 16),
    );
    await another.close();
    await page.goBack();
    await expect.poll(() => rowsOf(page).count()).toBe(3);
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await expect.poll(() => rowsOf(page).count()).toBeGreaterThan(5);
  });

  it('is filtered by the names of people, resources and actions', async () => {
    const jane = await addUser(db(), { kind: 'member', name: 'Jane Doe' });
    const other = await addUser(db(), { kind: 'member', name: 'Jane Doe' });
    const { ownerId: client } = await addClient(db(), '');
    const action = 'ClientService.RotateClientSecret';
    const common = { actor_type: 'member', actor_id: jane.id, target: client, action };
    await addEvent(common);
    await addEvent({ ...common, actor_id: other.id });
    await addEvent({ ...common, target: other.id });
    await addEvent({ ...common, action: 'ClientService.DisableClient' });
    const { page, open } = await visitAs(await staff());
    await open('/audit');
    await openFilter(page);
    const field = (name: string) => page.getByRole('combobox', { name });
    const options = page.getByRole('listbox').last().getByRole('option');
    const option = (name: string) => options.filter({ hasText: name });
    await field('Actor').fill('jane doe');
    await option(jane.email).waitFor();
    expect(await options.count()).toBe(2);
    await expectAccessible(page);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await overhangOf(page)).toBe(0);
    }
    await option(jane.email).click();
    await page.getByText(`User · ${jane.email}`).waitFor();
    // Enter chooses the first option: part of an id finds one.
    await field('Target').fill(client.slice(0, -1));
    await option('Test client').and(page.locator('[data-combobox-selected]')).waitFor();
    await field('Target').press('Enter');
    expect(await field('Target').inputValue()).toBe('Test client');
    await field('Action').fill('rotated secret');
    await field('Action').press('Enter');
    expect(await field('Action').inputValue()).toBe('Rotated a secret');
    await field('Action').press('Enter');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ actor: jane.id, target: client, action });
    await page.reload();
    for (const chip of ['Actor: Jane Doe', 'Target: Test client', 'Action: Rotated a secret']) {
      await page.getByRole('button', { name: `Remove ${chip}` }).waitFor();
    }
    await openFilter(page);
    expect(await field('Actor').inputValue()).toBe('Jane Doe');
    await expectAccessible(page);
  });

  it('is downloaded as CSV or as NDJSON, and links an event to related events', async () => {
    const wanted = await addEvent();
    const { page, open } = await visitAs(await staff());
    await open(`/audit?actor=${wanted.actor_id}`);
    for (const [format, text] of [
      ['csv', wanted.id],
      ['ndjson', `"id":"${wanted.id}"`],
    ] as const) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByRole('menuitem', { name: new RegExp(`^${format},`, 'i') }).click();
      const file = await saving;
      expect(file.suggestedFilename()).toBe(`audit-events.${format}`);
      const lines = readFileSync(await file.path(), 'utf8')
        .trim()
        .split(/\r?\n/);
      expect(lines.at(-1)).toContain(text);
      expect(lines).toHaveLength(format === 'csv' ? 2 : 1);
    }

    // It shows errors of the filter and an empty state.
    await open('/audit?action=nonsense');
    await page.getByRole('alert').getByText('Request ID').waitFor();
    await open('/audit?start_time=2026-03-02T00:00:00Z&end_time=2026-03-01T00:00:00Z');
    await page.getByRole('alert').getByText('End time must be after start_time.').waitFor();
    await openFilter(page);
    for (const width of [1280, 900]) {
      await page.setViewportSize({ width, height: 800 });
      const from = await page.getByLabel('From', { exact: true }).boundingBox();
      const to = await page.getByLabel('To', { exact: true }).boundingBox();
      expect(to?.y).toBe(from?.y);
    }
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Choose a time after “From”.').waitFor();
    await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor();
    await expectAccessible(page);
    await open('/audit?target=nobody');
    await page.getByText('No matching events').waitFor();
    await page.getByRole('link', { name: 'Show all events' }).click();
    await rowsOf(page).first().waitFor();

    const target = newId('usr', randomBytes);
    const failures = { actor_type: 'anonymous', actor_id: '', code: 'identity.credential_invalid' };
    const action = 'SessionService.SignIn';
    await addEvent({ ...failures, action, target, count: 12 });
    await addEvent({ target });
    await open(`/audit?target=${target}&action=${action}`);
    const row = rowsOf(page);
    await row.getByText('Invalid credentials').waitFor();
    await row.getByText('12 times').waitFor();
    await row.getByText('Someone who isn’t signed in tried to sign in').waitFor();
    await row.getByRole('button', { name: 'Details' }).click();
    await dialogOf(page).getByRole('link', { name: 'All events on' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    await expect.poll(() => rowsOf(page).count()).toBe(2);
  });

  it('revokes the token of an event, if the user has the scope', async () => {
    const { token_id, target } = await addEvent({ token_id: crypto.randomUUID() });
    const { page, open } = await visitAs(await staff(['audit:read', 'tokens:write']));
    await open(`/audit?target=${target}`);
    await rowsOf(page).getByRole('button', { name: 'Details' }).click();
    await dialogOf(page).getByRole('button', { name: 'Revoke token' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke the token of this event?' });
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('Token revoked').waitFor();
    const revoked = db().selectFrom('revoked_tokens').where('jti', '=', token_id);
    expect(await revoked.select('jti').execute()).toHaveLength(1);

    const { page: other, open: openOther } = await visitAs(await staff(['audit:read']));
    await openOther(`/audit?target=${target}`);
    await rowsOf(other).getByRole('button', { name: 'Details' }).click();
    await dialogOf(other).getByText(token_id, { exact: true }).waitFor();
    expect(await other.getByRole('button', { name: 'Revoke token' }).count()).toBe(0);
  });

  it('links only to resources that the user can open', async () => {
    const actor_id = app().env.CLIENT_ID;
    const target = workspaceId();
    await addEvent({ actor_id, target });
    const { page, open } = await visitAs(await staff(['audit:read', 'clients:read']));
    await open(`/audit?target=${target}`);
    const row = rowsOf(page);
    await row.getByText(target).waitFor();
    await expect.poll(() => row.getByRole('link').getAttribute('title')).toBe(actor_id);
    await row.getByRole('link').click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/clients/${actor_id}`);
  });
});
