// Sharing a document with one click.
import { beforeAll, describe, expect, it } from 'vitest';
import { phone, settle } from '../support/browser-pages.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { choose, fileOf } from '../support/console-uploads.ts';
import { newestLink } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { makeZip, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member, staff } = useConsole();

const documentsPath = () => `/workspaces/${workspaceId()}/documents`;

beforeAll(async () => {
  await upload(app(), makePdf({ pages: 2, text: 'Terms' }), 'terms.pdf');
});

describe('the Share button', () => {
  it('of a row creates a link once and copies its URL', async () => {
    const { page, open, requests } = await visitAs(await member('member'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(documentsPath());
    const share = page.getByRole('button', { name: 'Share “terms.pdf”' });
    await share.click();
    const dialog = page.getByRole('dialog', { name: 'Link created and copied' });
    await dialog.waitFor();
    const link = await newestLink(app());
    expect(link).toMatchObject({ email_required: true, allow_download: false });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link.url);
    expect(await dialog.getByLabel('URL', { exact: true }).inputValue()).toBe(link.url);
    await dialog.getByText('Readers enter their email address.').waitFor();
    await expectAccessible(page);
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await share.and(page.locator(':focus')).waitFor();

    await share.click();
    await dialog.waitFor();
    expect(requests.filter((one) => one.endsWith('/CreateLink'))).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Change options' }).click();
    const options = page.getByRole('dialog', { name: 'Edit link' });
    await options.getByLabel('Anyone with the link').check();
    await options.getByRole('button', { name: 'Save' }).click();
    await options.waitFor({ state: 'hidden' });
    expect(await newestLink(app())).toMatchObject({ id: link.id, email_required: false });
  });

  it('shows all of its dialog in a low window', async () => {
    const viewport = { width: 1280, height: 420 };
    const { page, open } = await visitAs(await member('member'), { viewport });
    await open(documentsPath());
    const share = page.getByRole('button', { name: /^Share “/ }).last();
    await share.evaluate((button) => button.scrollIntoView({ block: 'end' }));
    await share.click();
    const dialog = page.getByRole('dialog', { name: /^Link created/ });
    const button = dialog.getByRole('button', { name: 'Change options' });
    await button.scrollIntoViewIfNeeded();
    await settle(page);
    for (const one of [dialog, button]) {
      const { y = -1, height = 0 } = (await one.boundingBox()) ?? {};
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(viewport.height);
    }
  });

  it('is on each finished upload, and lets readers download a ZIP archive', async () => {
    const { page, open } = await visitAs(await member('member'), phone);
    await open(documentsPath());
    await choose(page, fileOf('Photos.zip', makeZip('Photos')));
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await uploads.getByRole('button', { name: 'Share “Photos.zip”' }).click();
    const dialog = page.getByRole('dialog', { name: /^Link created/ });
    await dialog.getByText('Then they can download the file.').waitFor();
    await expectAccessible(page);
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
