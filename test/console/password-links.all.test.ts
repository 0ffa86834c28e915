// Creating users if no link can be mailed, and if passwords are off.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/base/config/config.ts';
import { openRowMenu } from '../support/console-menus.ts';
import { useConsole } from '../support/console-suite.ts';
import { addUser } from '../support/user-rows.ts';

const { smtp } = readConfig({
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
  LATCHKEY_MAIL_FROM: 'latchkey@example.com',
});

describe('without a mail server that answers', () => {
  const { app, visit, visitAs, staff } = useConsole({ config: { smtp } });

  it('the user is created, and a message says that the link was not sent', async () => {
    const { page, open } = await visitAs(await staff(['users:read', 'users:write']));
    await open('/users');
    await page.getByRole('button', { name: 'Create user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create user' });
    await dialog.getByLabel('Email address').fill('ann@example.com');
    await dialog.getByLabel('Name').fill('Ann');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ann' }).waitFor();
    const message = page.getByRole('alertdialog').or(page.getByRole('dialog'));
    await message.getByText('The link wasn’t sent').waitFor();
    await message.getByText('Request ID').waitFor();
    await message.getByRole('button', { name: 'Close' }).first().click();

    const { db } = app().app.inside;
    const users = db.selectFrom('users').select('password_hash');
    const row = await users.where('email', '=', 'ann@example.com').executeTakeFirstOrThrow();
    expect(row.password_hash).toBe('');
    expect(await db.selectFrom('password_resets').selectAll().execute()).toEqual([]);

    // The server could send mail, so no screen says that it sends none.
    const stranger = await visit();
    await stranger.open('/forgot-password');
    await stranger.page.getByRole('button', { name: 'Send link' }).waitFor();
    expect(await stranger.page.getByText('This server sends no email').count()).toBe(0);
  });
});

describe('with passwords off', () => {
  const { app, visitAs, staff } = useConsole({ config: { localPasswords: 'off' } });

  it('the console offers no password and no link', async () => {
    const { page, open } = await visitAs(await staff(['users:read', 'users:write']));
    await open('/users');
    await page.getByRole('button', { name: 'Create user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create user' });
    await dialog.getByText('passwords are off').waitFor();
    expect(await dialog.getByLabel('Sign-in').count()).toBe(0);
    await page.keyboard.press('Escape');

    const user = await addUser(app().app.inside.db, { kind: 'member', name: 'Ann' });
    await open(`/users/${user.id}`);
    const menu = await openRowMenu(page, 'Ann');
    expect(await menu.getByRole('menuitem').allTextContents()).toEqual(['Disable', 'Delete']);
  });
});
