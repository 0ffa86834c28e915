import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heading, holdCalls, overhangOf } from '../support/browser-pages.ts';
import { openAccount, signOut } from '../support/console-menus.ts';
import {
  type ConsoleUser,
  changeColorScheme,
  expectAccessible,
  fillSignIn,
  useConsole,
} from '../support/console-suite.ts';
import { liveSessions } from '../support/member-rows.ts';
import { addSession, addTotp, addUser, codeAt, fromBase32 } from '../support/user-rows.ts';

const { app, visitAs, member } = useConsole();

const db = () => app().app.inside.db;

/** Returns the HTTP status of a sign-in. */
async function signInStatus(
  { email, password }: Omit<ConsoleUser, 'id'>,
  otp = '',
): Promise<number> {
  const { status } = await fetch(`${app().app.publicUrl}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, otp }),
  });
  return status;
}

const seedOf = (dialog: ReturnType<Page['getByRole']>) =>
  dialog.locator('code', { hasText: /^[A-Z2-7]{32}$/ }).innerText();

it('a member sees the profile, keeps a color scheme and changes the password', async () => {
  const own = await member('member');
  const { page, open } = await visitAs(own);
  await addSession(db(), own.id);
  await open('/account');

  const profile = page.getByRole('region', { name: 'Profile' });
  await profile.getByText(own.email, { exact: true }).waitFor();
  await profile.getByText('Test user', { exact: true }).waitFor();
  await profile.getByText('Member', { exact: true }).waitFor();
  expect(await profile.getByRole('link').count()).toBe(0);

  await page.emulateMedia({ colorScheme: 'light' });
  const shown = page.locator('html[data-mantine-color-scheme=dark]');
  expect(await shown.count()).toBe(0);
  await page.getByRole('radio', { name: 'Dark' }).check();
  await shown.waitFor();
  await page.reload();
  await heading(page, 'Your account').waitFor();
  await shown.waitFor();
  await page.getByRole('radio', { name: 'System' }).check();
  await page.locator('html[data-mantine-color-scheme=light]').waitFor();

  // A closed dialog keeps no input.
  const button = page.getByRole('button', { name: 'Change password' });
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  await dialog.getByLabel('Confirm new password').fill('half of a password');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await button.click();
  expect(await dialog.getByLabel('Confirm new password').inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  await button.click();
  await dialog.getByText('All other sessions are signed out.').waitFor();
  const change = async (password: string, again = password, current = own.password) => {
    await dialog.getByLabel('Current password').fill(current);
    await dialog.getByLabel('New password', { exact: false }).first().fill(password);
    await dialog.getByLabel('Confirm new password').fill(again);
    await dialog.getByRole('button', { name: 'Change password' }).click();
  };
  await change('a long new password', 'a long mew password');
  await dialog.getByText('The passwords don’t match.').waitFor();
  await change('short');
  await dialog.getByText('Enter at least 12 characters.').first().waitFor();
  await change(own.email);
  await dialog.getByText('Choose a password without your email address.').first().waitFor();
  await change('a long new password', 'a long new password', 'not the password');
  await dialog.getByText('Check the marked fields').waitFor();
  const wrong = dialog.getByText('This password is wrong.');
  await wrong.waitFor();
  await dialog.getByLabel('Current password').and(page.locator(':focus')).waitFor();
  await expectAccessible(page);
  expect(await liveSessions(db(), own.id)).toHaveLength(2);

  await change('a long new password');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Password changed').waitFor();
  expect(await liveSessions(db(), own.id)).toHaveLength(1);
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(await signInStatus(own)).toBe(401);
  expect(await signInStatus({ ...own, password: 'a long new password' })).toBe(200);
});

/** Downloads the codes that the page shows after the app was added, and closes the dialog. */
async function saveRecoveryCodes(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Two-factor authentication is on' });
  await dialog.getByRole('button', { name: 'Copy recovery codes' }).waitFor();
  const codes = await dialog.locator('li code').allTextContents();
  expect(codes).toHaveLength(10);
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  expect(text.split('\n')).toEqual(expect.arrayContaining(codes));
  // The codes are shown only once, so another key or click must not close the dialog.
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

it('an authenticator app is added with a code, required at sign-in, and removed', async () => {
  const own = await member('member');
  const { page, open } = await visitAs(own);
  await open('/account');

  // It stays off if the user leaves before the first code.
  const begin = async () => {
    await page.getByRole('button', { name: 'Add authenticator app' }).click();
    return seedOf(page.getByRole('dialog'));
  };
  const first = await begin();
  await page.reload();
  await heading(page, 'Your account').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await signInStatus(own)).toBe(200);
  expect(await begin()).not.toBe(first);

  // The QR code can be scanned on a phone and in dark mode.
  const picture = page.getByRole('img', { name: 'QR code' });
  await page.setViewportSize({ width: 390, height: 844 });
  await changeColorScheme(page, 'dark');
  await picture.waitFor();
  const fills = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[role=img] path')]
      .map((path) => getComputedStyle(path).fill)`,
  );
  expect(fills).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await changeColorScheme(page, 'light');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const button = page.getByRole('button', { name: 'Add authenticator app' });
  await button.and(page.locator(':focus')).waitFor();

  const section = page.getByRole('region', { name: 'Two-factor authentication' });
  await section.getByText('Off', { exact: true }).waitFor();
  await section.getByRole('button', { name: 'Add authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add authenticator app' });
  await dialog.getByRole('img', { name: 'QR code' }).waitFor();
  await dialog.getByRole('button', { name: 'Copy key' }).waitFor();
  const seed = fromBase32(await seedOf(dialog));

  const code = codeAt(seed, Date.now());
  const wrong = code.replace(/^./, (first) => String((Number(first) + 1) % 10));
  await dialog.getByLabel('Code').fill(wrong);
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByText('The code is wrong or has expired.').first().waitFor();
  await expectAccessible(page);
  expect(await signInStatus(own)).toBe(200);
  const [current] = await liveSessions(db(), own.id);
  await addSession(db(), own.id);
  expect(await dialog.getByLabel('Sign out other sessions').isChecked()).toBe(true);
  await dialog.getByLabel('Code').fill(codeAt(seed, Date.now()));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await saveRecoveryCodes(page);
  await section.getByText('On', { exact: true }).waitFor();
  await section.getByText('10 of 10 recovery codes left').waitFor();
  expect(await liveSessions(db(), own.id)).toEqual([current]);
  expect(await signInStatus(own)).toBe(401);
  expect(await signInStatus(own, codeAt(seed, Date.now() + 30_000))).toBe(200);

  await section.getByRole('button', { name: 'Remove authenticator app' }).click();
  const question = page.getByRole('dialog', { name: 'Remove authenticator app?' });
  await question.getByText('sign in with your password only').waitFor();
  await expectAccessible(page);
  expect(await question.getByLabel('Sign out other sessions').isChecked()).toBe(false);
  await question.getByLabel('Sign out other sessions').check();
  await question.getByRole('button', { name: 'Remove' }).click();
  await section.getByText('Off', { exact: true }).waitFor();
  expect(await signInStatus(own)).toBe(200);
});

