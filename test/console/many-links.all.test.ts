// Filtering links, and extending and revoking several of them.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { dayMs, localText, rowOf } from '../support/link-rows.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import {
  callSharingApi,
  type DocumentFields,
  type LinkFields,
  makeLink,
  upload,
} from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member, staff } = useConsole();

const linksPath = () => `/workspaces/${workspaceId()}/links`;
const namesIn = async (page: Page) => {
  const cells = page.getByRole('table', { name: 'Links' }).getByRole('link', { name: /^Link / });
  return (await cells.allTextContents()).sort();
};
const boxOf = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Select “${name}”`, exact: true });

describe('several links', () => {
  let document: DocumentFields;
  let other: DocumentFields;
  let links: Record<'soon' | 'later' | 'never' | 'expired', LinkFields>;
  beforeAll(async () => {
    document = await upload(app(), Buffer.from('The terms.'), 'Terms.txt');
    other = await upload(app(), Buffer.from('The plan.'), 'Plan.txt');
    const until = (days: number) => ({ expire_time: new Date(Date.now() + days * dayMs) });
    links = {
      soon: await makeLink(app(), document.id, { name: 'Link soon', ...until(2) }),
      later: await makeLink(app(), document.id, { name: 'Link later', ...until(3) }),
      never: await makeLink(app(), other.id, { name: 'Link never', allow_list: ['@ann.example'] }),
      expired: await makeLink(app(), document.id, { name: 'Link expired', ...until(1) }),
    };
    await makeLink(app(), document.id, { name: 'Link revoked' }).then(({ id }) =>
      callSharingApi(app(), 'DELETE', `/links/${id}`),
    );
    // The time of this one has passed.
    await changeAsOtherProcess(app().app.inside.db, (trx) =>
      trx
        .updateTable('links')
        .set({ expire_time: Date.now() - dayMs })
        .where('id', '=', links.expired.id)
        .execute(),
    );
  });

  const timesNow = async () =>
    Promise.all(
      Object.values(links).map(async ({ id }) => {
        const { body } = await callSharingApi<LinkFields>(app(), 'GET', `/links/${id}`);
        return body.expire_time === undefined ? undefined : Date.parse(body.expire_time);
      }),
    );

  it('are filtered by state, person and document, and the address keeps the filter', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    await page.getByText('Filter', { exact: true }).click();
    const form = page.getByRole('form', { name: 'Filter' });
    await form.getByLabel('State').selectOption('Active');
    await form.getByRole('combobox', { name: 'Document or folder' }).click();
    await page.getByRole('option', { name: /^Terms\.txt/ }).click();
    await form.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Opens: Terms.txt').waitFor();
    await expect.poll(() => namesIn(page)).toEqual(['Link later', 'Link soon']);
    await page.reload();
    await page.getByText('Opens: Terms.txt').waitFor();
    await expect.poll(() => namesIn(page)).toEqual(['Link later', 'Link soon']);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Clear filter' }).click();
    await expect.poll(() => namesIn(page)).toHaveLength(5);
    await page.getByText('Filter', { exact: true }).click();
    await form.getByLabel('Person').fill('@ann.example');
    await page.keyboard.press('Enter');
    await expect.poll(() => namesIn(page)).toEqual(['Link never']);
    await open(`${linksPath()}?state=revoked&person=bo@example.com`);
    await page.getByText('No matching links').waitFor();
    await expectAccessible(page);
  });

  it('are extended with the keyboard, and get their times back, also expired ones', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    const before = await timesNow();
    for (const name of ['Link soon', 'Link never', 'Link expired']) {
      await boxOf(page, name).focus();
      await page.keyboard.press('Space');
    }
    await page.getByRole('status').getByText('3 selected', { exact: true }).waitFor();
    expect(await boxOf(page, 'Link revoked').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Extend' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Extend 3 links' });
    await dialog.getByText(/One link has expired: readers can open it again/).waitFor();
    await dialog.getByLabel('Expires').fill(localText(Date.now() - dayMs * 2));
    await dialog.getByRole('button', { name: 'Extend' }).click();
    await dialog.getByText('Choose a time after their present expiry.').waitFor();
    const ends = Math.floor(Date.now() / 60_000) * 60_000 + 9 * dayMs;
    await dialog.getByLabel('Expires').fill(localText(ends));
    await dialog.getByRole('button', { name: 'Extend' }).click();
    const toast = page.getByRole('status').filter({ hasText: '2 links extended' });
    await toast.waitFor();
    expect(await timesNow()).toEqual([ends, before[1], undefined, ends]);
    await expect.poll(() => page.getByText('3 selected').count()).toBe(0);

    await toast.getByRole('button', { name: 'Undo' }).press('Enter');
    await page
      .getByText('Previous expiry restored. One link had expired: it expires again in 5 seconds.')
      .waitFor();
    const [soon, later, never] = await timesNow();
    expect([soon, later, never]).toEqual(before.slice(0, 3));
    // Without a reload.
    await rowOf(page, 'Link expired').getByText('Expired', { exact: true }).waitFor();
    expect((await fetch(links.expired.url)).status).toBe(410);
    expect((await fetch(links.soon.url)).status).toBe(200);

    await page.reload();
    await boxOf(page, 'Link expired').check();
    await page.getByRole('button', { name: 'Extend' }).click();
    const single = page.getByRole('dialog', { name: 'Extend 1 link' });
    await single.getByRole('button', { name: 'Extend' }).click();
    await expect.poll(async () => (await fetch(links.expired.url)).status).toBe(200);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('One link had expired: it expires again in 5 seconds.').waitFor();
    expect(await page.getByText('Previous expiry restored').count()).toBe(0);
    await expect
      .poll(async () => (await fetch(links.expired.url)).status, { timeout: 10_000 })
      .toBe(410);
  });

  it('are revoked on a phone after a question that says that it is final', async () => {
    const { page, open } = await visitAs(await member('member'), phone);
    await open(`/workspaces/${workspaceId()}/documents/${document.id}/links`);
    await boxOf(page, 'Link soon').check();
    await page.getByRole('button', { name: 'Select all 3' }).click();
    await page.getByText('3 selected').waitFor();
    await boxOf(page, 'Link expired').uncheck();
    await page.getByText('2 selected').waitFor();
    expect(await overhangOf(page)).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke 2 links?' });
    await dialog.getByText(/You can’t undo this/).waitFor();
    await dialog.getByRole('button', { name: 'Revoke 2 links' }).click();
    await page.getByText('2 links revoked').waitFor();
    for (const { url } of [links.soon, links.later]) expect((await fetch(url)).status).toBe(410);
    await expect.poll(() => page.getByText('2 selected').count()).toBe(0);
    await expect.poll(() => boxOf(page, 'Link soon').count()).toBe(0);
  });

  it('cannot be selected by a user who may only read them', async () => {
    const scopes = ['documents:read', 'links:read', 'workspaces:read'];
    const { page, open } = await visitAs(await staff(scopes));
    await open(linksPath());
    await page.getByRole('link', { name: 'Link never' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });
});
