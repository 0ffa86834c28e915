import { expect, it } from 'vitest';
import { heading } from '../support/browser-pages.ts';
import { expectFitForAll } from '../support/console-credentials.ts';
import { openAccount, signOut } from '../support/console-menus.ts';
import { expectAccessible, fillCode, fillSignIn, useConsole } from '../support/console-suite.ts';
import { liveSessions } from '../support/member-rows.ts';
import { addTotp } from '../support/user-rows.ts';

const clock = { aheadMs: 0 };
const { app, visit, visitAs, staff } = useConsole({ now: () => Date.now() + clock.aheadMs });

const db = () => app().app.inside.db;

/** Guesses a password until the delay is longer than a slow test needs. */
async function makeDelay(email: string): Promise<void> {
  for (let delay = 0; delay < 30; ) {
    clock.aheadMs += delay * 1000;
    const { headers } = await fetch(`${app().app.publicUrl}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'a guess' }),
    });
    delay = Number(headers.get('retry-after'));
  }
}

it('a user signs in, continues to the requested URL, and signs out', async () => {
  const own = await staff();
  const { page, open, requests } = await visit();
  await open('/sign-in');
  await page.getByLabel('Email address').and(page.locator(':focus')).waitFor();
  await expectFitForAll(page);

  // A visitor who has not signed in asks for no session: that would be an event.
  await open('/');
  await heading(page, 'Sign in').waitFor();
  await page.waitForLoadState('networkidle');
  expect(requests.filter((one) => one.includes('RefreshSession'))).toEqual([]);

  await open('/account?from=mail#sessions');
  await heading(page, 'Sign in').waitFor();
  await fillSignIn(page, { ...own, password: 'not the password' });
  const problem = page.getByRole('alert');
  await problem.getByText('Sign-in failed').waitFor();
  await problem.getByText('Request ID:').waitFor();
  await expectAccessible(page);
  expect(await liveSessions(db(), own.id)).toEqual([]);
  await fillSignIn(page, own);
  await heading(page, 'Your account').waitFor();
  expect(page.url()).toBe(`${app().app.publicUrl}/console/account?from=mail#sessions`);
  await page.reload();
  await heading(page, 'Your account').waitFor();

  // The page is skipped for a signed-in user.
  await open('/sign-in?next=/console/account');
  await heading(page, 'Your account').waitFor();
  await open('/sign-in');
  await heading(page, 'Overview').waitFor();

  await open('/workspaces');
  await openAccount(page);
  await heading(page, 'Your account').waitFor();
  await signOut(page);
  await heading(page, 'Sign in').waitFor();
  await page.getByRole('status').getByText('You’re signed out.').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await expect.poll(() => liveSessions(db(), own.id)).toEqual([]);
  const names = (await page.context().cookies()).map(({ name }) => name);
  expect(names).not.toContain('latchkey_session');
  await page.goBack();
  await heading(page, 'Sign in').waitFor();
});

it('a sign-in requires the code of an authenticator app', async () => {
  const own = await staff();
  const code = await addTotp(app(), own.id);
  const { page, open } = await visit();
  await open('/sign-in');
  expect(await page.getByLabel('One-time code').count()).toBe(0);
  await fillSignIn(page, own);
  await page.getByLabel('One-time code').waitFor();
  await page.getByText('Your password was accepted.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.locator('input[name=password]').isVisible()).toBe(false);
  const send = page.getByRole('button', { name: 'Sign in' });
  await fillCode(page, 'abcdef');
  await send.click();
  await page.getByRole('alert').getByText('Wrong code').waitFor();
  const current = code(Date.now());
  const half = current.length / 2;
  await fillCode(page, `${current.slice(0, half)} ${current.slice(half)}`);
  expect(await page.getByRole('alert').count()).toBe(0);
  await send.click();
  await heading(page, 'Overview').waitFor();
});

it('a sign-in that is rate-limited shows the delay and its end', async () => {
  const own = await staff();
  const { page, open } = await visit();
  await page.clock.install();
  await open('/sign-in');
  const problem = page.getByRole('alert');
  await makeDelay(own.email);
  await fillSignIn(page, own);
  await problem.getByText('Too many attempts', { exact: true }).waitFor();
  const text = await problem.getByText(/^Try again in \d+ seconds\.$/).textContent();
  await expectAccessible(page);
  expect(await page.getByText('You can try again now.').count()).toBe(0);
  const delayMs = 1000 * Number(/\d+/.exec(text ?? '')?.[0]);
  clock.aheadMs += delayMs;
  await page.clock.fastForward(delayMs);
  await page.getByRole('status').getByText('You can try again now.').waitFor();
  expect(await problem.count()).toBe(0);
  await fillSignIn(page, own);
  await heading(page, 'Overview').waitFor();
});

it('on another origin, the console shows its URL', async () => {
  const { page, complaints } = await visit();
  const { publicUrl } = app().app;
  await page.goto(`${publicUrl.replace('127.0.0.1', 'localhost')}/console/sign-in`);
  const notice = page.getByText('Wrong URL');
  await notice.waitFor();
  const link = page.getByRole('link', { name: `${publicUrl}/console` });
  expect(await link.getAttribute('href')).toBe(`${publicUrl}/console`);
  await expectAccessible(page);
  await link.click();
  await page.waitForURL(`${publicUrl}/console/**`);
  await heading(page, 'Sign in').waitFor();
  expect(await notice.count()).toBe(0);
  const others = complaints.splice(0).filter((one) => !one.startsWith('asked http://localhost:'));
  complaints.push(...others);
});

it('without a connection, a screen, an action and a sign-out show an error', async () => {
  const own = await staff();
  const { page, open, complaints, requests } = await visitAs(own);

  await page.route(/SessionService\/RefreshSession$/, (route) => route.abort());
  await page.goto(`${app().app.publicUrl}/console/account`);
  await page.getByText('Can’t connect to the server').waitFor();
  await expectAccessible(page);
  await page.unroute(/SessionService\/RefreshSession$/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Your account').waitFor();

  await page.route(/WorkspaceService\/ListWorkspaces/, (route) => route.abort());
  await open('/workspaces');
  await page.getByText('Can’t connect to the server').waitFor();
  await page.unroute(/WorkspaceService\/ListWorkspaces/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);

  // An action does not run later.
  await page.getByRole('button', { name: 'Create workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Made without a connection');
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Can’t connect to the server').waitFor();
  await page.context().setOffline(false);
  const before = requests.filter((one) => one.endsWith('/CreateWorkspace')).length;
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.reload();
  await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
  expect(requests.filter((one) => one.endsWith('/CreateWorkspace'))).toHaveLength(before);
  expect(await page.getByRole('link', { name: 'Made without a connection' }).count()).toBe(0);

  await open('/account');
  await page.context().setOffline(true);
  await signOut(page);
  const failure = page.getByRole('dialog', { name: 'Couldn’t sign out' });
  await failure.getByText('Can’t connect to the server').waitFor();
  await expectAccessible(page);
  expect(await liveSessions(db(), own.id)).toHaveLength(1);
  await page.context().setOffline(false);
  await page.keyboard.press('Escape');

  // A sign-out ends the session even if its token is rejected.
  // Without `times: 1`, because requests hang if Playwright removes a route at the same time.
  let attempts = 0;
  await page.route(/SessionService\/SignOut$/, (route) => {
    attempts++;
    const refused = { ...route.request().headers(), authorization: 'Bearer over' };
    return attempts === 1 ? route.continue({ headers: refused }) : route.continue();
  });
  await signOut(page);
  await heading(page, 'Sign in').waitFor();
  expect(attempts).toBe(2);
  expect(await liveSessions(db(), own.id)).toEqual([]);
  forgiveLostRequests(complaints);
});

/** Chromium logs each failed request. */
function forgiveLostRequests(complaints: string[]): void {
  const others = complaints.splice(0).filter((one) => !/net::ERR_\w+$/.test(one));
  complaints.push(...others);
}
