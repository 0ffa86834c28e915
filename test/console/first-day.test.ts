// The first steps of each user of the console. Files `*.all.test.ts` test the other steps.
import { expect, it } from 'vitest';
import { heading } from '../support/browser-pages.ts';
import { addScopes, paste, takeSecret } from '../support/console-credentials.ts';
import { openAccount, signOut } from '../support/console-menus.ts';
import { fillSignIn, useConsole } from '../support/console-suite.ts';
import { choose, documentNamed, fileOf } from '../support/console-uploads.ts';
import { answer, expectDocument } from '../support/gate-pages.ts';
import { newestLink } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';

const { app, workspaceId, visit, staff, member } = useConsole();

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
