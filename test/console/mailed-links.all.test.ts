// The screens of password resets, invitations and recovery codes.
import { expect, it } from 'vitest';
import { heading, overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction, signOut } from '../support/console-menus.ts';
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
  await page.getByLabel('Email address').fill(own.email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await heading(page, 'Reset your password').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Email address').fill(own.email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByText('a link is on its way').waitFor();

  const token = await tokenOfMail(app(), own.email, { page: 'reset-password' });
  await open(`/reset-password#${token}`);
  await heading(page, 'Choose your password').waitFor();
  // Other people may see the address bar and the history.
  await page.waitForURL('**/reset-password');
  await expectAccessible(page);
  expect(await overhangOf(page)).toBeLessThanOrEqual(0);
  const field = page.locator('input[name=password]');
  await field.fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  // At the field, without its name.
  await page.getByText('Enter at least 12 characters.', { exact: true }).waitFor();
  await page.getByRole('alert').getByText('Check the marked fields').waitFor();
  await field.and(page.locator(':focus')).waitFor();
  await field.fill(password);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: 'Set password' }).click();
  await heading(page, 'Password set').waitFor();

  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillSignIn(page, { ...own, password });
  await heading(page, 'Home').waitFor();
});

it('a used link and an address without a token are explained', async () => {
  const { page, open } = await visit();
  for (const path of ['/reset-password', '/invitation']) {
    await open(path);
    await page.getByText('Open the link in the email again.').waitFor();
  }
  await open('/reset-password#nonsense');
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('This link doesn’t work').waitFor();
  await page.getByRole('link', { name: 'Request a new link' }).click();
  await heading(page, 'Reset your password').waitFor();
});

it('users accept an invitation, new ones with a password, others after a sign-in', async () => {
  const { token } = await addInvitation(app(), 'grace@example.com');
  const { page, open } = await visit(phone);
  await open(`/invitation#${token}`);
  await page.getByText('Test workspace').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Your name').fill('Grace');
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await heading(page, 'Home').waitFor();
  await signOut(page);
  await heading(page, 'Sign in').waitFor();

  const own = await member('member');
  const { token: next, workspace_id } = await addInvitation(app(), own.email);
  await open(`/invitation#${next}`);
  await page.getByText(`Sign in as ${own.email} to join.`).waitFor();
  // A long address stays inside the card.
  expect(await overhangOf(page, 'h1 ~ p:nth-of-type(2)')).toBe(0);
  await fillSignIn(page, own);
  await page.getByRole('button', { name: 'Join workspace' }).click();
  await heading(page, 'Documents').waitFor();
  expect(page.url()).toContain(workspace_id);
});

it('recovery codes are shown once, replaced, and one of them signs the user in', async () => {
  const own = await staff();
  await addTotp(app(), own.id);
  const { page, open } = await visitAs(own);
  await open('/account');
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  async function takeCodes(): Promise<string[]> {
    await dialog.getByText('Each code works once.').waitFor();
    const codes = await dialog.locator('li code').allTextContents();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 of 10 recovery codes left').waitFor();
    return codes;
  }
  await page.getByRole('button', { name: 'Create recovery codes' }).click();
  const old = await takeCodes();
  await page.getByRole('button', { name: 'Replace recovery codes' }).click();
  const question = page.getByRole('dialog', { name: 'Replace recovery codes?' });
  await question.getByText('stop working immediately').waitFor();
  await question.getByRole('button', { name: 'Replace' }).click();
  const codes = await takeCodes();
  expect(new Set([...old, ...codes]).size).toBe(20);

  const other = await visit(phone);
  await other.open('/sign-in');
  await other.page.getByLabel('Email address').fill(own.email);
  await other.page.getByRole('button', { name: 'Continue' }).click();
  await other.page.getByRole('button', { name: 'Use a one-time code' }).click();
  await other.page.getByRole('button', { name: 'Use a recovery code instead' }).click();
  await other.page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await expectAccessible(other.page);
  await fillSignIn(other.page, own);
  await heading(other.page, 'Overview').waitFor();
  await other.open('/account');
  await other.page.getByText('9 of 10 recovery codes left').waitFor();
});

it('an owner invites a person, sends the mail again and withdraws the invitation', async () => {
  const email = 'ada@example.com';
  const { page, open } = await visitAs(await member('owner', workspaceId(), { name: 'Jane Doe' }));
  await open(`/workspaces/${workspaceId()}/members`);
  const table = page.getByRole('table', { name: 'Open invitations' });
  expect(await table.count()).toBe(0);
  await page.getByRole('button', { name: 'Invite by email' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite by email' });
  await dialog.getByLabel('Email address').fill(email);
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await table.getByText(email).waitFor();
  await expectAccessible(page);
  const first = await tokenOfMail(app(), email, { page: 'invitation' });

  await chooseRowAction(page, 'Send again', email);
  const question = page.getByRole('dialog', { name: `Send the invitation to ${email} again?` });
  await question.getByRole('button', { name: 'Send again' }).click();
  const second = await tokenOfMail(app(), email, { page: 'invitation', count: 2 });
  expect(second).not.toBe(first);

  await chooseRowAction(page, 'Withdraw', email);
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await table.waitFor({ state: 'detached' });
  const guest = await visit();
  await guest.open(`/invitation#${second}`);
  await guest.page.getByText('This link doesn’t work').waitFor();
});
