// The screens of password resets, invitations and recovery codes.
import { expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { heading } from '../support/browser-tabs.ts';
import { expectAccessible, fillSignIn, useConsole } from '../support/console-suite.ts';
import { addInvitation } from '../support/invitation-rows.ts';
import { tokenOfMail } from '../support/mailed-links.ts';
import { addTotp } from '../support/user-rows.ts';

const { app, workspaceId, visit, visitAs, staff, member } = useConsole();
const password = 'a new and much longer password';

it('a user who forgot the password sets a new one with a mailed link', async () => {
  const own = await member('member');
  const { page, open } = await visit(phone);
  await open('/sign-in');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await heading(page, 'Reset your password').waitFor();
  await expectAccessible(page);
  await page.getByLabel('E-mail address').fill(own.email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByText('a link is on its way').waitFor();

  const token = await tokenOfMail(app(), own.email, { page: 'reset-password' });
  await open(`/reset-password#${token}`);
  await heading(page, 'Set a new password').waitFor();
  await expectAccessible(page);
  expect(await overhangOf(page)).toBeLessThanOrEqual(0);
  const field = page.locator('input[name=password]');
  await field.fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('alert').getByText('at least 12 characters').waitFor();
  await field.fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await heading(page, 'Password changed').waitFor();

  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillSignIn(page, { ...own, password });
  await heading(page, 'Documents').waitFor();
});

it('a used link is explained', async () => {
  const { page, open } = await visit();
  await open('/reset-password#nonsense');
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('This link does not work').waitFor();
  await page.getByRole('link', { name: 'Request a new link' }).click();
  await heading(page, 'Reset your password').waitFor();
});

it('a new user accepts an invitation and sees the workspace', async () => {
  const { token } = await addInvitation(app(), 'grace@example.com');
  const { page, open } = await visit(phone);
  await open(`/invitation#${token}`);
  await page.getByText('Test workspace').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Your name').fill('Grace');
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await heading(page, 'Documents').waitFor();
});

it('an existing user signs in and joins the workspace', async () => {
  const own = await member('member');
  const { token, workspace_id } = await addInvitation(app(), own.email);
  const { page, open } = await visit();
  await open(`/invitation#${token}`);
  await fillSignIn(page, own);
  await page.getByRole('button', { name: 'Join workspace' }).click();
  await heading(page, 'Documents').waitFor();
  expect(page.url()).toContain(workspace_id);
});

it('recovery codes are shown once, and one of them signs the user in', async () => {
  const own = await staff();
  await addTotp(app(), own.id);
  const { page, open } = await visitAs(own);
  await open('/account');
  await page.getByRole('button', { name: 'Create recovery codes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recovery codes' });
  const text = await dialog.locator('pre').textContent();
  await expectAccessible(page);
  const codes = (text ?? '').split('\n');
  expect(codes).toHaveLength(10);
  await dialog.getByRole('button', { name: 'I have stored them' }).click();
  await page.getByText('10 of 10 recovery codes left').waitFor();

  const other = await visit();
  await other.open('/sign-in');
  await fillSignIn(other.page, own, codes[0]);
  await heading(other.page, 'Workspaces').waitFor();
});

it('an owner invites a person by e-mail and revokes the invitation', async () => {
  const email = 'ada@example.com';
  const { page, open } = await visitAs(await member('owner'));
  await open(`/workspaces/${workspaceId()}/members`);
  await page.getByRole('button', { name: 'Invite by e-mail' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite by e-mail' });
  await dialog.getByLabel('E-mail address').fill(email);
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  const revoke = page.getByRole('button', { name: `Revoke the invitation of ${email}` });
  await revoke.waitFor();
  await expectAccessible(page);
  await tokenOfMail(app(), email, { page: 'invitation' });

  await revoke.click();
  await page.getByText('No open invitations').waitFor();
});
