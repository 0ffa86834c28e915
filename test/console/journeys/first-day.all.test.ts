// The first day of an installation without demo data: the setup, a token, and a link.
import { expect, it } from 'vitest';
import { heading, keepPictures } from '../../support/browser-pages.ts';
import { addScopes, paste } from '../../support/console-credentials.ts';
import { fillSignIn, useConsole } from '../../support/console-suite.ts';
import { choose, fileOf } from '../../support/console-uploads.ts';
import { answer, expectDocument } from '../../support/gate-pages.ts';
import { makePdf } from '../../support/pdf.ts';

const { app, visit } = useConsole({ config: { bootstrap: 'owner' } });

it('leads from the first sign-in to a token and to the first reader', async () => {
  const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = app().env;
  const { page, open } = await visit();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('/');
  await fillSignIn(page, { id: '', email, password });
  await heading(page, 'Overview').waitFor();
  const setup = page.getByRole('region', { name: 'Setup' });
  await setup.getByText('0 of 6 done').waitFor();
  await page.getByText('No secret and no key expires').waitFor();
  await keepPictures(page, 'first-day-setup');
  await setup.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'A copy exists' }).click();
  await setup.getByText('Copy the master key (done)').waitFor();

  const figure = (name: string) => page.getByRole('term').getByRole('link', { name });
  await figure('Clients').click();
  await heading(page, 'Clients').waitFor();
  await page.getByRole('button', { name: 'Create client' }).first().click();
  const creation = page.getByRole('dialog', { name: 'Create client' });
  await creation.getByLabel('Name').fill('Payments');
  await addScopes(creation, 'ledger:read ledger:write');
  await keepPictures(page, 'first-day-client');
  await creation.getByRole('button', { name: 'Create' }).click();
  const secret = page.getByRole('dialog').filter({ hasText: 'It isn’t shown again' });
  await secret.waitFor();
  await keepPictures(page, 'first-day-secret');
  const command = (await secret.locator('code').allTextContents()).at(-1) ?? '';
  expect(await paste(command)).toMatchObject({ token_type: 'Bearer', scope: /ledger:read/ });
  await secret.getByRole('button', { name: 'I have stored it' }).click();

  await open('/');
  await figure('Workspaces').click();
  await heading(page, 'Workspaces').waitFor();
  await page.getByRole('button', { name: 'Create workspace' }).first().click();
  const workspace = page.getByRole('dialog', { name: 'Create workspace' });
  await workspace.getByLabel('Name').fill('Sales');
  await workspace.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/workspaces\/ws_/);
  const [, workspaceId] = /\/workspaces\/(ws_\w+)/.exec(page.url()) ?? [];
  await open(`/workspaces/${workspaceId}/home`);
  await setup.getByText('0 of 3 done').waitFor();
  await keepPictures(page, 'first-day-workspace');

  await open(`/workspaces/${workspaceId}/documents`);
  await choose(page, fileOf('Terms.pdf', makePdf({ pages: 2, text: 'The terms' })));
  await page.getByRole('button', { name: 'Share “Terms.pdf”' }).first().click();
  const share = page.getByRole('dialog', { name: 'Share “Terms.pdf”' });
  await share.getByRole('button', { name: 'Create and copy link' }).click();
  await page.getByRole('dialog', { name: /^Link created/ }).waitFor();
  await keepPictures(page, 'first-day-link');
  const url = (await page.evaluate('navigator.clipboard.readText()')) as string;

  const reader = await visit();
  await reader.page.goto(url);
  await answer(reader.page, 'Email', 'jane@example.com');
  await expectDocument(reader.page);
  await app().app.inside.views.flush();
  await open(`/workspaces/${workspaceId}/home`);
  await page.getByRole('link', { name: 'jane@example.com' }).first().waitFor();
  await keepPictures(page, 'first-day-reader');
});
