// The screens for clients without secrets: trusted issuers, keys and federated identities of a
// client.
import { describe, expect, it } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { addClientKey, keyPairs, makePublicJwk } from '../support/client-keys.ts';
import { expectFitForAll } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { useConsole } from '../support/console-suite.ts';
import { addIdentity, addIssuer } from '../support/federation.ts';
import { addClient, addCustomer, usageRow } from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;
const issuerOf = (id: string) =>
  db().selectFrom('trusted_issuers').selectAll().where('id', '=', id).executeTakeFirst();

describe('a trusted issuer', () => {
  it('is added, changed, disabled, enabled and deleted', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/trusted-issuers');
    await page.getByRole('button', { name: 'Add issuer' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add trusted issuer' });
    await dialog.getByLabel('Issuer').fill('urn:cluster');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('must be an https URL').first().waitFor();
    await dialog.getByLabel('Pinned').check();
    await dialog.getByLabel('JWK set').fill('{"keys": [');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Enter a JSON object').first().waitFor();
    const jwks = { keys: [{ ...makePublicJwk(), kid: 'first-key' }] };
    await dialog.getByLabel('JWK set').fill(JSON.stringify(jwks));
    await expectFitForAll(page);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { level: 1, name: 'urn:cluster' }).waitFor();
    await page.getByText('first-key').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

    await page.getByRole('button', { name: 'Edit' }).click();
    const editing = page.getByRole('dialog', { name: 'Edit trusted issuer' });
    await editing.getByLabel('Name').fill('Production');
    await editing.getByLabel('Audience').fill('latchkey');
    await editing.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Production' }).waitFor();
    expect(await issuerOf(id)).toMatchObject({ name: 'Production', audience: 'latchkey' });

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await issuerOf(id)).toMatchObject({ enabled: 0 });
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();
    await expectFitForAll(page);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Trusted issuers' }).waitFor();
    expect(await issuerOf(id)).toBeUndefined();
  });

  it('shows why its keys cannot be read', async () => {
    const attempt = { attempt_time: Date.now(), attempt_error: 'The server redirects.' };
    const issuer = 'https://issuer.example';
    const id = await addIssuer(db(), { ...attempt, issuer, jwks: null, name: 'Broken' });
    const { page, open } = await visitAs(await staff(['trusted_issuers:read']));
    await open('/trusted-issuers');
    await page.getByText('Keys can’t be read').waitFor();
    expect(await page.getByRole('button', { name: 'Add issuer' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Broken' }).click();
    await page.getByText('The server redirects. Latchkey tries again every minute.').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    expect(await issuerOf(id)).toMatchObject({ name: 'Broken' });
    // The next attempt of the service succeeds.
    await transact(db(), (trx) =>
      trx
        .updateTable('trusted_issuers')
        .set({ attempt_error: '', read_time: Date.now(), read_jwks: '{"keys":[]}' })
        .where('id', '=', id)
        .execute(),
    );
    await page.getByText('The server redirects.').waitFor({ state: 'detached' });
    await page.getByText('No keys', { exact: true }).waitFor();
  });
});

describe('a client', () => {
  it('gets a public key, and a federated identity, which is deleted again', async () => {
    const { ownerId } = await addClient(db(), 'payments:read');
    const id = await addIssuer(db(), { name: 'GitHub Actions' });
    await addIdentity(db(), ownerId, id, 'repo:octo-org/old');
    const { page, open } = await visitAs(await staff());
    await open(`/clients/${ownerId}`);
    const keys = page.getByRole('region', { name: 'Keys' });
    await keys.getByRole('button', { name: 'Add key' }).click();
    const adding = page.getByRole('dialog', { name: 'Add key' });
    await adding.getByLabel('Name').fill('Build server');
    const { privateKey } = keyPairs.EdDSA();
    const field = adding.getByLabel('Public key');
    await field.fill(JSON.stringify(privateKey.export({ format: 'jwk' })));
    await adding.getByRole('button', { name: 'Add' }).click();
    await adding.getByText('This is a private key. It was not sent.').first().waitFor();
    await field.fill(JSON.stringify(makePublicJwk()));
    await adding.getByRole('button', { name: 'Add' }).click();
    await keys.getByText('Build server').waitFor();
    await keys.getByText('Ed25519').waitFor();
    await expectFitForAll(page);
    await chooseRowAction(keys, 'Revoke', '“Build server”');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await keys.getByText('Revoked').waitFor();
    const stored = db().selectFrom('client_keys').select('revoke_time');
    expect(await stored.where('client_id', '=', ownerId).execute()).toEqual([
      { revoke_time: expect.any(Number) },
    ]);

    const section = page.getByRole('region', { name: 'Federated identities' });
    await section.getByText('repo:octo-org/old').waitFor();
    await section.getByRole('button', { name: 'Add identity' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add federated identity' });
    await dialog.getByRole('combobox', { name: 'Trusted issuer' }).click();
    await page.getByRole('option', { name: 'GitHub Actions' }).click();
    await dialog.getByLabel('Subject').fill('*');
    await dialog.getByLabel('Other claims').fill('repository_owner_id=65\nref=refs/heads/*');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('must contain a letter or a digit').first().waitFor();
    await dialog.getByLabel('Subject').fill('repo:octo-org/*:environment:production');
    await expectFitForAll(page);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await section.getByText('repo:octo-org/*:environment:production').waitFor();
    await section.getByText('ref=refs/heads/*, repository_owner_id=65').waitFor();
    const rows = () =>
      db().selectFrom('federated_identities').selectAll().where('client_id', '=', ownerId);
    expect(await rows().where('subject', 'like', '%*%').executeTakeFirst()).toMatchObject({
      ...{ issuer_id: id, claims: '{"ref":"refs/heads/*","repository_owner_id":"65"}' },
    });
    await chooseRowAction(section, 'Delete', 'repo:octo-org/old');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await section.getByText('repo:octo-org/old').waitFor({ state: 'detached' });
    expect(await rows().execute()).toHaveLength(1);
    await section.getByRole('link', { name: 'GitHub Actions' }).click();
    await page.getByRole('heading', { level: 1, name: 'GitHub Actions' }).waitFor();
  });

  it('may act for subjects, until they are removed', async () => {
    const { ownerId } = await addClient(db(), 'payments:read');
    const customer = await addCustomer(db(), 'payments:read');
    const { page, open } = await visitAs(await staff());
    await open(`/clients/${ownerId}`);
    const section = page.getByRole('region', { name: 'Acts for' });
    await section.getByText('The client can’t exchange tokens.').waitFor();
    const change = async (subjects: string, error = '') => {
      await section.getByRole('button', { name: 'Change subjects' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change subjects' });
      if (error !== '') {
        await dialog.getByLabel('Subjects').fill('everyone');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.getByText(error).first().waitFor();
        await expectFitForAll(page);
      }
      await dialog.getByLabel('Subjects').fill(subjects);
      await dialog.getByRole('button', { name: 'Save' }).click();
    };
    await change(`member\n${customer.ownerId}`, 'everyone is neither a kind of subject');
    await section.getByText('All members').waitFor();
    await section.getByRole('link').waitFor();
    const stored = () =>
      db().selectFrom('clients').select('may_act').where('id', '=', ownerId).executeTakeFirst();
    expect(await stored()).toEqual({ may_act: `member ${customer.ownerId}` });
    await change('');
    await section.getByText('The client can’t exchange tokens.').waitFor();
    expect(await stored()).toEqual({ may_act: null });
  });
});

it('a secret, a key and a federated identity of a client show their own usage', async () => {
  const { ownerId, credentialId } = await addClient(db(), 'payments:read');
  const used = { last_used_time: Date.now() - 2 * 86_400_000 };
  const keyId = await addClientKey(db(), ownerId, makePublicJwk(), { name: 'Build', ...used });
  await addClientKey(db(), ownerId, makePublicJwk(), { name: 'Unused' });
  const identityId = await addIdentity(db(), ownerId, await addIssuer(db()), 'repo:octo-org/app');
  const issued = [credentialId, keyId, identityId].map((id, i) =>
    usageRow(id, 1, 'issued', 20 + i),
  );
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
});
