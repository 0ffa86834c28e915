// The command palette and the key of the search.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { heading, overhangOf, phone } from '../support/browser-pages.ts';
import { addClientKey, makePublicJwk } from '../support/client-keys.ts';
import { changeColorScheme, expectAccessible, useConsole } from '../support/console-suite.ts';
import { addDomainRow } from '../support/domain-rows.ts';
import { addClient } from '../support/owner-rows.ts';
import { addSearchedRows } from '../support/searched-rows.ts';
import { makeLink, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

const searchOf = (page: Page) => page.getByRole('textbox', { name: 'Search or go to' });
const command = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('the command palette', () => {
  it('opens with Ctrl+K, and goes to a screen or to a dialog, which opens once', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/account');
    await page.keyboard.press('Control+k');
    await searchOf(page).and(page.locator(':focus')).waitFor();
    await expectAccessible(page);
    await changeColorScheme(page, 'dark');
    await expectAccessible(page);
    const place = await searchOf(page).boundingBox();
    await page.keyboard.type('audit');
    await command(page, 'Clients').waitFor({ state: 'detached' });
    expect(await searchOf(page).boundingBox()).toEqual(place);
    await page.keyboard.press('Enter');
    await heading(page, 'Audit log').waitFor();
    await searchOf(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await searchOf(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await searchOf(page).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: /Search or go to/ }).click();
    await command(page, 'Create client').click();
    await page.getByRole('dialog', { name: 'Create client' }).waitFor();
    await page.reload();
    await heading(page, 'Clients').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('has the text that the user types while it loads', async () => {
    const { page, open } = await visitAs(await staff());
    await page.route(/\/palette-[^/]*\.js$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await open('/account');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('autid');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Backspace');
    await page.keyboard.type('dit');
    await searchOf(page).and(page.locator(':focus')).waitFor();
    expect(await searchOf(page).inputValue()).toBe('audit');
    await page.keyboard.press('Enter');
    await heading(page, 'Audit log').waitFor();
  });

  it('finds resources of every kind with their type and owner', async () => {
    const document = await upload(app(), Buffer.from('Terms'), 'Terms for Ada.txt');
    const { url, id: linkId } = await makeLink(app(), document.id, { name: 'For the board' });
    const { db } = app().app.inside;
    const { ownerId, credentialId } = await addClient(db, 'a:read');
    const keyId = await addClientKey(db, ownerId, makePublicJwk());
    const domain = await addDomainRow(db, workspaceId());
    const { page, open } = await visitAs(await staff());
    await open('/users');
    await page.getByRole('button', { name: 'Workspace: Demo workspace' }).waitFor();
    const search = async (text: string, result: string) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text);
      await page.getByRole('button').filter({ hasText: result }).waitFor();
      expect(await searchOf(page).inputValue()).toBe(text);
      await page.keyboard.press('Enter');
      await searchOf(page).waitFor({ state: 'detached' });
    };
    await search('for ada', 'Document · Demo workspace');
    await heading(page, 'Terms for Ada.txt').waitFor();
    expect(page.url()).toContain(document.id);
    await search(url, 'Link · Terms for Ada.txt · Demo workspace');
    await page.waitForURL(new RegExp(linkId));
    await search(credentialId.slice(4, 12), 'Client secret · Test client');
    await page.waitForURL(new RegExp(ownerId));
    await search(domain.name, 'Domain · Demo workspace');
    await page.waitForURL(/settings\/domains$/);
    // The helper stores the id as the thumbprint, too.
    await search(keyId, `Public key · ${keyId} · Test client`);
    await page.waitForURL(new RegExp(ownerId));
    const { rows } = await addSearchedRows(db, 'Grace');
    const { id: userId, name: user } = rows.USER;
    const ofUser = [
      [rows.PASSKEY.name, 'Passkey'],
      [rows.USER_IDENTITY.name, 'Linked account'],
      [rows.SESSION.id, 'Session'],
    ] as const;
    for (const [text, kind] of ofUser) {
      await open('/users');
      await search(text, `${kind} · ${user}`);
      await page.waitForURL(new RegExp(userId));
    }
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing has this name');
    await page.getByText('No results').waitFor();
  });

  it('copies the ID of the workspace, on a phone', async () => {
    const { page, open } = await visitAs(await member('member'), phone);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('/');
    await heading(page, 'Home').waitFor();
    await page.getByRole('button', { name: /Search or go to/ }).click();
    expect(await overhangOf(page)).toBe(0);
    expect(await command(page, 'Create client').count()).toBe(0);
    await command(page, 'Copy workspace ID').click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(workspaceId());
  });
});
