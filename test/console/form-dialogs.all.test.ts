// Questions of dialogs with a form, before input is submitted or lost.
import { expect, it } from 'vitest';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { takeSecret } from '../support/console-credentials.ts';
import {
  expectAccessible,
  fillSignIn,
  staleSignInTime,
  useConsole,
} from '../support/console-suite.ts';
import { upload } from '../support/sharing-api.ts';

const { app, workspaceId, visit, visitAs, staff, member } = useConsole();

const clientsNamed = (name: string) =>
  app().app.inside.db.selectFrom('clients').selectAll().where('name', '=', name).execute();

it('asks before it creates a client without scopes, and before it discards input', async () => {
  const person = await staff();
  const { page, open } = await visitAs(person, { signedInAt: staleSignInTime() });
  await open('/clients');
  await page.getByRole('button', { name: 'Create client' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create client' });
  await dialog.getByLabel('Name').fill('Without scopes');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Without scopes, the client gets no token.').waitFor();
  expect(await clientsNamed('Without scopes')).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
  await fillSignIn(page, person);
  expect((await takeSecret(page)).command).toBe('');
  expect(await clientsNamed('Without scopes')).toHaveLength(1);

  // A dialog also asks before it discards what the user has entered.
  const start = async () => {
    await page.getByRole('button', { name: 'Create client' }).click();
    await dialog.waitFor();
  };
  await start();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  await start();
  const name = dialog.getByLabel('Name');
  await name.fill('Draft');
  await page.keyboard.press('Escape');
  await dialog.getByText('Discard your changes?').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Keep editing' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  expect(await name.inputValue()).toBe('Draft');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await start();
  expect(await name.inputValue()).toBe('');
});

it('says where mail matters that the server sends none', async () => {
  const { page, open } = await visitAs(await member('admin'));
  const note = page.getByText('This server sends no email');
  await open(`/workspaces/${workspaceId()}/members`);
  await page.getByRole('button', { name: 'Invite' }).click();
  await note.waitFor();
  await expectAccessible(page);

  await upload(app(), Buffer.from('Terms'), 'terms.txt');
  await open(`/workspaces/${workspaceId()}/links`);
  await page.getByRole('button', { name: 'Create link' }).click();
  const access = page.getByRole('radiogroup', { name: 'Who can open it' });
  for (const [option, count] of [
    ['Anyone with the link', 0],
    ['Email required', 0],
    ['Verified email', 1],
    ['Readers on a list', 1],
  ] as const) {
    await access.getByLabel(option).check();
    await expect.poll(() => note.count()).toBe(count);
  }

  const stranger = await visit();
  await stranger.open('/forgot-password');
  await stranger.page.getByText('This server sends no email').waitFor();
});

it('marks empty required fields before it asks for a recent sign-in', async () => {
  const { page, open } = await visitAs(await staff(), { signedInAt: staleSignInTime() });
  await open('/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Fill in this field.').waitFor();
  await dialog.getByLabel('Email address').and(page.locator(':focus')).waitFor();
  expect(await page.getByRole('dialog', { name: 'Confirm it’s you' }).count()).toBe(0);
});

it('chooses all scopes, all read scopes or none with one click', async () => {
  const { page, open } = await visitAs(await staff());
  await open('/users');
  await page.getByRole('button', { name: 'Create user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await dialog.getByLabel('Type').selectOption('Staff: manages the service');
  const chosen = () => dialog.getByRole('checkbox', { checked: true }).count();
  for (const [label, count] of [
    ['All scopes', managementScopes.length],
    ['All read scopes', managementScopes.filter((scope) => scope.endsWith(':read')).length],
    ['Clear', 0],
  ] as const) {
    await dialog.getByRole('button', { name: label, exact: true }).click();
    await expect.poll(chosen).toBe(count);
  }
});
