import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { transact } from '../../src/storage/database.ts';
import { holdCalls } from '../support/browser-pages.ts';
import { chooseRowAction, openFilter, openRowMenu } from '../support/console-menus.ts';
import {
  type ConsoleUser,
  expectAccessible,
  fillSignIn,
  staleSignInTime,
  useConsole,
} from '../support/console-suite.ts';
import { tokenOfMail } from '../support/mailed-links.ts';
import { liveSessions } from '../support/member-rows.ts';
import { addSession, addTotp, addUser } from '../support/user-rows.ts';

const { app, visit, visitAs, staff, member } = useConsole();

const db = () => app().app.inside.db;

function userOf(email: string) {
  return db().selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

const rowsOf = (page: Page) =>
  page
    .getByRole('table', { name: 'Users' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });

async function choose(page: Page, scopes: readonly string[]) {
  const dialog = page.getByRole('dialog');
  for (const scope of scopes) await dialog.getByRole('checkbox', { name: scope }).check();
}

/** Expects a successful sign-in. */
async function signInAs(person: ConsoleUser) {
  const { page, open } = await visit();
  await open('/sign-in');
  await fillSignIn(page, person);
  await page.getByRole('button', { name: 'User menu' }).waitFor();
}

it('staff create users after a step-up, and take over no one with more scopes', async () => {
  const creator = await staff(['users:read', 'users:write', 'audit:read']);
  const { page, open } = await visitAs(creator, { signedInAt: staleSignInTime() });
  await open('/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await dialog.getByLabel('Type').selectOption('Staff: manages the service');
  await dialog.getByLabel('Email address').fill('Night.Watch@example.com');
  await dialog.getByLabel('Name').fill('Night watch');
  await dialog.getByLabel('Sign-in').selectOption('Set a password now');
  await dialog.locator('input[type=password]').fill('short');
  const offered = dialog.getByRole('checkbox', { disabled: false });
  await expect.poll(() => offered.count()).toBe(3);
  await choose(page, ['audit:read']);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await fillSignIn(page, creator);
  await dialog.getByText('Enter at least 12 characters.').first().waitFor();
  const password = 'a lantern on the quay';
  await dialog.locator('input[type=password]').fill(password);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Night watch' }).waitFor();
  await page.getByRole('definition').getByText('audit:read').waitFor();
  const user = await userOf('night.watch@example.com');
  expect(user).toMatchObject({ kind: 'staff', scopes: 'audit:read', name: 'Night watch' });
  await signInAs({ id: '', email: 'night.watch@example.com', password });

  // A user with more scopes than the caller.
  const stronger = await addUser(db(), { scopes: 'links:read', name: 'Publisher' });
  await open(`/users/${stronger.id}`);
  await chooseRowAction(page, 'Set password', 'Publisher');
  const takeover = page.getByRole('dialog', { name: 'Set password of Publisher' });
  await takeover.locator('input[type=password]').fill('a lantern on the quay');
  await takeover.getByRole('button', { name: 'Set password' }).click();
  await takeover.getByText('You don’t have access').waitFor();
  await takeover.getByText('Request ID').waitFor();
  expect(await userOf(stronger.email)).toMatchObject({ password_hash: '' });
});

it('members have no scopes, and email addresses are unique', async () => {
  const { page, open } = await visitAs(await staff());
  const other = await addUser(db(), { kind: 'member' });
  await open('/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await dialog.waitFor();
  expect(await dialog.getByRole('checkbox').count()).toBe(0);
  await dialog.getByLabel('Email address').fill(other.email);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Another user has the email address.').waitFor();
  await dialog.getByText('Request ID').waitFor();
  await dialog.getByLabel('Email address').fill('deck.hand@example.com');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'deck.hand@example.com' }).waitFor();
  expect(await userOf('deck.hand@example.com')).toMatchObject({ kind: 'member', scopes: '' });
  await page.getByText('Link stored in the folder “outbox”').waitFor();
  const mailed = { page: 'reset-password' };
  await tokenOfMail(app(), 'deck.hand@example.com', mailed);
  await chooseRowAction(page, 'Email password link');
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Send link' }).click();
  const token = await tokenOfMail(app(), 'deck.hand@example.com', { ...mailed, count: 2 });
  const invited = await visit();
  await invited.open(`/reset-password#${token}`);
  await invited.page.locator('input[type=password]').fill('a lantern on the quay');
  await invited.page.getByRole('button', { name: 'Set password' }).click();
  await invited.page.getByRole('heading', { name: 'Password set' }).waitFor();
  await signInAs({ id: '', email: 'deck.hand@example.com', password: 'a lantern on the quay' });
  expect(await page.getByRole('button', { name: 'Change scopes' }).count()).toBe(0);
});

it('users are filtered by type and email, in pages, and the URL keeps the filter', async () => {
  for (let i = 0; i < 51; i++) await addUser(db(), { kind: 'member' });
  const { page, open } = await visitAs(await staff());
  const wanted = await addUser(db(), { kind: 'member', email: 'pilot@example.com' });
  await open('/users');
  await openFilter(page);
  await page.getByLabel('Email address').fill('PILOT@example.com');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await openFilter(page);
  await page.getByLabel('Type', { exact: true }).selectOption('Staff');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('No matching users').waitFor();
  await expectAccessible(page);
  await page.reload();
  await page.getByText('No matching users').waitFor();
  await openFilter(page);
  expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('staff');
  await open('/users?kind=member');
  await expect.poll(() => rowsOf(page).count()).toBe(50);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => rowsOf(page).count()).toBeGreaterThan(50);
  await rowsOf(page).filter({ hasText: wanted.email }).waitFor();
  expect(await rowsOf(page).filter({ hasText: 'Staff' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await rowsOf(page).filter({ hasText: 'Staff' }).first().waitFor();
  await rowsOf(page).getByRole('link', { name: wanted.email }).click();
  await page.getByRole('heading', { level: 1, name: 'Test user' }).waitFor();
});

it('a user gets a new name, email address and scopes', async () => {
  const { page, open } = await visitAs(await staff());
  const user = await addUser(db(), { scopes: 'audit:read payments:read' });
  await open(`/users/${user.id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit name and email' });
  await edit.getByLabel('Email address').fill('nonsense');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit
    .getByText('Enter an email address, such as name@example.com.', { exact: true })
    .waitFor();
  const problem = edit.getByRole('alert');
  await problem.getByText('Check the marked fields').waitFor();
  // An edit ends the error of the last attempt.
  await edit.getByLabel('Email address').fill('');
  expect(await problem.count()).toBe(0);
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.getByText('Fill in this field.', { exact: true }).waitFor();
  expect(await problem.count()).toBe(0);
  await edit.getByLabel('Email address').fill('Bosun@example.com');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.getByText('The caller must also hold payments:read.').waitFor();
  await edit.getByLabel('Email address').fill(user.email);
  await edit.getByLabel('Name').fill('Bosun');
  await edit.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Bosun' }).waitFor();

  await page.getByRole('button', { name: 'Change scopes' }).click();
  const change = page.getByRole('dialog', { name: 'Change scopes of Bosun' });
  expect(await change.getByRole('checkbox', { name: 'payments:read' }).isChecked()).toBe(true);
  await change.getByRole('checkbox', { name: 'audit:read' }).uncheck();
  await choose(page, ['links:read']);
  await expectAccessible(page);
  await change.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('definition').getByText('links:read').waitFor();
  const { name, scopes = '' } = (await userOf(user.email)) ?? {};
  expect(name).toBe('Bosun');
  expect(scopes.split(' ').sort()).toEqual(['links:read', 'payments:read']);
});

it('a member gets a new address and password, and is disabled and enabled again', async () => {
  const { page, open } = await visitAs(await staff());
  const user = await member('member');
  await addSession(db(), user.id);
  const release = await holdCalls(page, 'GetSignInOptions');
  await open(`/users/${user.id}`);
  // The actions appear together, so that none moves below the mouse.
  const actions = page.locator('h1 + div').getByRole('button');
  await page.getByRole('definition').getByText(user.email).waitFor();
  expect(await actions.count()).toBe(0);
  release();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  expect(await actions.count()).toBe(2);
  const menu = await openRowMenu(page, 'Test user');
  const others = ['Set password', 'Email password link', 'Disable', 'Delete'];
  expect(await menu.getByRole('menuitem').allTextContents()).toEqual(others);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit name and email' });
  await edit.getByLabel('Email address').fill('Helm@example.com');
  await edit.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('definition').getByText('helm@example.com').waitFor();

  await chooseRowAction(page, 'Set password', 'Test user');
  const change = page.getByRole('dialog', { name: 'Set password' });
  await change.getByText('All sessions of the user are signed out').waitFor();
  const password = 'a lantern on the quay';
  await change.locator('input[type=password]').fill(password);
  await change.getByRole('button', { name: 'Set password' }).click();
  await change.waitFor({ state: 'detached' });
  expect(await liveSessions(db(), user.id)).toEqual([]);

  await addSession(db(), user.id);
  await chooseRowAction(page, 'Disable', 'Test user');
  const dialog = page.getByRole('dialog', { name: 'Disable ' });
  await dialog.getByText('The user is signed out immediately').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await liveSessions(db(), user.id)).toHaveLength(1);
  await chooseRowAction(page, 'Disable', 'Test user');
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('definition').getByText('Disabled').waitFor();
  expect(await liveSessions(db(), user.id)).toEqual([]);
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('definition').getByText('Enabled').waitFor();
  await signInAs({ id: user.id, email: 'helm@example.com', password });

  // Another member loses two-factor authentication.
  const other = await addUser(db(), { kind: 'member' });
  await addTotp(app(), other.id);
  await open(`/users/${other.id}`);
  await page.getByRole('definition').getByText('On, 0 recovery codes left').waitFor();
  await chooseRowAction(page, 'Remove authenticator app', 'Test user');
  const removal = page.getByRole('dialog', { name: 'Remove authenticator app' });
  await removal.getByText('with the password only').waitFor();
  await expectAccessible(page);
  await removal.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('definition').getByText('Off', { exact: true }).waitFor();
  const seeds = db().selectFrom('totp_seeds').selectAll().where('user_id', '=', other.id);
  expect(await seeds.execute()).toEqual([]);
});

it('the last administrator changes their password, and cannot be disabled', async () => {
  await transact(db(), (trx) =>
    trx
      .updateTable('users')
      .set({ disable_time: 1 })
      .where('scopes', 'like', '%users:write%')
      .execute(),
  );
  const last = await staff();
  const { page, open } = await visitAs(last);
  await addSession(db(), last.id);
  await open(`/users/${last.id}`);
  await page.getByText('This is you.').first().waitFor();
  await chooseRowAction(page, 'Set password', 'Test user');
  const change = page.getByRole('dialog', { name: 'Set password' });
  await change.getByText('All your other sessions are signed out').waitFor();
  await change.getByLabel('Current password').fill(last.password);
  await change.getByLabel('New password').fill('a lantern on the quay');
  await change.getByRole('button', { name: 'Set password' }).click();
  await change.waitFor({ state: 'detached' });
  expect(await liveSessions(db(), last.id)).toHaveLength(1);

  await chooseRowAction(page, 'Disable', 'Test user');
  const dialog = page.getByRole('dialog', { name: 'Disable ' });
  await dialog.getByText('you’ll be signed out').waitFor();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await dialog.getByText(/is the last enabled staff user with [a-z_]+:(read|write)\./).waitFor();
  expect(await userOf(last.email)).toMatchObject({ disable_time: null });
});

it('users are read-only for staff without the write scope', async () => {
  const readers = managementScopes.filter((scope) => scope.endsWith(':read'));
  const { page, open } = await visitAs(await staff(readers));
  const user = await addUser(db(), { scopes: managementScopes.join(' '), disabled: true });
  await open(`/users/${user.id}`);
  await page.getByRole('definition').getByText('Disabled').waitFor();
  const buttons = page.getByRole('button', { name: /Edit|Change|able|Actions for/ });
  expect(await buttons.count()).toBe(0);
  await open('/users/usr_0000000000000000000000');
  await page.getByRole('alert').getByText('Not found').waitFor();
  await page.getByRole('alert').getByText('Request ID').waitFor();
});
