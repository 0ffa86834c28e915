// A person leaves, and an administrator ends all of their access.
import { expect, it } from 'vitest';
import { putMember } from '../../src/sharing/workspaces/store.ts';
import { overhangOf } from '../support/browser-pages.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { addClient, addWorkspace, changeAsOtherProcess } from '../support/owner-rows.ts';
import { addPasskeyRow } from '../support/passkeys.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { app, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;

it('a leaver’s access ends', async () => {
  const leaver = await addUser(db(), {
    ...{ kind: 'member', name: 'Robin Leaver', password: 'a key under the doormat' },
  });
  const { ownerId: workspaceId, credentialId: keyId } = await addWorkspace(db(), 'links:read');
  const secret = await addClient(db(), '');
  await changeAsOtherProcess(db(), async (trx) => {
    const member = { workspace_id: workspaceId, user_id: leaver.id, role: 'admin' as const };
    await putMember(trx, { ...member, create_time: Date.now() });
    await trx
      .updateTable('credentials')
      .set({ creator_id: leaver.id })
      .where('id', 'in', [keyId, secret.credentialId])
      .execute();
  });
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  await addSession(db(), leaver.id, { userAgent });
  await addPasskeyRow(db(), leaver.id);
  const admin = await staff();
  const { page, open } = await visitAs(admin);
  await open(`/clients/${secret.ownerId}`);
  await page.getByRole('link', { name: 'Robin Leaver' }).click();
  await page.getByRole('link', { name: 'See and revoke all access' }).click();
  await page.getByRole('heading', { level: 1, name: 'Access of Robin Leaver' }).waitFor();
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
  expect(await crumbs.getByRole('listitem').allTextContents()).toEqual([
    ...['Users', 'Robin Leaver', 'Access of Robin Leaver'],
  ]);
  await page.getByText('Set by the role in each workspace.').waitFor();
  for (const title of ['Roles in workspaces', 'Sessions', 'Passkeys', 'Client secrets']) {
    await page.getByRole('region', { name: `${title} (1)` }).waitFor();
  }
  await page.getByText('Firefox 140 on Linux').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Revoke all access' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke all access of Robin Leaver?' });
  await dialog.getByText('Now: 1 client secret, 1 API key of a workspace.').waitFor();
  await dialog.getByText('stay valid for up to 300 seconds').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Revoke access' }).click();

  const summary = page.getByRole('status').filter({ hasText: 'Access ended' });
  await summary.getByText('1 role in a workspace, 1 session, 1 passkey').waitFor();
  await page.getByText('The user has no sessions and no roles').waitFor();
  await expect.poll(() => page.getByRole('region', { name: 'Sessions (1)' }).count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overhangOf(page)).toBe(0);
  const live = db()
    .selectFrom('credentials')
    .select('id')
    .where('creator_id', '=', leaver.id)
    .where('revoke_time', 'is', null);
  expect(await live.execute()).toEqual([]);
});
