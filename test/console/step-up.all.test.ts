import { expect, it } from 'vitest';
import { type Reader, settle } from '../support/browser-pages.ts';
import { expectFitForAll } from '../support/console-credentials.ts';
import { openAccount, signOut } from '../support/console-menus.ts';
import {
  type ConsoleUser,
  type ConsoleVisit,
  expectAccessible,
  fillSignIn,
  staleSignInTime,
  useConsole,
} from '../support/console-suite.ts';
import { addTotp } from '../support/user-rows.ts';

const { app, visitAs, member } = useConsole();

const stepUpOf = ({ page }: Reader) => page.getByRole('dialog', { name: 'Confirm it’s you' });
const passwordOf = ({ page }: Reader) => page.getByRole('dialog', { name: 'Change password' });

/** Opens the account screen of a user with an old sign-in. */
async function atAccount(own: ConsoleUser): Promise<ConsoleVisit> {
  const visit = await visitAs(own, { signedInAt: staleSignInTime() });
  await visit.open('/account');
  await visit.page.getByText('Off', { exact: true }).waitFor();
  return visit;
}

async function changePassword(
  visit: ConsoleVisit,
  own: ConsoleUser,
  password: string,
): Promise<void> {
  await visit.page.getByRole('button', { name: 'Change password' }).click();
  await passwordOf(visit).getByLabel('Current password').fill(own.password);
  await passwordOf(visit).getByLabel('New password').first().fill(password);
  await passwordOf(visit).getByLabel('Confirm new password').fill(password);
  await passwordOf(visit).getByRole('button', { name: 'Change password' }).click();
}

/** The stored password hash of the user. */
async function hashOf({ id }: ConsoleUser): Promise<string> {
  const { db } = app().app.inside;
  const row = db.selectFrom('users').select('password_hash').where('id', '=', id);
  return (await row.executeTakeFirstOrThrow()).password_hash;
}

it('an action that requires a recent sign-in asks for one, then continues', async () => {
  const own = await member('member');
  const visit = await atAccount(own);
  const { page } = visit;
  const before = await hashOf(own);
  await changePassword(visit, own, 'a long new password');
  const stepUp = stepUpOf(visit);
  await stepUp.getByText('This action requires a recent sign-in.').waitFor();
  await stepUp.getByText(own.email).waitFor();
  await stepUp.locator('input[name=password]').waitFor();
  expect(await stepUp.getByRole('textbox').count()).toBe(1);
  expect(await stepUp.getByLabel('One-time code').count()).toBe(0);
  await expectFitForAll(page);

  // The focus stays inside the topmost dialog.
  const focus = page.locator(':focus');
  await stepUp.locator('input[name=password]').and(focus).waitFor();
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press('Tab');
    await expect.poll(() => stepUp.locator(':focus').count()).toBe(1);
  }

  // Escape closes only the topmost dialog, and the focus returns.
  await page.keyboard.press('Escape');
  await stepUp.waitFor({ state: 'hidden' });
  await passwordOf(visit).getByText('Nothing was changed').waitFor();
  const again = passwordOf(visit).getByRole('button', { name: 'Change password' });
  await again.and(focus).waitFor();
  await page.keyboard.press('Escape');
  await passwordOf(visit).getByRole('button', { name: 'Discard' }).click();
  await passwordOf(visit).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Change password' }).and(focus).waitFor();

  // After a cancel it is not done, and can be repeated.
  await changePassword(visit, own, 'a long new password');
  await stepUp.getByRole('button', { name: 'Cancel' }).click();
  const problem = passwordOf(visit).getByRole('alert');
  await problem.getByText('Nothing was changed').waitFor();
  await problem.getByText('This action requires a recent sign-in.').waitFor();
  await problem.getByText('Request ID:').waitFor();
  await expectAccessible(page);
  expect(await hashOf(own)).toBe(before);
  await again.click();
  await stepUp.waitFor();
  await fillSignIn(page, own);
  await page.getByText('Password changed').waitFor();
  await stepUp.waitFor({ state: 'detached' });
  await passwordOf(visit).waitFor({ state: 'detached' });
  expect(await hashOf(own)).not.toBe(before);
});

it('a click outside does not cancel it, and a wrong password can be corrected', async () => {
  const own = await member('member');

  const visit = await atAccount(own);
  await visit.page.getByRole('button', { name: 'Add authenticator app' }).click();
  const stepUp = stepUpOf(visit);
  await stepUp.waitFor();
  await settle(visit.page);
  const [cancel, signIn] = await Promise.all(
    ['Cancel', 'Sign in'].map((name) => stepUp.getByRole('button', { name }).boundingBox()),
  );
  expect(cancel?.x).toBeLessThan(signIn?.x ?? 0);
  expect(cancel?.y).toBe(signIn?.y);
  await visit.page.mouse.click(5, 400);
  await stepUp.getByRole('button', { name: 'Cancel' }).click();
  await visit.page.getByText('Nothing was changed').waitFor();

  await visit.page.getByRole('button', { name: 'Add authenticator app' }).click();
  await stepUp.waitFor();
  await fillSignIn(visit.page, { ...own, password: 'not the password' });
  const problem = stepUp.getByRole('alert');
  await problem.getByText('Sign-in failed').waitFor();
  await expectAccessible(visit.page);
  await fillSignIn(visit.page, own);
  await visit.page.getByRole('dialog', { name: 'Add authenticator app' }).waitFor();
});

it('it cannot be confirmed by another user', async () => {
  const [one, other] = [await member('member'), await member('member')];
  const visit = await atAccount(one);
  const { page } = visit;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/UserService\/EnrolTotp$/, async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  const asking = page.waitForRequest(/UserService\/EnrolTotp$/);
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  const asked = await asking;
  await signOut(page);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await fillSignIn(page, other);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  release();
  expect((await asked.response())?.status()).toBe(401);
  await openAccount(page);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await page.getByRole('table', { name: 'Sessions' }).waitFor();
  expect(await stepUpOf(visit).count()).toBe(0);
});

it('it asks for the code of an authenticator app', async () => {
  const own = await member('member');
  const visit = await atAccount(own);
  const code = await addTotp(app(), own.id);
  await changePassword(visit, own, 'a long new password');
  await stepUpOf(visit).waitFor();
  await fillSignIn(visit.page, own, '000000');
  await stepUpOf(visit).getByText('Wrong code').waitFor();
  await fillSignIn(visit.page, own, code(Date.now()));
  await visit.page.getByText('Password changed').waitFor();
});

it('it asks once for two actions', async () => {
  const own = await member('member');
  const visit = await atAccount(own);
  const { page, requests } = visit;
  const held: Array<() => void> = [];
  await page.route(/UserService\/(EnrolTotp|SetPassword)$/, async (route) => {
    const response = await route.fetch();
    if (response.status() === 401) await new Promise<void>((go) => held.push(go));
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  await changePassword(visit, own, 'a long new password');
  await expect.poll(() => held.length).toBe(2);
  for (const go of held) go();
  await stepUpOf(visit).waitFor();
  await fillSignIn(page, own);
  await page.getByRole('dialog', { name: 'Add authenticator app' }).waitFor();
  await page.getByText('Password changed').waitFor();
  await stepUpOf(visit).waitFor({ state: 'detached' });
  expect(requests.filter((one) => one.endsWith('/SignIn'))).toHaveLength(1);
});
