import { describe, expect, it } from 'vitest';
import { heading, openAnotherTab, stopBroadcasts } from '../support/browser-pages.ts';
import { openAccount, openWorkspaces, signOut } from '../support/console-menus.ts';
import {
  endSessions,
  expectAccessible,
  fillSignIn,
  staleSignInTime,
  useConsole,
} from '../support/console-suite.ts';
import { liveSessions } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { addSession } from '../support/user-rows.ts';

const { app, visitAs, staff, member } = useConsole();

const db = () => app().app.inside.db;

/** Opening the list of workspaces sends a request. */
const switcher = { name: /^Workspace:/ } as const;

it('the sessions of a user are listed in pages, and can be signed out', async () => {
  const own = await member('member');
  const lost = await visitAs(own, { signedInAt: Date.now() - 60_000 });
  await lost.open('/account');
  const { page, open } = await visitAs(own);
  await open('/account');
  const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
  await rows.nth(2).waitFor();
  await rows.filter({ hasText: 'This session' }).getByText('127.0.0.1').waitFor();
  expect(await rows.getByRole('button', { name: 'Sign out' }).count()).toBe(1);

  await rows.getByRole('button', { name: 'Sign out' }).click();
  const question = page.getByRole('dialog', { name: 'Sign out this session?' });
  await question.getByText('The browser that signed in from 127.0.0.1').waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Sign out' }).click();
  await question.waitFor({ state: 'hidden' });
  await expect.poll(() => rows.count()).toBe(2);
  expect(await liveSessions(db(), own.id)).toHaveLength(1);

  await lost.page.getByRole('button', { name: 'Change password' }).waitFor();
  await lost.page.getByRole('button', switcher).click();
  await heading(lost.page, 'Sign in').waitFor();
  await lost.page.getByRole('status').getByText('Your session has expired.').waitFor();

  for (let at = 1; at <= 60; at++) {
    await addSession(db(), own.id, { createTime: Date.now() - at * 1000 });
  }
  await page.reload();
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => rows.count()).toBe(62);
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
});

