// A company sign-in with a real OpenID provider, in a real browser: staff create the provider, a
// user signs in, confirms a sensitive action, opens the link of a command-line sign-in, and is
// signed out by the provider.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { desktop } from '../support/browser-pages.ts';
import { loopbackEgress } from '../support/company-sign-in.ts';
import { addScopes, takeSecret } from '../support/console-credentials.ts';
import { useConsole } from '../support/console-suite.ts';
import {
  type RealProvider,
  realClient,
  signInAtProvider,
  startRealProvider,
} from '../support/real-provider.ts';

const { app, visitAs, staff } = useConsole({ config: loopbackEgress });

let provider: RealProvider;
beforeAll(async () => {
  provider = await startRealProvider();
});
afterAll(() => provider.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

async function createProvider(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create sign-in provider' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create sign-in provider' });
  await dialog.getByLabel('Name').fill('Acme');
  await dialog.getByLabel('Issuer').fill(provider.issuer);
  await dialog.getByLabel('Client ID').fill(realClient.clientId);
  await dialog.getByLabel('Client secret').fill(realClient.clientSecret);
  await dialog.getByLabel('Domains').fill('example.com');
  await dialog.getByLabel('Create users').check();
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await heading(page, 'Acme').waitFor();
}

async function addGroup(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add group' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add group' });
  await dialog.getByLabel('Group').fill('operators');
  await dialog.getByLabel('Users in it become').selectOption('staff');
  for (const scope of ['clients:read', 'clients:write']) await dialog.getByLabel(scope).check();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Staff: clients:read, clients:write').waitFor();
}

async function signInWithAcme(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill('ann@example.com');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await signInAtProvider(page, 'ann');
}

it('a user signs in with the company account, confirms an action, and is signed out', async () => {
  const administrator = await visitAs(await staff());
  await administrator.open('/identity-providers');
  await createProvider(administrator.page);
  await addGroup(administrator.page);
  const code = administrator.page.locator('code');
  const redirectUri = await code.getByText('/callback').textContent();
  const logoutUri = await code.getByText('/logout').textContent();
  provider.groups.ann = ['operators'];
  provider.start({ redirectUri: redirectUri ?? '', logoutUri: logoutUri ?? '' });

  const context = await (await sharedBrowser()).newContext(desktop);
  const page = await context.newPage();
  await page.goto(`${app().app.publicUrl}/console/sign-in?next=/console/clients`);
  await signInWithAcme(page);
  await heading(page, 'Clients').waitFor();

  // The provider did not say when it authenticated the user, so the action asks for it.
  await page.getByRole('button', { name: 'Create client' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create client' });
  await dialog.getByLabel('Name').fill('Payments');
  await addScopes(dialog, 'payments:read');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const stepUp = page.getByRole('dialog', { name: 'Confirm it’s you' });
  const opened = context.waitForEvent('page');
  await stepUp.getByRole('button', { name: 'Sign in with Acme' }).click();
  const popup = await opened;
  await stepUp.waitFor({ state: 'hidden' });
  expect((await takeSecret(page)).secret).toMatch(/^lk_cs_/);
  if (!popup.isClosed()) await heading(popup, 'Confirmed').waitFor();

  const elsewhere = await (await sharedBrowser()).newContext(desktop);
  const device = await elsewhere.newPage();
  await device.goto(`${app().app.publicUrl}/console/device#BCDF-GHJK`);
  await signInWithAcme(device);
  await heading(device, 'Sign in on the command line').waitFor();
  expect(await device.getByLabel('Code').inputValue()).toBe('BCDF-GHJK');
  await device.reload();
  expect(await device.getByLabel('Code').inputValue()).toBe('');
  await elsewhere.close();

  await page.goto(`${app().app.publicUrl}/console/account`);
  await page.getByText('You sign in with your company account.').waitFor();
  const other = await context.newPage();
  await other.goto(`${provider.issuer}/session/end`);
  await other.getByRole('button', { name: 'Yes, sign me out' }).click();
  // The page appears after the provider has sent the logout token to the service.
  await other.getByText('Sign-out Success').waitFor();
  await page.reload();
  await page.waitForURL('**/console/sign-in**');
  await context.close();
});
