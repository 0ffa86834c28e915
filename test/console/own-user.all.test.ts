// The effect of a change of the signed-in user on the session.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { heading } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { fillSignIn, useConsole } from '../support/console-suite.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

const db = () => app().app.inside.db;

async function changeAddress(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit name and email' });
  await edit.getByLabel('Email address').fill(email);
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'hidden' });
}

describe('a change of the own user', () => {
  it('updates the email address of the step-up dialog', async () => {
    const own = await staff();
    const { page, open } = await visitAs(own);
    await open(`/users/${own.id}`);
    const email = `new.${own.email}`;
    await changeAddress(page, email);
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menu').getByText(email, { exact: true }).waitFor();
    await page.keyboard.press('Escape');

    const old = { create_time: Date.now() - 20 * 60_000 };
    await changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('sessions').set(old).where('user_id', '=', own.id).execute(),
    );
    await page.reload();
    const again = `again.${own.email}`;
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit name and email' });
    await edit.getByLabel('Email address').fill(again);
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Confirm it’s you' }).getByText(email).waitFor();
    await fillSignIn(page, { ...own, email });
    await edit.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menu').getByText(again, { exact: true }).waitFor();
  });

  it('of the scopes updates the menu', async () => {
    const own = await staff();
    const { page, open } = await visitAs(own);
    await open(`/users/${own.id}`);
    const log = page.getByRole('navigation').getByRole('link', { name: 'Audit log' });
    await log.waitFor();
    await page.getByRole('button', { name: 'Change scopes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'audit:read' }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await log.waitFor({ state: 'detached' });
    const user = db().selectFrom('users').select('scopes').where('id', '=', own.id);
    const { scopes } = await user.executeTakeFirstOrThrow();
    expect(scopes.split(' ')).toHaveLength(managementScopes.length - 1);
  });

  it('succeeds even if the session cannot be refreshed', async () => {
    const own = await member('admin');
    const { page, open, complaints } = await visitAs(own);
    await open(`/workspaces/${workspaceId()}/members`);
    await page.getByRole('button', { name: /^Actions for/ }).waitFor();
    let aborted = 0;
    await page.route(/SessionService\/RefreshSession$/, async (route) => {
      await route.abort();
      aborted += 1;
    });
    await chooseRowAction(page, 'Change role');
    const change = page.getByRole('dialog', { name: /^Change the role of/ });
    await change.getByLabel('Role').selectOption('Member');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'hidden' });
    await expect.poll(() => aborted).toBeGreaterThan(0);

    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('link', { name: 'Documents' }).click();
    await heading(page, 'Documents').waitFor();
    const settings = page.getByRole('navigation').getByRole('link', { name: 'General' });
    await settings.waitFor({ state: 'detached' });
    const others = complaints.splice(0).filter((one) => !/net::ERR_\w+$/.test(one));
    complaints.push(...others);
  });
});
