// A token has leaked: from its id to the events of its calls, and to its end.
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { keepPictures } from '../../support/browser-pages.ts';
import { openFilter } from '../../support/console-menus.ts';
import { useConsole } from '../../support/console-suite.ts';

const { app, visitAs, staff } = useConsole();

async function post(path: string, body: object, token?: string) {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${app().app.publicUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer },
    body: JSON.stringify(body),
  });
  const { access_token = '' } = (await response.json()) as { readonly access_token?: string };
  return { status: response.status, token: access_token };
}

it('shows the calls of a leaked token by its id, and revokes it', async () => {
  const { CLIENT_ID, CLIENT_SECRET } = app().env;
  const request = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: 'tokens:write' };
  const [{ token }, { token: other }] = [
    await post('/tokens', request),
    await post('/tokens', request),
  ];
  expect(await post('/tokens/revoke', { token: other }, token)).toMatchObject({ status: 200 });
  expect(await post('/workspaces', { name: 'Copies' }, token)).toMatchObject({ status: 403 });
  expect(await post('/clients', { name: 'Backdoor' }, token)).toMatchObject({ status: 403 });
  const tokenId = String(decodeJwt(token).jti);

  const { page, open } = await visitAs(await staff(undefined, { name: 'Sam Rivera' }));
  await open('/audit');
  await openFilter(page);
  await page.getByLabel('Token ID').fill(tokenId);
  await keepPictures(page, 'incident-filter');
  await page.getByRole('button', { name: 'Apply' }).click();
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
  const events = rows.filter({ has: page.getByRole('cell') });
  // The service writes refused calls once a second.
  await expect
    .poll(async () => {
      await open(`/audit?token_id=${tokenId}`);
      return events.count();
    })
    .toBe(3);
  await keepPictures(page, 'incident-events');

  await page.getByRole('button', { name: 'Details of ClientService.CreateClient' }).click();
  const drawer = page.getByRole('dialog', { name: 'Event' });
  await drawer.getByText(tokenId).first().waitFor();
  await keepPictures(page, 'incident-event');
  await drawer.getByRole('button', { name: 'Revoke token' }).click();
  const question = page.getByRole('dialog', { name: /^Revoke/ });
  await question.waitFor();
  await keepPictures(page, 'incident-revoke');
  await question.getByRole('button', { name: 'Revoke token' }).click();
  await question.waitFor({ state: 'hidden' });
  await expect
    .poll(async () => (await post('/tokens/revoke', { token: other }, token)).status)
    .toBe(401);

  await open('/audit');
  await events.filter({ hasText: 'Sam Rivera' }).first().waitFor();
  await keepPictures(page, 'incident-recorded');
});
