import { describe, expect, it } from 'vitest';
import { consoles, expectAccessible, fillSignIn } from '../support/console.ts';
import { liveSessions } from '../support/members.ts';
import { heading } from '../support/tabs.ts';
import { addTotp } from '../support/users.ts';
import { overhangOf, phone } from '../support/viewing.ts';

const { app, visit, visitAs, staff } = consoles();

const db = () => app().app.inside.db;

describe('a sign-in', () => {
  it('lasts through a reload', async () => {
    const { page, open } = await visit();
    await open('/sign-in');
    await fillSignIn(page, await staff());
    await heading(page, 'Workspaces').waitFor();
    await page.reload();
    await heading(page, 'Workspaces').waitFor();
  });

  it('leads to the page that was asked for', async () => {
    const { page, open } = await visit();
    await open('/account?from=mail#sessions');
    await heading(page, 'Sign in').waitFor();
    await fillSignIn(page, await staff());
    await heading(page, 'Your account').waitFor();
    expect(page.url()).toBe(`${app().app.publicUrl}/console/account?from=mail#sessions`);
  });

  it('is not asked of somebody who has signed in', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/sign-in?next=/console/account');
    await heading(page, 'Your account').waitFor();
    await open('/sign-in');
    await heading(page, 'Workspaces').waitFor();
  });

  it('with a wrong password is refused in the words of the service', async () => {
    const { page, open } = await visit();
    await open('/sign-in');
    const own = await staff();
    await fillSignIn(page, { ...own, password: 'not the password' });
    const problem = page.getByRole('alert');
    await problem.getByText('The sign-in was refused').waitFor();
    await problem.getByText('Request id:').waitFor();
    await expectAccessible(page);
    expect(await liveSessions(db(), own.id)).toEqual([]);
    await fillSignIn(page, own);
    await heading(page, 'Workspaces').waitFor();
  });

  it('needs the code of an authenticator app', async () => {
    const own = await staff();
    const code = await addTotp(app(), own.id);
    const { page, open } = await visit();
    await open('/sign-in');
    await fillSignIn(page, own);
    await page.getByRole('alert').getByText('The sign-in was refused').waitFor();
    const { length } = code(Date.now());
    const spaced = `${code(Date.now()).slice(0, length / 2)} ${code(Date.now()).slice(length / 2)}`;
    await fillSignIn(page, own, spaced);
    await heading(page, 'Workspaces').waitFor();
  });

  it('that comes too early is told how long to wait, and when it is over', async () => {
    const own = await staff();
    const { page, open } = await visit();
    await open('/sign-in');
    const problem = page.getByRole('alert');
    for (let attempt = 1; attempt <= 6; attempt++) {
      await fillSignIn(page, { ...own, password: `guess ${attempt}` });
      await problem.waitFor();
    }
    // Each further refusal makes the wait longer: one of them is met in the end.
    const early = problem.getByText('Too many attempts', { exact: true });
    await expect
      .poll(async () => {
        await fillSignIn(page, { ...own, password: 'guess' });
        await problem.waitFor();
        return early.isVisible();
      })
      .toBe(true);
    await problem.getByText(/You can try again after (a second|\d+ seconds)\./).waitFor();
    await expectAccessible(page);
    await page.getByRole('status').getByText('You can try again now.').waitFor();
    expect(await problem.count()).toBe(0);
    await fillSignIn(page, own);
    await heading(page, 'Workspaces').waitFor();
  });

  it('is accessible in both schemes and on a phone', async () => {
    for (const device of [{}, phone]) {
      const { page, open } = await visit(device);
      await open('/sign-in');
      await page.getByLabel('E-mail address').and(page.locator(':focus')).waitFor();
      expect(await overhangOf(page)).toBe(0);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page);
    }
  });
});

describe('a page under another name', () => {
  it('tells of the address at which the console is', async () => {
    const { page, complaints } = await visit();
    const { publicUrl } = app().app;
    await page.goto(`${publicUrl.replace('127.0.0.1', 'localhost')}/console/sign-in`);
    const notice = page.getByText("This is not the console's address");
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
});

describe('a sign-out', () => {
  it('ends the session at the service, and leads to the sign-in', async () => {
    const own = await staff();
    const { page, open } = await visitAs(own);
    await open('/workspaces');
    await page.getByRole('link', { name: 'Your account' }).click();
    await heading(page, 'Your account').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.getByRole('status').getByText('You have signed out.').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => liveSessions(db(), own.id)).toEqual([]);
    const names = (await page.context().cookies()).map(({ name }) => name);
    expect(names).not.toContain('latchkey_session');
    await page.goBack();
    await heading(page, 'Sign in').waitFor();
  });

  it('ends the session though its token is refused by now', async () => {
    const own = await staff();
    const { page, open } = await visitAs(own);
    await open('/account');
    const refused = { authorization: 'Bearer over' };
    await page.route(
      /SessionService\/SignOut$/,
      (route) => route.continue({ headers: { ...route.request().headers(), ...refused } }),
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(await liveSessions(db(), own.id)).toEqual([]);
  });

  it('that does not reach the service says that the session goes on', async () => {
    const own = await staff();
    const { page, open, complaints } = await visitAs(own);
    await open('/account');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'You are still signed in' });
    await dialog.getByText('The service could not be reached').waitFor();
    await expectAccessible(page);
    expect(await liveSessions(db(), own.id)).toHaveLength(1);
    await page.context().setOffline(false);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(await liveSessions(db(), own.id)).toEqual([]);
    forgiveLostRequests(complaints);
  });
});

describe('without a connection', () => {
  it('the start says so, and can be tried again', async () => {
    const { page, complaints } = await visitAs(await staff());
    await page.route(/SessionService\/RefreshSession$/, (route) => route.abort());
    await page.goto(`${app().app.publicUrl}/console/account`);
    await page.getByText('The service could not be reached').waitFor();
    await expectAccessible(page);
    await page.unroute(/SessionService\/RefreshSession$/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Your account').waitFor();
    forgiveLostRequests(complaints);
  });

  it('a page says so, and can be tried again', async () => {
    const { page, open, complaints } = await visitAs(await staff());
    await page.route(/WorkspaceService\/ListWorkspaces/, (route) => route.abort());
    await open('/workspaces');
    await page.getByText('The service could not be reached').waitFor();
    await page.unroute(/WorkspaceService\/ListWorkspaces/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    forgiveLostRequests(complaints);
  });

  it('an action says so, and is not done later by itself', async () => {
    const { page, open, complaints, requests } = await visitAs(await staff());
    await open('/workspaces');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Made without a connection');
    await page.context().setOffline(true);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('The service could not be reached').waitFor();
    await page.context().setOffline(false);
    const before = requests.filter((one) => one.endsWith('/CreateWorkspace')).length;
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
    expect(requests.filter((one) => one.endsWith('/CreateWorkspace'))).toHaveLength(before);
    expect(await page.getByRole('link', { name: 'Made without a connection' }).count()).toBe(0);
    forgiveLostRequests(complaints);
  });
});

/** Chromium itself logs each request that fails. */
function forgiveLostRequests(complaints: string[]): void {
  const others = complaints.splice(0).filter((one) => !/net::ERR_\w+$/.test(one));
  complaints.push(...others);
}
