import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseRowAction } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { Visitor } from '../support/gate-visitor.ts';
import { dayMs, linkOf, localText, rowOf } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { type DocumentFields, makeLink, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

const linksPath = () => `/workspaces/${workspaceId()}/links`;

describe('a link', () => {
  let document: DocumentFields;
  beforeAll(async () => {
    document = await upload(app(), makePdf({ pages: 2, text: 'Plan' }), 'plan.pdf');
  });

  async function edited(page: Page, name: string) {
    await chooseRowAction(rowOf(page, name), 'Edit');
    return page.getByRole('dialog', { name: 'Edit link' });
  }

  it('loses its expiry and password and keeps everything else', async () => {
    const expireTime = new Date(Date.now() + dayMs).toISOString();
    const given = { email_required: true, password: 'an old password', expire_time: expireTime };
    const link = await makeLink(app(), document.id, { name: 'Loses', ...given });
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    const dialog = await edited(page, 'Loses');
    expect(await dialog.getByLabel('Expires').inputValue()).toBe(localText(Date.parse(expireTime)));
    await dialog.getByLabel('Expires').fill('');
    await dialog.getByText('More options').click();
    await dialog.getByRole('combobox', { name: 'Password' }).selectOption('Remove password');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const changed = await linkOf(app(), link.id);
    expect(changed).toMatchObject({
      name: 'Loses',
      url: link.url,
      email_required: true,
      password_required: false,
    });
    expect(changed.expire_time).toBeUndefined();
  });

  it('gets a new password that everyone has to enter', async () => {
    const link = await makeLink(app(), document.id, {
      name: 'Changes',
      password: 'an old password',
    });
    const reader = new Visitor(link);
    await reader.post({ password: 'an old password' });
    expect(await reader.asked()).toBe('document');
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    const dialog = await edited(page, 'Changes');
    await dialog.getByText(/has to pass the new checks/).waitFor();
    await dialog.getByRole('combobox', { name: 'Password' }).selectOption('Set new password');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a new password.').waitFor();
    expect(await linkOf(app(), link.id)).toMatchObject({ password_required: true });
    await dialog.getByRole('textbox', { name: 'New password' }).fill('a new password');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await reader.asked()).toBe('Password');
    await reader.post({ password: 'a new password' });
    expect(await reader.asked()).toBe('document');
  });

  it('no longer requires an email, so it no longer verifies it', async () => {
    const given = { email_required: true, email_verification_required: true };
    const link = await makeLink(app(), document.id, { name: 'Opens', ...given });
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    const dialog = await edited(page, 'Opens');
    expect(await dialog.getByLabel('Verified email').isChecked()).toBe(true);
    await dialog.getByText(/confirm it with a code from an email/).waitFor();
    await dialog.getByLabel('Anyone with the link').check();
    await dialog.getByText('Anyone with the link can read the document.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await rowOf(page, 'Opens').getByText('Anyone with the link').waitFor();
    expect(await linkOf(app(), link.id)).toMatchObject({
      email_required: false,
      email_verification_required: false,
    });
    expect(await new Visitor(link).asked()).toBe('document');
  });

  it('sends only changed fields, so that access sessions stay valid', async () => {
    const expireTime = new Date(Date.now() + dayMs + 12_345).toISOString();
    const link = await makeLink(app(), document.id, {
      ...{ name: 'Keeps', password: 'an old password', expire_time: expireTime },
    });
    const reader = new Visitor(link);
    await reader.post({ password: 'an old password' });
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    const dialog = await edited(page, 'Keeps');
    await dialog.getByLabel('Name').fill('Keeps, renamed');
    await dialog.getByLabel('Allow download').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Keeps, renamed').waitFor();
    const changed = await linkOf(app(), link.id);
    expect(changed).toMatchObject({ allow_download: true, password_required: true });
    expect(Date.parse(changed.expire_time ?? '')).toBe(Date.parse(expireTime));
    expect(await reader.asked()).toBe('document');
  });

  it('is revoked after a confirmation, and its URL is hidden', async () => {
    const link = await makeLink(app(), document.id, { name: 'Goes' });
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    await chooseRowAction(rowOf(page, 'Goes'), 'Revoke');
    const question = page.getByRole('dialog', { name: 'Revoke “Goes”?' });
    await question.getByText(/at once for new readers, and within 20 seconds/).waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect((await fetch(link.url)).status).toBe(200);
    await chooseRowAction(rowOf(page, 'Goes'), 'Revoke');
    await question.getByRole('button', { name: 'Revoke link' }).click();
    const row = rowOf(page, 'Goes');
    await row.getByText('Revoked', { exact: true }).waitFor();
    expect((await fetch(link.url)).status).toBe(410);
    expect(await row.getByRole('button').count()).toBe(0);
    // The time is next to the state, and the link no longer expires.
    const cells = await row.getByRole('cell').allTextContents();
    expect(cells).toContainEqual(expect.stringMatching(/^Revoked\S/));
    expect(cells).toContain('—');
  });
});
