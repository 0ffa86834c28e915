import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { addMember } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { addUser } from '../support/user-rows.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

const db = () => app().app.inside.db;

async function roleOf(userId: string, workspace = workspaceId()): Promise<string | undefined> {
  const row = await db()
    .selectFrom('members')
    .select('role')
    .where('workspace_id', '=', workspace)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role;
}

const pathOf = (workspace = workspaceId()) => `/workspaces/${workspace}/members`;

const rowOf = (page: Page, { email }: { readonly email: string }) =>
  page.getByRole('table', { name: 'Members' }).getByRole('row').filter({ hasText: email });

async function newWorkspace(): Promise<string> {
  return (await addWorkspace(db(), '')).ownerId;
}

it('staff add members by email address, and no one twice', async () => {
  const { page, open } = await visitAs(await staff());
  const workspace = await newWorkspace();
  const user = await addUser(db(), { kind: 'member', name: 'Harbour master' });
  await open(pathOf(workspace));
  await page.getByText('No members yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add member' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add member' });
  const who = dialog.getByLabel('Email address or user ID');
  await who.fill('nobody@example.com');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('No user has the email address nobody@example.com').waitFor();
  await expect.poll(() => who.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await who.fill(user.email.toUpperCase());
  // The first member has to be an owner, and the next one need not.
  expect(await dialog.getByLabel('Role').inputValue()).toBe('owner');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await rowOf(page, user).getByText('Harbour master').waitFor();
  await rowOf(page, user).getByText('Owner', { exact: true }).waitFor();
  expect(await roleOf(user.id, workspace)).toBe('owner');
  await page.getByRole('button', { name: 'Invite by email' }).click();
  const invitation = page.getByRole('dialog', { name: 'Invite by email' });
  expect(await invitation.getByLabel('Role').inputValue()).toBe('member');

  // A member keeps the role, also if the first page does not contain this member.
  const admin = await member('admin', workspace, { name: 'Pilot' });
  for (let count = 0; count < 200; count++) await addMember(db(), workspace, 'member');
  await open(pathOf(workspace));
  await page.getByRole('button', { name: 'Add member' }).click();
  for (const text of [admin.email, admin.id]) {
    await who.fill(text);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Pilot is already a member, as an admin.').waitFor();
    await expect.poll(() => who.getAttribute('aria-invalid')).toBe('true');
    expect(await roleOf(admin.id, workspace)).toBe('admin');
    await who.fill('');
    await dialog.getByText('Pilot is already a member').waitFor({ state: 'detached' });
  }
});

it('an owner invites members and changes their roles, but adds none', async () => {
  const workspace = await newWorkspace();
  const owner = await member('owner', workspace);
  const { page, open } = await visitAs(owner);
  const user = await member('member', workspace);
  await open(pathOf(workspace));
  await page.getByRole('button', { name: 'Invite by email' }).waitFor();
  expect(await page.getByRole('button', { name: 'Add member' }).count()).toBe(0);

  // The last owner stays.
  await chooseRowAction(rowOf(page, owner), 'Leave workspace');
  const dialog = page.getByRole('dialog', { name: 'Leave workspace?' });
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await dialog.getByText('The workspace would lose its last owner.').waitFor();
  expect(await roleOf(owner.id, workspace)).toBe('owner');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });

  await chooseRowAction(rowOf(page, user), 'Change role');
  const change = page.getByRole('dialog', { name: 'Change the role' });
  await change.getByLabel('Role').selectOption('Owner');
  await change.getByRole('button', { name: 'Save' }).click();
  await rowOf(page, user).getByText('Owner', { exact: true }).waitFor();
  expect(await roleOf(user.id, workspace)).toBe('owner');

  await open(pathOf(await newWorkspace()));
  await page.getByRole('alert').getByText('Request ID').waitFor();
  expect(await page.getByRole('button', { name: 'Add member' }).count()).toBe(0);
});

it('an admin removes members after a confirmation, but cannot change owners', async () => {
  const workspace = await newWorkspace();
  const [owner, admin] = [await member('owner', workspace), await member('admin', workspace)];
  const { page, open } = await visitAs(admin);
  const user = await member('member', workspace);
  await open(pathOf(workspace));
  await rowOf(page, admin).getByRole('button').waitFor();
  expect(await rowOf(page, owner).count()).toBe(1);
  expect(await rowOf(page, owner).getByRole('button').count()).toBe(0);
  await chooseRowAction(rowOf(page, admin), 'Change role');
  const change = page.getByRole('dialog', { name: 'Change the role' });
  const roles = change.getByRole('option');
  await expect.poll(() => roles.allTextContents()).toEqual(['Member', 'Admin']);
  await page.keyboard.press('Escape');
  await change.waitFor({ state: 'hidden' });

  await chooseRowAction(rowOf(page, user), 'Remove');
  const dialog = page.getByRole('dialog', { name: 'Remove' });
  await dialog.getByText('lose access').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await roleOf(user.id, workspace)).toBe('member');
  await chooseRowAction(rowOf(page, user), 'Remove');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await rowOf(page, user).waitFor({ state: 'detached' });
  expect(await roleOf(user.id, workspace)).toBeUndefined();
});

it('members see each other, change only their own membership, and can leave', async () => {
  const workspace = await newWorkspace();
  const owner = await member('owner', workspace);
  const plain = await member('member', workspace);
  const { page, open } = await visitAs(plain, phone);
  await open(pathOf(workspace));
  await rowOf(page, owner).waitFor();
  await rowOf(page, plain).getByText('(you)').waitFor();
  await page.getByRole('region', { name: 'Roles' }).waitFor();
  expect(await page.getByRole('button', { name: /Add|Invite|Actions/ }).count()).toBe(1);
  await chooseRowAction(rowOf(page, plain), 'Leave workspace');
  const dialog = page.getByRole('dialog', { name: 'Leave workspace?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await changeColorScheme(page, 'dark');
  await expectAccessible(page);

  await chooseRowAction(page, 'Leave workspace');
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  await page.getByText('You aren’t in a workspace yet').waitFor();
});
