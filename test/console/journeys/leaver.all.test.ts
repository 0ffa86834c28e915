// A person leaves: from the list of users to the end of all access, and to the record of it.
import { expect, it } from 'vitest';
import { heading, keepPictures } from '../../support/browser-pages.ts';
import { useConsole } from '../../support/console-suite.ts';
import { addIssuer } from '../../support/federation.ts';
import { addClient, addWorkspace, changeAsOtherProcess } from '../../support/owner-rows.ts';
import { addPasskeyRow } from '../../support/passkeys.ts';
import { makeLink, upload } from '../../support/sharing-api.ts';
import { addSession } from '../../support/user-rows.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

it('ends all access of a person who leaves, and shows what remains', async () => {
  const { db } = app().app.inside;
  const own = await staff(undefined, { email: 'operator@example.com', name: 'Sam Rivera' });
  const named = { name: 'Kai Lindgren', email: 'kai@example.com' };
  const leaver = await member('admin', workspaceId(), named);
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  await addSession(db, leaver.id, { userAgent });
  await addPasskeyRow(db, leaver.id);
  const { credentialId: keyId } = await addWorkspace(db, 'links:read');
  const { credentialId: secretId } = await addClient(db, '');
  const document = await upload(app(), Buffer.from('The plan'), 'Plan.txt');
  const link = await makeLink(app(), document.id, { name: 'To investors' });
  await addIssuer(db, { name: 'Build server', creator_id: leaver.id });
  await changeAsOtherProcess(db, async (trx) => {
    for (const [table, ids] of [
      ['credentials', [keyId, secretId]],
      ['links', [link.id]],
    ] as const) {
      const created = trx.updateTable(table).set({ creator_id: leaver.id });
      await created.where('id', 'in', ids).execute();
    }
  });

  const { page, open } = await visitAs(own);
  await open('/users?q=kai');
  await page.getByRole('link', { name: 'kai@example.com' }).click();
  await heading(page, 'Kai Lindgren').waitFor();
  await page.getByText('Firefox 140 on Linux').waitFor();
  await keepPictures(page, 'leaver-user');
  await page.getByRole('link', { name: 'See and revoke all access' }).click();
  await heading(page, 'Access of Kai Lindgren').waitFor();
  await page.getByText('To investors').waitFor();
  await keepPictures(page, 'leaver-access');

  await page.getByRole('button', { name: 'Revoke all access' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke all access of Kai Lindgren?' });
  await dialog.getByText('It takes effect within a second').waitFor();
  await keepPictures(page, 'leaver-revoke');
  await dialog.getByRole('button', { name: 'Revoke access' }).click();
  const summary = page.getByRole('status').filter({ hasText: 'Access ended' });
  await summary.getByText('1 trusted issuer that the user created').waitFor();
  await expect.poll(() => page.getByRole('region', { name: 'Sessions (1)' }).count()).toBe(0);
  await keepPictures(page, 'leaver-ended');

  await open(`/users/${leaver.id}`);
  await page.getByRole('link', { name: 'events on this target' }).click();
  await heading(page, 'Audit log').waitFor();
  await page.getByText('ended the access of').first().waitFor();
  await keepPictures(page, 'leaver-audit');
});
