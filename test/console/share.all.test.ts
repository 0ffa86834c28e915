// The dialog that shares a document or a folder.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { choose, fileOf } from '../support/console-uploads.ts';
import { makeFolder } from '../support/folder-calls.ts';
import { Visitor } from '../support/gate-visitor.ts';
import { dayMs, linkOf, newestLink, rowOf } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import {
  callSharingApi,
  type LinkFields,
  makeLink,
  makeZip,
  upload,
} from '../support/sharing-api.ts';
import { startSmtpServer } from '../support/smtp.ts';

const mailServer = await startSmtpServer();
afterAll(() => mailServer.stop());
const smtp = {
  host: '127.0.0.1',
  port: mailServer.port,
  encryption: 'local',
  login: undefined,
} as const;

async function codeFor(address: string): Promise<string> {
  const codes = () =>
    mailServer.arrived.flatMap(({ to, mail }) =>
      to.includes(address)
        ? (/^Your code is (\d{6})\s*$/m.exec(String(mail.text))?.slice(1) ?? [])
        : [],
    );
  await expect.poll(() => codes().length).toBeGreaterThan(0);
  return codes().at(-1) ?? '';
}

const { app, workspaceId, visitAs, member, staff } = useConsole({ config: { smtp } });

const documentsPath = () => `/workspaces/${workspaceId()}/documents`;

const create = 'Create and copy link';

async function openShare(page: Page, name: string) {
  await page
    .getByRole('button', { name: `Share “${name}”` })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: `Share “${name}”` });
  await dialog.waitFor();
  return dialog;
}

const clipboardOf = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

/** Pastes or drops a text, or a file if it has a name. */
async function receive(field: Locator, type: 'paste' | 'drop', text: string, name = '') {
  await field.focus();
  await field.page().evaluate(`(() => {
    const [type, text, name] = ${JSON.stringify([type, text, name])};
    const data = new DataTransfer();
    if (name === '') data.setData('text/plain', text);
    else data.items.add(new File([text], name));
    const init = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data };
    const event = type === 'drop' ? new DragEvent(type, init) : new ClipboardEvent(type, init);
    document.activeElement.dispatchEvent(event);
  })()`);
}

async function look(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  expect(await overhangOf(page), name).toBe(0);
}

beforeAll(async () => {
  await upload(app(), makePdf({ pages: 2, text: 'Terms' }), 'terms.pdf');
});