it('an app added in another browser is reported, and its sign-ins are named', async () => {
  const own = await member('member');
  const { page, open } = await visitAs(own);
  await open('/account');
  await page.getByText('Off', { exact: true }).waitFor();
  const code = await addTotp(app(), own.id);
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  const problem = page.getByRole('alert');
  await problem.getByText('has a second factor').waitFor();
  await problem.getByText('Request ID:').waitFor();

  await signOut(page);
  await fillSignIn(page, own, code(Date.now()));
  await heading(page, 'Home').waitFor();
  await openAccount(page);
  await page.getByRole('cell', { name: 'Password and code' }).waitFor();
});

it('a user without a password is never offered one, or an authenticator app', async () => {
  const { page } = await visitAs(await addUser(db(), { kind: 'member' }));
  const release = await holdCalls(page, 'GetUser');
  await page.goto(`${app().app.publicUrl}/console/account`);
  await heading(page, 'Your account').waitFor();
  const offers = page.getByText(/Two-factor authentication|Change password/);
  expect(await offers.count()).toBe(0);
  for (const other of ['Passkeys', 'Sessions', 'Appearance', 'Your data']) {
    await page.getByRole('region', { name: other }).waitFor();
  }
  release();
  await page.getByText('You sign in with your company account.').waitFor();
  expect(await offers.count()).toBe(0);
});
