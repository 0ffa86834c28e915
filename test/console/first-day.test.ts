// The first steps of each user of the console, and the end of a user's access. Files
// `*.all.test.ts` test the other steps.
import { expect, it } from 'vitest';
import { deleteIssuer } from '../../src/identity/trusted-issuers/store.ts';
import { putMember } from '../../src/sharing/workspaces/store.ts';
import { heading, overhangOf } from '../support/browser-pages.ts';
import { addScopes, paste, takeSecret } from '../support/console-credentials.ts';
import { openAccount, signOut } from '../support/console-menus.ts';
import { expectAccessible, fillSignIn, useConsole } from '../support/console-suite.ts';
import { choose, documentNamed, fileOf } from '../support/console-uploads.ts';
import { addIssuer } from '../support/federation.ts';
import { answer, expectDocument } from '../support/gate-pages.ts';
import { newestLink } from '../support/link-rows.ts';
import { addClient, addWorkspace, changeAsOtherProcess } from '../support/owner-rows.ts';
import { addPasskeyRow } from '../support/passkeys.ts';
import { makePdf } from '../support/pdf.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { app, workspaceId, visit, visitAs, staff, member } = useConsole();

it('staff sign in, create a client whose secret gets a token, and sign out', async () => {
  const person = await staff();
  const { page, open } = await visit();
  await open('/clients');
  await fillSignIn(page, { ...person, password: 'a wrong password' });
  await page.getByRole('alert').waitFor();
  await fillSignIn(page, person);
  await heading(page, 'Clients').waitFor();

  await page.getByRole('button', { name: 'Create client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create client' });
  await dialog.getByLabel('Name').fill('Payments');
  await addScopes(dialog, 'payments:read');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const { secret, command } = await takeSecret(page);
  expect(await paste(command)).toMatchObject({ token_type: 'Bearer', scope: 'payments:read' });
  expect(await page.content()).not.toContain(secret);

  await openAccount(page);
  await signOut(page);
  await heading(page, 'Sign in').waitFor();
  await open('/clients');
  await heading(page, 'Sign in').waitFor();
});

it('an administrator creates an API key that works with the shown command', async () => {
  const person = await member('admin');
  const { page, open } = await visit();
  await open('/');
  await fillSignIn(page, person);
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'Create API key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByLabel('Name').fill('Nightly');
  await dialog.getByLabel('documents:read', { exact: true }).check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const { command } = await takeSecret(page);
  expect(await paste(command)).toHaveProperty('documents');
});

it('a member uploads a document and shares it, and a reader reads it', async () => {
  const person = await member('member');
  const { page, open } = await visit();
  await open(`/workspaces/${workspaceId()}/documents`);
  await fillSignIn(page, person);
  await choose(page, fileOf('terms.pdf', makePdf({ pages: 2, text: 'The terms' })));
  await documentNamed(page, 'terms.pdf').waitFor();
  await page.getByRole('button', { name: 'Share “terms.pdf”' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Share “terms.pdf”' });
  await dialog.getByRole('button', { name: 'Create and copy link' }).click();
  await page.getByRole('dialog', { name: /^Link created/ }).waitFor();
  const link = await newestLink(app());
  expect(link).toMatchObject({ email_required: true, allow_download: false });

  const reader = await visit();
  await reader.page.goto(link.url);
  await answer(reader.page, 'Email', 'reader@example.com');
  await expectDocument(reader.page);
  await app().app.inside.views.flush();

  await page.getByRole('button', { name: 'Done' }).click();
  await open(`/workspaces/${workspaceId()}/readers`);
  await page.getByText('reader@example.com').first().waitFor();
});

it('a leaver’s access ends', async () => {
  const { db } = app().app.inside;
  const leaver = await addUser(db, {
    ...{ kind: 'member', name: 'Robin Leaver', password: 'a key under the doormat' },
  });
  const { ownerId: workspace_id, credentialId: keyId } = await addWorkspace(db, 'links:read');
  const secret = await addClient(db, '');
  const issuerId = await addIssuer(db, { name: 'Build server', creator_id: leaver.id });
  await changeAsOtherProcess(db, async (trx) => {
    const member = { workspace_id, user_id: leaver.id, role: 'admin' as const };
    await putMember(trx, { ...member, create_time: Date.now() });
    await trx
      .updateTable('credentials')
      .set({ creator_id: leaver.id })
      .where('id', 'in', [keyId, secret.credentialId])
      .execute();
  });
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  await addSession(db, leaver.id, { userAgent });
  await addPasskeyRow(db, leaver.id);
  const { page, open } = await visitAs(await staff());
  await open(`/clients/${secret.ownerId}`);
  await page.getByRole('link', { name: 'Robin Leaver' }).click();
  await page.getByRole('link', { name: 'See and revoke all access' }).click();
  await page.getByRole('heading', { level: 1, name: 'Access of Robin Leaver' }).waitFor();
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
  expect(await crumbs.getByRole('listitem').allTextContents()).toEqual([
    ...['Users', 'Robin Leaver', 'Access of Robin Leaver'],
  ]);
  await page.getByText('Set by the role in each workspace.').waitFor();
  const kept = 'Trusted issuers that the user created';
  for (const title of ['Roles in workspaces', 'Sessions', 'Passkeys', 'Client secrets', kept]) {
    await page.getByRole('region', { name: `${title} (1)` }).waitFor();
  }
  await page.getByText('Firefox 140 on Linux').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Revoke all access' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke all access of Robin Leaver?' });
  await dialog.getByText('Now: 1 client secret, 1 API key of a workspace.').waitFor();
  await dialog.getByText('stay valid for up to 300 seconds').waitFor();
  await dialog.getByText('Disable those that the user still controls.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Revoke access' }).click();

  const summary = page.getByRole('status').filter({ hasText: 'Access ended' });
  await summary.getByText('1 role in a workspace, 1 session, 1 passkey').waitFor();
  await expect.poll(() => page.getByRole('region', { name: 'Sessions (1)' }).count()).toBe(0);
  await summary.getByText('Kept: documents, 1 trusted issuer that the user created.').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overhangOf(page)).toBe(0);
  await page.getByRole('link', { name: 'Build server' }).click();
  await page.getByRole('link', { name: 'Robin Leaver' }).waitFor();
  await changeAsOtherProcess(db, (trx) => deleteIssuer(trx, issuerId));
  await open(`/users/${leaver.id}/access`);
  await page.getByText('The user has no sessions and no roles').waitFor();
  const live = db
    .selectFrom('credentials')
    .select('id')
    .where('creator_id', '=', leaver.id)
    .where('revoke_time', 'is', null);
  expect(await live.execute()).toEqual([]);
});