describe('sharing', () => {
  it('asks for an address by default, and copies the URL', async () => {
    const { page, open, requests } = await visitAs(await member('member'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(documentsPath());
    const dialog = await openShare(page, 'terms.pdf');
    await dialog
      .getByText('Readers enter their email address, then they can read the document.')
      .waitFor();
    await look(page, 'share');
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
    await changeColorScheme(page, 'light');
    await dialog.getByRole('button', { name: create }).click();
    const ready = page.getByRole('dialog', { name: 'Link created and copied' });
    await ready.waitFor();
    const link = await newestLink(app());
    expect(link).toMatchObject({ email_required: true, allow_download: false });
    expect(await clipboardOf(page)).toBe(link.url);
    await ready.getByText('Readers enter their email address').waitFor();
    expect(await ready.getByText(/by email\.$/).count()).toBe(0);
    await look(page, 'share-ready');
    await ready.getByRole('button', { name: 'Done' }).click();
    const share = page.getByRole('button', { name: 'Share “terms.pdf”' });
    await share.and(page.locator(':focus')).waitFor();
    expect(requests.filter((one) => one.endsWith('/CreateLink'))).toHaveLength(1);
  });

  it('generates a password, ends after 30 days, and has conditions', async () => {
    const { page, open } = await visitAs(await member('member'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(documentsPath());
    const dialog = await openShare(page, 'terms.pdf');
    await dialog.getByLabel('Password required').check();
    const field = dialog.getByRole('textbox', { name: 'Password' });
    const password = await field.inputValue();
    expect(password).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
    await dialog.getByRole('button', { name: 'In 30 days' }).click();
    await dialog.getByText('More options').click();
    await dialog.getByLabel('View limit').fill('none');
    await dialog.getByRole('button', { name: create }).click();
    await dialog.getByText('Enter a number, or nothing.').waitFor();
    await dialog.getByLabel('View limit').fill('3');
    await dialog.getByLabel('Watermark').check();
    await dialog.getByLabel('Agreement').fill('Keep **this** to yourself.');
    await dialog.getByLabel('Programs may read it for a person').check();
    await dialog.getByText('Not while the link has a password or an agreement.').waitFor();
    const sentence =
      /^Readers enter the password, .* with a watermark until .* 3 times in total\.$/;
    await dialog.getByText(sentence).waitFor();
    await dialog.getByText(sentence).scrollIntoViewIfNeeded();
    await look(page, 'share-password');
    await dialog.getByRole('button', { name: create }).click();
    const ready = page.getByRole('dialog', { name: 'Link created and copied' });
    await ready.getByText(password).waitFor();
    await look(page, 'share-password-ready');
    const link = await newestLink(app());
    expect(link).toMatchObject({
      ...{ password_required: true, email_verification_required: true, view_limit: 3 },
      ...{ watermark: true, program_access: true },
    });
    const days = (Date.parse(link.expire_time ?? '') - Date.now()) / dayMs;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    const reader = new Visitor(link);
    await reader.post({ password });
    expect(await reader.asked()).not.toBe('Password');

    await ready.getByRole('link', { name: 'View link' }).click();
    await page
      .getByText('Password, verified email, agreement, watermark, programs, 3 views at most')
      .waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const edit = page.getByRole('dialog', { name: 'Edit link' });
    await edit.getByText('More options').click();
    expect(await edit.getByLabel('Agreement').inputValue()).toBe('Keep **this** to yourself.');
    await edit.getByLabel('View limit').fill('');
    await edit.getByLabel('Watermark').uncheck();
    await edit.getByLabel('Programs may read it for a person').uncheck();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Password, verified email, agreement', { exact: true }).waitFor();
    expect(await newestLink(app())).not.toHaveProperty('view_limit');
  });

  it('creates one link for each reader of a list, and mails them', async () => {
    const folder = await makeFolder(app(), 'For the bank');
    const { page, open } = await visitAs(await member('member'), phone);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(`/workspaces/${workspaceId()}/links`);
    await page.getByRole('button', { name: 'Create link' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Document or folder' }).click();
    await page.getByRole('option', { name: /^For the bank · Folder/ }).click();
    await dialog.getByLabel('Readers on a list').check();
    const readers = dialog.getByRole('textbox', { name: 'Readers' });
    await receive(readers, 'drop', 'Name;Email\nJane;jane@example.com', 'people.csv');
    await dialog.getByText('Line 2 of people.csv has no email address or domain').waitFor();
    await receive(readers, 'drop', 'Email;Name\r\n"jane@example.com";Jane\r\n', 'people.csv');
    await expect.poll(() => readers.inputValue()).toBe('jane@example.com');
    await receive(readers, 'paste', 'Email\tName\nomar@example.com\tOmar');
    await expect.poll(() => readers.inputValue()).toBe('jane@example.com\nomar@example.com');
    await readers.fill('jane@example.com, omar@example.com\nOmar');
    await dialog.getByRole('button', { name: create }).click();
    await dialog.getByText('Line 2 has no email address or domain: “Omar”.').waitFor();
    await look(page, 'share-each-refused-phone');
    await dialog.getByLabel('One link for each reader').check();
    const createAll = dialog.getByRole('button', { name: 'Create and copy links' });
    await readers.fill('jane@example.com; omar=?@example.com');
    await createAll.click();
    await dialog.getByText('Recipient: Enter an email address, such as name@').waitFor();
    await readers.fill('jane@example.com; omar@example.com');
    await dialog.getByLabel('Email the links to the readers').check();
    await dialog.getByText(/^Each reader has a different link/).waitFor();
    await dialog.getByLabel('Message').fill('Dear all,\nsee page 2, and example.com.');
    const preview = dialog.getByRole('region', { name: 'Preview of the email' });
    await preview.getByText('For the bank was shared with you').waitFor();
    const shownText = await preview.locator('p').last().innerText();
    expect(shownText).toContain('> Dear all,\n> see page 2, and example. com.');
    await preview.scrollIntoViewIfNeeded();
    await look(page, 'share-each-phone');
    const [sent] = await Promise.all([page.waitForRequest(/BatchCreate/), createAll.click()]);
    expect(sent.postData()?.split('see page 2')).toHaveLength(2);
    const ready = page.getByRole('dialog', { name: '2 links created and copied' });
    await ready.getByText('omar@example.com').waitFor();
    await ready.getByText(/^Each reader has a different link/).waitFor();
    await ready.getByText('Each reader gets their link by email.').waitFor();
    await look(page, 'share-each-ready-phone');
    const { links } = (
      await callSharingApi<{ links: (LinkFields & { recipient: string })[] }>(
        app(),
        'GET',
        `/links?folder_id=${folder.id}&order_by=name`,
      )
    ).body;
    expect(links.map((one) => one.recipient)).toEqual(['jane@example.com', 'omar@example.com']);
    expect(await clipboardOf(page)).toBe(
      links.map(({ recipient, url }) => `${recipient}\t${url}`).join('\n'),
    );
    await ready.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'jane@example.com').getByText('Readers on a list').waitFor();
    const mailed = () => mailServer.arrived.map(({ to }) => to.join()).toSorted();
    const recipients = links.map(({ recipient }) => recipient);
    await expect.poll(mailed, { timeout: 15_000 }).toEqual(recipients);
    for (const { to, mail } of mailServer.arrived) {
      const own = links.find(({ recipient }) => to.includes(recipient));
      expect(mail.text).toContain(own?.url);
      const sent = String(mail.text)
        .replaceAll(/https?:\S+/g, '')
        .replaceAll(/\s+/g, ' ');
      const shown = shownText.replaceAll(/https?:.*/g, '').replaceAll(/\s+/g, ' ');
      expect(sent.trim()).toBe(shown.trim());
    }

    const document = await upload(app(), makePdf({ pages: 1, text: 'Terms' }), 'read.pdf');
    const link = await makeLink(app(), document.id, { recipient: 'jane@example.com' });
    const linkPath = `/workspaces/${workspaceId()}/links/${link.id}`;
    await open(linkPath);
    const recipient = page.getByRole('definition').filter({ hasText: 'jane@example.com' }).last();
    await recipient.getByRole('link', { name: 'jane@example.com' }).click();
    await page.getByText('This person hasn’t viewed anything yet.').waitFor();
    await page.getByRole('button', { name: 'Erase' }).waitFor();
    await look(page, 'person-without-views-phone');
    const reader = new Visitor(link);
    await reader.post({ email: 'jane@example.com' });
    await reader.post({ code: await codeFor('jane@example.com') });
    expect(await reader.asked()).toBe('document');
    const views = async () => (await linkOf(app(), link.id)).view_count;
    await expect.poll(views).toBe(1);
    await open(linkPath);
    await recipient.getByRole('link', { name: 'jane@example.com' }).click();
    await page.getByRole('heading', { level: 1, name: 'jane@example.com' }).waitFor();
  });

  it('begins with the defaults of the workspace', async () => {
    const { page, open } = await visitAs(await member('admin'));
    await open(`/workspaces/${workspaceId()}/settings/general`);
    const section = page.getByRole('region', { name: 'New links' });
    await section.getByLabel('Who can open it').selectOption('Verified email');
    await section.getByLabel('Expires').selectOption('After 90 days');
    await section.getByLabel('Watermark').check();
    await section.getByLabel('Programs may read for a person').check();
    await section.getByRole('button', { name: 'Save link defaults' }).click();
    await page.getByText('Link defaults saved').waitFor();
    await section.scrollIntoViewIfNeeded();
    await look(page, 'link-defaults');
    await open(documentsPath());
    const dialog = await openShare(page, 'terms.pdf');
    expect(await dialog.getByLabel('Verified email').isChecked()).toBe(true);
    expect(await dialog.getByLabel('Expires').inputValue()).not.toBe('');
    expect(await dialog.getByLabel('Watermark').isChecked()).toBe(true);
    await dialog.getByText('More options').click();
    const programs = dialog.getByLabel('Programs may read it for a person');
    expect(await programs.isChecked()).toBe(true);
    await programs.scrollIntoViewIfNeeded();
    await look(page, 'share-programs');
    await page.keyboard.press('Escape');
    await app().app.inside.db.updateTable('workspaces').set({ link_defaults: '' }).execute();
  });

  it('is on each finished upload, and lets readers download a ZIP archive', async () => {
    const { page, open } = await visitAs(await member('member'), phone);
    await open(documentsPath());
    await choose(page, fileOf('Photos.zip', makeZip('Photos')));
    await page.getByRole('region', { name: 'Uploads' }).getByText('Uploaded').waitFor();
    const dialog = await openShare(page, 'Photos.zip');
    await dialog.getByText('then they can download the file.').waitFor();
    await look(page, 'share-phone');
    await dialog.getByRole('button', { name: create }).click();
    await page.getByRole('dialog', { name: /^Link created/ }).waitFor();
    expect(await newestLink(app())).toMatchObject({ email_required: true, allow_download: true });
  });

  it('is hidden from users who cannot create links', async () => {
    const reader = await staff(['workspaces:read', 'documents:read', 'links:read']);
    const { page, open } = await visitAs(reader);
    await open(documentsPath());
    await page.getByRole('link', { name: 'terms.pdf' }).waitFor();
    expect(await page.getByRole('button', { name: /^Share/ }).count()).toBe(0);
  });
});
