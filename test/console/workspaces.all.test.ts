import { describe, expect, it } from 'vitest';
import { openWorkspaces } from '../support/console-menus.ts';
import { addToWorkspace, expectAccessible, useConsole } from '../support/console-suite.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { addUser } from '../support/user-rows.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

const db = () => app().app.inside.db;

describe('workspaces', () => {
  it('are created by staff and opened', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/workspaces');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create workspace' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Fill in this field.').first().waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('Harbour Ltd');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
    await openWorkspaces(page);
    const rows = page.getByRole('table', { name: 'Workspaces' }).getByRole('row');
    await rows.getByRole('link', { name: 'Harbour Ltd' }).waitFor();
    expect(await rows.count()).toBe(3);
  });

  it('are limited to those of the member, and a single one opens directly', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await openWorkspaces(page);
    await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    const rows = page.getByRole('table', { name: 'Workspaces' }).getByRole('row');
    await rows.getByRole('link', { name: 'Demo workspace' }).waitFor();
    expect(await rows.count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Create workspace' }).count()).toBe(0);
  });

  it('appear after a member is added', async () => {
    const newcomer = await addUser(db(), { kind: 'member' });
    const { page, open } = await visitAs(newcomer);
    const refused: number[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.status());
    });
    await open('/workspaces');
    await page.getByText('You aren’t in a workspace yet').waitFor();
    await expectAccessible(page);
    await addToWorkspace(app(), newcomer.id);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page
      .getByRole('table', { name: 'Workspaces' })
      .getByRole('link', { name: 'Demo workspace' })
      .waitFor();
    expect(refused).toEqual([]);
  });

  it('are reloaded when a member without any returns to the tab', async () => {
    const newcomer = await addUser(db(), { kind: 'member' });
    const { page, open } = await visitAs(newcomer);
    await open('/workspaces');
    await page.getByText('You aren’t in a workspace yet').waitFor();
    await addToWorkspace(app(), newcomer.id);
    const comeBack = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";
    await expect
      .poll(async () => {
        await page.evaluate(comeBack);
        return page.getByRole('link', { name: 'Demo workspace' }).count();
      })
      .toBeGreaterThan(0);
  });

  it('open at their home page by default', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(`/workspaces/${workspaceId()}`);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(page.url()).toMatch(/\/home$/);
  });
});

describe('the settings of a workspace', () => {
  const pageOf = (id: string) => `/workspaces/${id}/settings/general`;

  it('show the ID and rename the workspace', async () => {
    const { ownerId } = await addWorkspace(db(), 'documents:read');
    const { page, open } = await visitAs(await staff());
    await open(pageOf(ownerId));
    await page.getByText(ownerId, { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename workspace' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Test workspace');
    await dialog.getByLabel('Name').fill('');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Name').fill('Harbour Ltd');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('definition').getByText('Harbour Ltd').waitFor();
    const query = db().selectFrom('workspaces').select('name').where('id', '=', ownerId);
    expect(await query.executeTakeFirst()).toEqual({ name: 'Harbour Ltd' });
  });

  it('are read-only without the write scope', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(pageOf(workspaceId()));
    await page.getByText(workspaceId(), { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
  });
});
