// The tabs of a document: each has an address and requests only its data.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { expectFitForAll } from '../support/console-credentials.ts';
import { documentTab } from '../support/console-menus.ts';
import { useConsole } from '../support/console-suite.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

let path: string;

beforeAll(async () => {
  const { id } = await upload(app(), makePdf({ pages: 2, text: 'Terms' }), 'Terms.pdf');
  await makeLink(app(), id, { name: 'For the board' });
  path = `/workspaces/${workspaceId()}/documents/${id}`;
});

const tabsOf = (page: Page) => page.getByRole('navigation', { name: 'Document' }).getByRole('link');

const currentOf = (page: Page) =>
  page.getByRole('navigation', { name: 'Document' }).locator('[aria-current=page]').allInnerTexts();

const methods = ['ListDocumentViews', 'ListLinks', 'ListVersions', 'file'];

describe('the tabs of a document', () => {
  it('have addresses that Back, a reload and a copied address open, and own requests', async () => {
    const { page, open, requests } = await visitAs(await member('member'));
    await open(`${path}/versions`);
    await page.getByRole('table', { name: 'Versions' }).waitFor();
    expect(await currentOf(page)).toEqual(['Versions']);
    await documentTab(page, 'Links').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'For the board' }).waitFor();
    expect(await documentTab(page, 'Links').and(page.locator(':focus')).count()).toBe(1);
    await page.reload();
    await page.getByRole('link', { name: 'For the board' }).waitFor();
    await page.goBack();
    await page.getByRole('table', { name: 'Versions' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console${path}/versions`);
    await documentTab(page, 'Overview').click();
    await page.getByRole('region', { name: 'Recent readers' }).waitFor();
    expect(await currentOf(page)).toEqual(['Overview']);

    // They request only their data, and all of them share and receive a new version.
    for (const [name, expected] of [
      ['', ['ListDocumentViews']],
      ['/readers', ['ListDocumentViews']],
      ['/links', ['ListLinks']],
      ['/versions', ['ListVersions']],
      ['/preview', ['file']],
      ['/details', []],
    ] as const) {
      requests.splice(0);
      await open(`${path}${name}`);
      await page.waitForLoadState('networkidle');
      const sent = methods.filter((method) =>
        requests.some((request) => request.endsWith(`/${method}`)),
      );
      expect([name, sent]).toEqual([name, expected]);
      await page.getByRole('button', { name: 'Upload new version' }).waitFor();
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByRole('dialog', { name: 'Share “Terms.pdf”' }).waitFor();
      await page.keyboard.press('Escape');
    }
  });

  it('fit a phone, and hide the readers from users who may not see them', async () => {
    const { page, open } = await visitAs(await member('member'), phone);
    for (const name of ['', '/readers', '/links', '/versions', '/preview', '/details']) {
      await open(`${path}${name}`);
      expect([name, await overhangOf(page)]).toEqual([name, 0]);
    }
    await expectFitForAll(page);
    const scopes = ['documents:read', 'workspaces:read'];
    const other = await visitAs(await staff(scopes));
    await other.open(path);
    await tabsOf(other.page).first().waitFor();
    const names = await tabsOf(other.page).allInnerTexts();
    expect(names).toEqual(['Overview', 'Versions', 'Preview', 'Details']);
  });
});
