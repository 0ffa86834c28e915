// The first screens after the sign-in: of a workspace for members, and of the service for staff.
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { overhangOf } from '../support/browser-pages.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { makeWatchedLink, openLink } from '../support/link-views.ts';
import { credentialFor, memberScope } from '../support/member-rows.ts';
import { addClient } from '../support/owner-rows.ts';
import { addPasskeyRow } from '../support/passkeys.ts';
import { callSharingApi, type LinkFields } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

/** The place of the right edge, in pixels. */
const endOf = async (card: Locator) => {
  const box = await card.boundingBox();
  return box === null ? undefined : box.x + box.width;
};

it('the home page of a workspace leads from the first upload to its readers', async () => {
  const own = await member('owner');
  const { page, open } = await visitAs(own);
  await open('/');
  const main = page.getByRole('main');
  const setUp = main.getByRole('region', { name: 'Setup' });
  await setUp.getByText('0 of 3 done').waitFor();
  await main.getByText('Readers who enter their email address appear here.').waitFor();
  await expectAccessible(page);

  const expireTime = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const link = await makeWatchedLink(app(), { name: 'For the board', expire_time: expireTime });
  await page.reload();
  const ending = main.getByRole('region', { name: 'Links that expire soon' });
  await ending.getByRole('link', { name: 'For the board' }).waitFor();
  await setUp.getByText('2 of 3 done').waitFor();

  await openLink(link, 'jane@example.com');
  await app().app.inside.views.flush();
  await page.reload();
  const readers = main.getByRole('region', { name: 'Recent readers' });
  await readers.getByRole('link', { name: 'jane@example.com' }).waitFor();
  expect(await setUp.count()).toBe(0);
  const links = main.getByRole('region', { name: 'Most viewed links' });
  await links.getByText('1 view', { exact: true }).waitFor();
  const notices = main.getByRole('region', { name: 'Emails about views' });
  await notices.getByText('To see new views here, choose').waitFor();
  const made = { document_id: link.document_id, name: 'For me', notify: 'NOTIFY_EVERY_VIEW' };
  const caller = { type: 'member', sub: own.id, scope: memberScope } as const;
  const { body: mailed } = await callSharingApi<LinkFields>(
    ...([app(), 'POST', '/links', made, await credentialFor(app(), caller)] as const),
  );
  await openLink(mailed);
  await page.reload();
  await notices.getByRole('link', { name: 'A reader without an email address' }).waitFor();
  await notices.getByText('deck.pdf · For me').waitFor();
  await notices.getByText('New', { exact: true }).waitFor();
  await expectAccessible(page);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await overhangOf(page)).toBe(0);
    // The last card has no gap next to it.
    const documents = main.getByRole('region', { name: 'Most viewed documents' });
    expect(await endOf(documents)).toBe(await endOf(notices));
  }
  await notices.getByRole('button', { name: 'Mark all as read (1)' }).click();
  await notices.getByText('New', { exact: true }).waitFor({ state: 'detached' });
  await notices.getByText('deck.pdf · For me').waitFor();
  await links.getByRole('link', { name: 'For the board' }).click();
  await page.getByRole('heading', { level: 1, name: 'For the board' }).waitFor();
  expect(page.url()).toContain(`/workspaces/${workspaceId()}/links/`);
});

it('the overview for staff has the open steps, what expires, the health and failures', async () => {
  const own = await staff();
  await addClient(app().app.inside.db, '', { expireTime: Date.now() + 5 * 86_400_000 });
  const failed = await fetch(`${app().app.publicUrl}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: own.email, password: 'not the password' }),
  });
  expect(failed.status).toBe(401);
  await addPasskeyRow(app().app.inside.db, own.id);
  const { page, open } = await visitAs(own);
  await open('/');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const main = page.getByRole('main');
  const setUp = main.getByRole('region', { name: 'Setup' });
  await setUp.getByText('Use HTTPS').waitFor();
  await setUp.getByText('Protect your account (done)').waitFor();
  await setUp.getByText('Make a first backup').waitFor();
  await setUp.getByText('Copy the file master.key of the data folder').waitFor();
  const expiring = main.getByRole('region', { name: 'Expires soon' });
  await expiring.getByRole('link', { name: 'Test client' }).waitFor();
  await expiring.getByText('Client secret · Test credential').waitFor();
  const health = main.getByRole('region', { name: 'Health' });
  for (const name of ['Node ', 'Signing key EdDSA', 'Email', 'Documents', 'Backups']) {
    await health.getByText(name).first().waitFor();
  }
  expect(await health.getByText('Not set up', { exact: true }).count()).toBe(2);
  await main
    .getByRole('region', { name: 'Failed authentications' })
    .getByRole('listitem')
    .first()
    .waitFor();
  await main.getByRole('region', { name: 'Last changes' }).waitFor();
  await expectAccessible(page);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await overhangOf(page)).toBe(0);
  }
  await setUp.getByRole('button', { name: 'I have copied it' }).click();
  const question = page.getByRole('dialog', { name: 'Does a copy of the master key exist' });
  await expectAccessible(page);
  await question.getByRole('button', { name: 'A copy exists' }).click();
  await setUp.getByText('Copy the master key (done)').waitFor();
});

it('the overview counts the resources that the staff user may list', async () => {
  const { page, open } = await visitAs(await staff(['audit:read', 'customers:read']));
  await open('/overview');
  const main = page.getByRole('main');
  await main.getByRole('term').filter({ hasText: 'Customers' }).waitFor();
  expect(await main.getByRole('term').allInnerTexts()).toEqual(['Customers']);
  await main.getByRole('term').getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
});
