import { it } from 'vitest';
import { consoles, expectAccessible } from '../support/console.ts';
import { phone, picture } from '../support/viewing.ts';

const { visitAs, member, staff } = consoles();

it('looks', async () => {
  const { page, open } = await visitAs(await staff());
  await open('/account');
  await page.getByRole('table', { name: 'Sessions' }).waitFor();
  await picture(page, 'account-desktop');
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('dialog').waitFor();
  await picture(page, 'account-password-dark');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  await page.getByRole('dialog').waitFor();
  await expectAccessible(page);
  await picture(page, 'account-totp-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await picture(page, 'account-totp');
  const second = await visitAs(await member('member'), phone);
  await second.open('/account');
  await second.page.getByRole('table', { name: 'Sessions' }).waitFor();
  await second.page.screenshot({ path: '/tmp/latchkey-pictures/account-phone.png', fullPage: true });
  await second.page.getByRole('button', { name: 'Open the menu' }).click();
  await picture(second.page, 'account-phone-menu');
});
