// Audiences, and the settings of the tokens of clients and customers.
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { addScopes, expectFitForAll, takeSecret } from '../support/console-credentials.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { fillSignIn, staleSignInTime, useConsole } from '../support/console-suite.ts';
import {
  addAudience,
  addClient,
  addCustomer,
  changeAsOtherProcess,
} from '../support/owner-rows.ts';

const { app, visitAs, staff } = useConsole();

const db = () => app().app.inside.db;

/** The claims of a new token. */
async function claimsOf(path: string, request: object) {
  const answer = await fetch(`${app().app.publicUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return decodeJwt(token);
}

describe('an audience', () => {
  it('is created, changed and deleted', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/audiences');
    await page.getByRole('button', { name: 'Create audience' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create audience' });
    await dialog.getByLabel('Name').fill('Payments');
    await dialog.getByLabel('Identifier').fill('payments');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Identifier').fill('https://payments.example.com');
    await dialog.getByLabel('RS256').check();
    await dialog.getByText('signs about five minutes later').waitFor();
    const cost = 'Tokens are 40% longer, and a token request needs 2.8 to 3.8 times the processor';
    await dialog.getByText(cost).waitFor();
    await expectFitForAll(page);
    await dialog.getByRole('button', { name: 'Create' }).click();
    const table = page.getByRole('table', { name: 'Audiences' });
    await table.getByText('https://payments.example.com').waitFor();
    await table.getByText('RS256').waitFor();
    await chooseRowAction(page, 'Change algorithm', 'Payments');
    const changing = page.getByRole('dialog', { name: 'Change algorithm' });
    await changing.getByLabel('EdDSA').check();
    await changing.getByRole('button', { name: 'Save' }).click();
    await table.getByText('EdDSA').waitFor();
    await chooseRowAction(page, 'Rename', 'Payments');
    const renaming = page.getByRole('dialog', { name: 'Rename audience' });
    await renaming.getByLabel('Name').fill('Billing');
    await renaming.getByRole('button', { name: 'Rename' }).click();
    await table.getByText('Billing').waitFor();
    await chooseRowAction(page, 'Delete', 'Billing');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No audiences yet').waitFor();
  });
});

describe('the settings of tokens', () => {
  it('of a client are changed after a step-up, and a token has them', async () => {
    await addAudience(db(), 'https://billing.example.com');
    const { ownerId, text } = await addClient(db(), 'payments:read payments:write ledger:read');
    const person = await staff();
    const { page, open } = await visitAs(person, { signedInAt: staleSignInTime() });
    await open(`/clients/${ownerId}`);
    const section = page.getByRole('region', { name: 'Tokens' });
    await section.getByText('Only this service').waitFor();
    await section.getByRole('button', { name: 'Change token settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change token settings' });
    await dialog.getByRole('checkbox', { name: 'Test' }).check();
    await dialog.getByText('rejects existing tokens for this service').waitFor();
    const lifetime = dialog.getByLabel('Lifetime in seconds');
    await lifetime.fill('soon');
    const save = () => dialog.getByRole('button', { name: 'Save' }).click();
    await save();
    await dialog.getByText('Enter a number of seconds, or nothing.').waitFor();
    await lifetime.fill('3601');
    await dialog.getByRole('checkbox', { name: 'payments:read' }).check();
    expect(await dialog.getByRole('checkbox', { name: 'ledger:write' }).isEnabled()).toBe(false);
    const claims = dialog.getByLabel('Claims');
    await claims.fill('{"aud": "x"}');
    await save();
    await fillSignIn(page, person);
    await lifetime.and(dialog.locator('[aria-invalid=true]')).waitFor();
    await lifetime.fill('120');
    await save();
    await claims.and(dialog.locator('[aria-invalid=true]')).waitFor();
    await dialog.getByText('aud is the name of a registered claim').waitFor();
    await expectFitForAll(page);
    await claims.fill('{"tenant": "acme"}');
    await save();
    await section.getByRole('link', { name: 'Test' }).waitFor();
    await section.getByText('120 seconds').waitFor();
    const request = { client_id: ownerId, client_secret: text };
    const token = await claimsOf('/tokens', request);
    const { exp = 0, iat = 0 } = token;
    expect({ ...token, lifetime: exp - iat }).toMatchObject({
      ...{ aud: 'https://billing.example.com', scope: 'payments:read' },
      ...{ tenant: 'acme', lifetime: 120 },
    });
  });

  it('of a new client are among its fields, and errors open them', async () => {
    const id = await addAudience(db(), 'https://harbour.example.com');
    const { page, open } = await visitAs(await staff());
    await open('/clients');
    await page.getByRole('button', { name: 'Create client' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create client' });
    await dialog.getByLabel('Name').fill('Harbour');
    await addScopes(dialog, 'harbour:read harbour:write');
    const summary = dialog.locator('summary', { hasText: 'Token settings' });
    await summary.click();
    await dialog.locator(`input[value="${id}"]`).check();
    const defaults = dialog.getByRole('group', { name: 'Default scopes' });
    await defaults.getByRole('checkbox', { name: 'harbour:read' }).check();
    await defaults.getByRole('checkbox', { name: 'harbour:write' }).check();
    const claims = dialog.getByLabel('Claims');
    await claims.fill('tenant');
    await expectFitForAll(page);
    await summary.click();
    const scopes = dialog.getByRole('group', { name: 'Scopes' }).first();
    await scopes.getByRole('checkbox', { name: 'harbour:write' }).uncheck();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await claims.and(dialog.locator('[aria-invalid=true]:focus')).waitFor();
    await claims.fill('{"tenant": "acme"}');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await takeSecret(page);
    const clients = db().selectFrom('clients').selectAll().where('name', '=', 'Harbour');
    expect(await clients.executeTakeFirst()).toMatchObject({
      ...{ audience_ids: id, scopes: 'harbour:read', default_scopes: 'harbour:read' },
      ...{ claims: '{"tenant":"acme"}' },
    });
  });

  it('of a client change alone, if no one else has changed the client', async () => {
    const id = await addAudience(db(), 'https://shipping.example.com');
    const { ownerId } = await addClient(db(), 'payments:read', { audienceIds: [id] });
    const clients = () => db().selectFrom('clients').selectAll().where('id', '=', ownerId);
    const { page, open } = await visitAs(await staff(), { signedInAt: staleSignInTime() });
    await open(`/clients/${ownerId}`);
    const section = page.getByRole('region', { name: 'Tokens' });
    const dialog = page.getByRole('dialog', { name: 'Change token settings' });
    const save = async (seconds: string) => {
      await section.getByRole('button', { name: 'Change token settings' }).click();
      await dialog.getByLabel('Lifetime in seconds').fill(seconds);
      await dialog.getByRole('button', { name: 'Save' }).click();
    };
    // The audiences, which are not sent, would require a recent sign-in.
    await save('90');
    await section.getByText('90 seconds').waitFor();
    await dialog.waitFor({ state: 'hidden' });
    await changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('clients').set({ bound_tokens: 1 }).where('id', '=', ownerId).execute(),
    );
    await save('100');
    await dialog.getByText('Someone else changed this').waitFor();
    const kept = { audience_ids: id, token_seconds: 90, bound_tokens: 1 };
    expect(await clients().executeTakeFirst()).toMatchObject(kept);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await section.getByText('Required. A token request needs').waitFor();
    await expectFitForAll(page);
    await section.getByRole('link', { name: 'Test' }).click();
    await page.getByRole('table', { name: 'Audiences' }).getByText('shipping').waitFor();
  });

  it('of a customer are its audiences', async () => {
    const first = await addAudience(db(), 'https://first.example.com');
    const second = await addAudience(db(), 'https://second.example.com');
    const customer = await addCustomer(db(), 'payments:read', { audienceIds: [first] });
    const { page, open } = await visitAs(await staff());
    await open(`/customers/${customer.ownerId}`);
    const section = page.getByRole('region', { name: 'Audiences' });
    await section.getByRole('button', { name: 'Change audiences' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change audiences' });
    await dialog.getByRole('checkbox', { name: 'Test', description: /first/ }).uncheck();
    await dialog.getByText('rejects existing tokens for removed audiences').waitFor();
    await dialog.getByRole('checkbox', { name: 'Test', description: /second/ }).check();
    await expectFitForAll(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await section.locator(`a[title=${second}]`).waitFor();
    await expectFitForAll(page);
    const token = await claimsOf('/tokens/api-key', { api_key: customer.text });
    expect(token.aud).toBe('https://second.example.com');
    const reader = await visitAs(await staff(['customers:read', 'customers:write']));
    await reader.open(`/customers/${customer.ownerId}`);
    await reader.page.getByRole('region', { name: 'Audiences' }).getByText(second).waitFor();
    expect(await reader.page.getByRole('button', { name: 'Change audiences' }).count()).toBe(0);
  });
});
