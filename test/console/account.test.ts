import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { consoles, expectAccessible, fillSignIn, type Person } from '../support/console.ts';
import { liveSessions } from '../support/members.ts';
import { heading } from '../support/tabs.ts';
import { codeAt, fromBase32 } from '../support/totp.ts';
import { addSession, addTotp } from '../support/users.ts';
import { overhangOf, phone } from '../support/viewing.ts';

const { app, visit, visitAs, staff, member } = consoles();

const db = () => app().app.inside.db;

/** The status with which a sign-in is answered. */
async function signInStatus({ email, password }: Omit<Person, 'id'>, otp = ''): Promise<number> {
  const { status } = await fetch(`${app().app.publicUrl}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, otp }),
  });
  return status;
}

const seedOf = (dialog: ReturnType<Page['getByRole']>) =>
  dialog.locator('code', { hasText: /^[A-Z2-7]{32}$/ }).innerText();

describe('the account page', () => {
  it('tells a member who they are', async () => {
    const own = await member('member');
    const { page, open } = await visitAs(own);
    await open('/account');
    const profile = page.getByRole('region', { name: 'Profile' });
    await profile.getByText(own.email, { exact: true }).waitFor();
    await profile.getByText('Test user', { exact: true }).waitFor();
    await profile.getByText('Member of workspaces', { exact: true }).waitFor();
    expect(await profile.getByRole('link').count()).toBe(0);
  });

  it('is for everybody, in both schemes and on a phone', async () => {
    for (const device of [{}, phone]) {
      const { page, open } = await visitAs(await staff(), device);
      await open('/account');
      await page.getByRole('table', { name: 'Sessions' }).waitFor();
      await page.getByText('Off', { exact: true }).waitFor();
      expect(await overhangOf(page)).toBe(0);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page);
    }
  });

  it('keeps the scheme that was chosen', async () => {
    const { page, open } = await visitAs(await member('member'));
    await page.emulateMedia({ colorScheme: 'light' });
    await open('/account');
    const shown = page.locator('html[data-mantine-color-scheme=dark]');
    expect(await shown.count()).toBe(0);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await shown.waitFor();
    await page.reload();
    await heading(page, 'Your account').waitFor();
    await shown.waitFor();
    await page.getByRole('radio', { name: 'As the system' }).check();
    await page.locator('html[data-mantine-color-scheme=light]').waitFor();
  });
});

describe('the own password', () => {
  it('is changed, and only this session goes on', async () => {
    const own = await member('member');
    const { page, open } = await visitAs(own);
    await addSession(db(), own.id);
    await open('/account');
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change your password' });
    await dialog.getByText('Every other session of yours ends.').waitFor();
    const change = async (password: string, again = password) => {
      await dialog.getByLabel('New password', { exact: false }).first().fill(password);
      await dialog.getByLabel('New password again').fill(again);
      await dialog.getByRole('button', { name: 'Change password' }).click();
    };
    await change('a long new password', 'a long mew password');
    await dialog.getByText('The two are not the same.').waitFor();
    await change('short');
    await dialog.getByText('has to have at least 12 characters').first().waitFor();
    await change(own.email);
    await dialog.getByText('contains the e-mail address').first().waitFor();
    await expectAccessible(page);
    expect(await liveSessions(db(), own.id)).toHaveLength(2);

    await change('a long new password');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Your password is changed').waitFor();
    expect(await liveSessions(db(), own.id)).toHaveLength(1);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(await signInStatus(own)).toBe(401);
    expect(await signInStatus({ ...own, password: 'a long new password' })).toBe(200);
  });

  it('is forgotten by a dialog that is closed', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open('/account');
    const button = page.getByRole('button', { name: 'Change password' });
    await button.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New password again').fill('half of a password');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await button.click();
    expect(await dialog.getByLabel('New password again').inputValue()).toBe('');
  });
});

describe('the second factor', () => {
  it('is added with a first code, asked for from then on, and removed', async () => {
    const own = await member('member');
    const { page, open } = await visitAs(own);
    await open('/account');
    const section = page.getByRole('region', { name: 'Second factor' });
    await section.getByText('Off', { exact: true }).waitFor();
    await section.getByRole('button', { name: 'Add an authenticator app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
    await dialog.getByRole('img', { name: 'QR code' }).waitFor();
    await dialog.getByRole('button', { name: 'Copy key' }).waitFor();
    const seed = fromBase32(await seedOf(dialog));

    const code = codeAt(seed, Date.now());
    const wrong = code.replace(/^./, (first) => String((Number(first) + 1) % 10));
    await dialog.getByLabel('Code').fill(wrong);
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('is not the code of this moment').first().waitFor();
    await expectAccessible(page);
    expect(await signInStatus(own)).toBe(200);
    const { db } = app().app.inside;
    const [current] = await liveSessions(db, own.id);
    await addSession(db, own.id);
    expect(await dialog.getByLabel('End my other sessions').isChecked()).toBe(true);
    await dialog.getByLabel('Code').fill(codeAt(seed, Date.now()));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await section.getByText('On', { exact: true }).waitFor();
    expect(await liveSessions(db, own.id)).toEqual([current]);
    expect(await signInStatus(own)).toBe(401);
    expect(await signInStatus(own, codeAt(seed, Date.now() + 30_000))).toBe(200);

    await section.getByRole('button', { name: 'Remove the authenticator app' }).click();
    const question = page.getByRole('dialog', { name: 'Remove your authenticator app?' });
    await question.getByText('your password alone is enough').waitFor();
    await expectAccessible(page);
    expect(await question.getByLabel('End my other sessions').isChecked()).toBe(false);
    await question.getByLabel('End my other sessions').check();
    await question.getByRole('button', { name: 'Remove' }).click();
    await section.getByText('Off', { exact: true }).waitFor();
    expect(await signInStatus(own)).toBe(200);
  });

  it('is shown as a code that every reader reads, in the dark, too', async () => {
    const { page, open } = await visitAs(await member('member'), {
      ...phone,
      colorScheme: 'dark',
    });
    await open('/account');
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    const code = page.getByRole('img', { name: 'QR code' });
    await code.waitFor();
    const fills = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[role=img] path')]
        .map((path) => getComputedStyle(path).fill)`,
    );
    expect(fills).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    expect(await overhangOf(page)).toBe(0);
    await expectAccessible(page);
  });

  it('does not count where the page is left half-way, and begins anew', async () => {
    const own = await member('member');
    const { page, open } = await visitAs(own);
    await open('/account');
    const begin = async () => {
      await page.getByRole('button', { name: 'Add an authenticator app' }).click();
      return seedOf(page.getByRole('dialog'));
    };
    const first = await begin();
    await page.reload();
    await heading(page, 'Your account').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await signInStatus(own)).toBe(200);
    expect(await begin()).not.toBe(first);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const button = page.getByRole('button', { name: 'Add an authenticator app' });
    await button.and(page.locator(':focus')).waitFor();
  });

  it('tells of one that was added meanwhile, in another browser', async () => {
    const own = await member('member');
    const { page, open } = await visitAs(own);
    await open('/account');
    await page.getByText('Off', { exact: true }).waitFor();
    await addTotp(app(), own.id);
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    const problem = page.getByRole('alert');
    await problem.getByText('has a second factor').waitFor();
    await problem.getByText('Request id:').waitFor();
  });
});

it('a sign-in with a code says so among the sessions', async () => {
  const own = await member('member');
  const code = await addTotp(app(), own.id);
  const { page, open } = await visit();
  await open('/sign-in?next=/console/account');
  await fillSignIn(page, own, code(Date.now()));
  await heading(page, 'Your account').waitFor();
  await page.getByRole('cell', { name: 'Password and one-time code' }).waitFor();
});