it('an expired session leads to the sign-in, and the next user sees nothing of it', async () => {
  const own = await staff();
  const { page, open } = await visitAs(own);
  await open('/account');
  await page.getByText(own.email).first().waitFor();
  await endSessions(app(), own.id);
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  await heading(page, 'Sign in').waitFor();
  await page.getByRole('status').getByText('Your session has expired.').waitFor();
  expect(await page.content()).not.toContain(own.email);
  await expectAccessible(page);
  await fillSignIn(page, own);
  await heading(page, 'Your account').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // It also closes open dialogs.
  await open('/workspaces');
  await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
  await page.getByRole('button', { name: 'Create workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('A name that was not sent');
  await endSessions(app(), own.id);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await heading(page, 'Sign in').waitFor();
  await dialog.waitFor({ state: 'detached' });

  const { ownerId } = await addWorkspace(db(), '');
  const other = await member('member', ownerId);
  const contents: string[] = [];
  await fillSignIn(page, other);
  await heading(page, 'Home').waitFor();
  contents.push(await page.content());
  await openWorkspaces(page);
  await page.getByRole('table', { name: 'Workspaces' }).waitFor();
  contents.push(await page.content());
  for (const content of contents) {
    expect(content).not.toContain(own.email);
    expect(content).not.toContain('Demo workspace');
    expect(content).not.toContain('A name that was not sent');
  }
});

it('an expired session is not restored by a response after the sign-out', async () => {
  const own = await staff();
  const { page, open } = await visitAs(own);
  await open('/workspaces');
  const refused = { authorization: 'Bearer over' };
  await page.route(/SessionService\/ListSessions/, (route) =>
    route.continue({ headers: { ...route.request().headers(), ...refused } }),
  );
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const path = /SessionService\/RefreshSession$/;
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  const renewing = page.waitForRequest(path);
  await openAccount(page);
  const renewal = await renewing;
  await signOut(page);
  await heading(page, 'Sign in').waitFor();
  release();
  expect((await renewal.response())?.status()).toBe(200);
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByText('You’re signed out.').waitFor();
  expect(await liveSessions(db(), own.id)).toEqual([]);
});

describe('two tabs', () => {
  it('share a step-up, and sign out and in together', async () => {
    const own = await staff();
    const first = await visitAs(own, { signedInAt: staleSignInTime() });
    const second = await openAnotherTab(first);
    await first.open('/account');
    await second.goto(first.page.url());
    await heading(second, 'Your account').waitFor();

    await first.page.getByRole('button', { name: 'Add authenticator app' }).click();
    await first.page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await fillSignIn(first.page, own);
    await first.page.getByRole('dialog', { name: 'Add authenticator app' }).waitFor();
    await second.getByRole('button', { name: 'Add authenticator app' }).click();
    await second.getByRole('dialog', { name: 'Add authenticator app' }).waitFor();
    expect(await liveSessions(db(), own.id)).toHaveLength(1);

    for (const page of [first.page, second]) {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await signOut(first.page);
    await heading(second, 'Sign in').waitFor();
    await second.getByText('Your session has expired.').waitFor();
    expect(await second.content()).not.toContain(own.email);
    await heading(first.page, 'Sign in').waitFor();
    await fillSignIn(first.page, own);
    await heading(second, 'Your account').waitFor();
  });

  it('that get no message from each other end at the next request', async () => {
    const first = await visitAs(await staff());
    await stopBroadcasts(first);
    const second = await openAnotherTab(first);
    await first.open('/account');
    await second.goto(first.page.url());
    await heading(second, 'Your account').waitFor();
    await signOut(first.page);
    await heading(first.page, 'Sign in').waitFor();
    await second.getByRole('link', { name: 'Workspaces', exact: true }).click();
    await heading(second, 'Sign in').waitFor();
    await second.getByText('Your session has expired.').waitFor();
  });

  it('never mix two users: the other tab shows a message and starts over', async () => {
    const [one, other] = [await staff(), await member('member')];
    const first = await visitAs(one);
    const second = await openAnotherTab(first);
    await first.open('/workspaces');
    await first.page.getByRole('button', { name: 'Create workspace' }).click();
    await first.page.getByLabel('Name').fill('Not by the other');
    await second.goto(first.page.url());
    await signOut(second);
    await heading(second, 'Sign in').waitFor();
    await heading(first.page, 'Sign in').waitFor();
    await fillSignIn(second, other);
    await heading(second, 'Home').waitFor();
    await heading(first.page, 'Home').waitFor();
    await first.page.getByText(`${other.email} signed in from another tab`).waitFor();
    await expectAccessible(first.page);
    const content = await first.page.content();
    expect(content).not.toContain(one.email);
    expect(content).not.toContain('Not by the other');
    await first.page.getByRole('button', { name: 'Close', exact: true }).click();
    await first.page.getByText('signed in from another tab').waitFor({ state: 'detached' });
  });

  it('do not send an action of one user as another user', async () => {
    const [one, other] = [await staff(), await staff()];
    const first = await visitAs(one);
    await stopBroadcasts(first);
    const second = await openAnotherTab(first);
    await first.open('/workspaces');
    await first.page.getByRole('button', { name: 'Create workspace' }).click();
    await first.page.getByLabel('Name').fill('Begun by one');
    await second.goto(`${app().app.publicUrl}/console/account`);
    await signOut(second);
    await heading(second, 'Sign in').waitFor();
    await fillSignIn(second, other);
    await heading(second, 'Overview').waitFor();
    await first.page.getByRole('button', { name: 'Create', exact: true }).click();
    await first.page.getByText(`${other.email} signed in from another tab`).waitFor();
    const made = await db().selectFrom('workspaces').select('name').execute();
    expect(made.map(({ name }) => name)).not.toContain('Begun by one');
  });
});

it('staff sign a user out of one session, and of all sessions', async () => {
  const { page, open } = await visitAs(await staff());
  const user = await member('member');
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    await addSession(db(), user.id, { address });
  }
  await open(`/users/${user.id}`);
  const table = page.getByRole('table', { name: 'Sessions' });
  await table.waitFor();
  // The values are in one column, also next to a long name.
  const edges = await page
    .getByRole('definition')
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().x)));
  expect(edges.length).toBeGreaterThan(5);
  expect(new Set(edges).size).toBe(1);
  await page.getByRole('button', { name: 'Sign out session from 192.0.2.2' }).click();
  const one = page.getByRole('dialog', { name: /^Sign .* out of this session/ });
  await one.getByText('192.0.2.2').waitFor();
  await expectAccessible(page);
  await one.getByRole('button', { name: 'Sign out' }).click();
  await table.getByText('192.0.2.2').waitFor({ state: 'detached' });
  expect(await liveSessions(db(), user.id)).toHaveLength(2);

  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  const all = page.getByRole('dialog', { name: /^Sign .* out everywhere/ });
  await all.getByText('The user can sign in again.').waitFor();
  await all.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('The user has no sessions now.').waitFor();
  expect(await liveSessions(db(), user.id)).toEqual([]);
});
