import { expect, it } from 'vitest';
import { overhangOf, settle, takePicture } from '../support/browser-pages.ts';
import { addClientKey, makePublicJwk } from '../support/client-keys.ts';
import { expectFitForAll } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { addIdentity, addIssuer } from '../support/federation.ts';
import { addClient, addCustomer } from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;

const day = Math.floor(Date.now() / 86_400_000);

const row = (id: string, ago: number, outcome: string, count: number) => ({
  ...{ key: `${id} ${day - ago} ${outcome}`, subject_id: id, day: day - ago, outcome, count },
});

it('a client shows how many tokens it got, and why requests were refused', async () => {
  const { ownerId, credentialId } = await addClient(db(), 'payments:read');
  const refused = 'identity.credential_invalid';
  const rows = [
    ...[row(ownerId, 0, 'issued', 1200), row(ownerId, 3, 'issued', 300)],
    ...[row(ownerId, 3, refused, 7), row(ownerId, 40, 'issued', 9)],
    ...[row(ownerId, 2, 'verified', 41), row(credentialId, 0, 'issued', 5)],
  ];
  await db().insertInto('usage_counts').values(rows).execute();
  const { page, open } = await visitAs(await staff());
  await open(`/clients/${ownerId}`);
  const usage = page.getByRole('region', { name: 'Usage' });
  await usage.getByText('1,500').first().waitFor();
  expect(await usage.getByRole('definition').allTextContents()).toEqual(['1,500', '7', '41', '7']);
  await usage.getByText(refused).waitFor();
  await usage.getByText('Show as table').click();
  const cells = usage.getByRole('table', { name: 'Issued tokens per day' }).getByRole('cell');
  expect((await cells.allTextContents()).slice(0, 4)).toEqual(['1,200', '0', '0', '300']);
  await expectFitForAll(page);

  const { page: other, open: openOther } = await visitAs(await staff(['clients:read']));
  await openOther(`/clients/${ownerId}`);
  await other.getByText(ownerId).first().waitFor();
  expect(await other.getByRole('region', { name: 'Usage' }).count()).toBe(0);
});

it('a secret, a key and a federated identity of a client show their own usage', async () => {
  const { ownerId, credentialId } = await addClient(db(), 'payments:read');
  const used = { last_used_time: Date.now() - 2 * 86_400_000 };
  const keyId = await addClientKey(db(), ownerId, makePublicJwk(), { name: 'Build', ...used });
  await addClientKey(db(), ownerId, makePublicJwk(), { name: 'Unused' });
  const identityId = await addIdentity(db(), ownerId, await addIssuer(db()), 'repo:octo-org/app');
  const issued = [credentialId, keyId, identityId].map((id, i) => row(id, 1, 'issued', 20 + i));
  await db().insertInto('usage_counts').values(issued).execute();
  const { page, open } = await visitAs(await staff());
  await open(`/clients/${ownerId}`);
  const cases = [
    ['Secrets', '“Test credential”', 20],
    ['Keys', '“Build”', 21],
    ['Federated identities', 'repo:octo-org/app', 22],
  ] as const;
  for (const [list, name, count] of cases) {
    const section = page.getByRole('region', { name: list, exact: true });
    await chooseRowAction(section.getByRole('row', { name: name.replace(/[“”]/g, '') }), 'Usage');
    const usage = page.getByRole('dialog', { name: `Usage of ${name}` });
    await usage.getByText('Issued tokens per day').first().waitFor();
    expect((await usage.getByRole('definition').allTextContents())[0]).toBe(String(count));
    await page.keyboard.press('Escape');
    await usage.waitFor({ state: 'hidden' });
  }
  const keys = page.getByRole('region', { name: 'Keys', exact: true });
  const lastUse = (name: string) =>
    keys.getByRole('row', { name }).locator('[data-title="Last used"]');
  await lastUse('Build').getByText('2 days ago').waitFor();
  await lastUse('Unused').getByText('Never').waitFor();
  await expectFitForAll(page);
  await takePicture(page, 'client-credentials');
});

it('an API key of a customer shows its own usage, also after it was revoked', async () => {
  const { ownerId, credentialId } = await addCustomer(db(), 'payments:read');
  const rows = [row(ownerId, 0, 'issued', 90), row(credentialId, 2, 'issued', 60)];
  await db()
    .insertInto('usage_counts')
    .values([...rows, row(credentialId, 0, 'identity.credential_invalid', 8)])
    .execute();
  const { page, open } = await visitAs(await staff());
  await open(`/customers/${ownerId}`);
  const keys = page.getByRole('region', { name: 'API keys' });
  await chooseRowAction(keys, 'Revoke');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await keys.getByText('Revoked', { exact: true }).waitFor();
  await chooseRowAction(keys, 'Usage');
  const usage = page.getByRole('dialog', { name: 'Usage of “Test credential”' });
  await usage.getByText('Issued tokens per day').first().waitFor();
  expect(await usage.getByRole('definition').allTextContents()).toEqual(['60', '8', '0', '8']);
  await expectAccessible(page);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await settle(page);
    expect(await overhangOf(page)).toBe(0);
    await takePicture(page, `key-usage-${width}`);
  }

  const { page: other, open: openOther } = await visitAs(
    await staff(['customers:read', 'customers:write']),
  );
  await openOther(`/customers/${ownerId}`);
  const revoked = other.getByRole('region', { name: 'API keys' });
  await revoked.getByText('Revoked', { exact: true }).waitFor();
  expect(await revoked.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
});
