// Workspaces and their settings: name, brand, custom domains, deletion.
import { afterAll, describe, expect, it } from 'vitest';
import { overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction, openWorkspaces } from '../support/console-menus.ts';
import {
  addToWorkspace,
  changeColorScheme,
  expectAccessible,
  useConsole,
} from '../support/console-suite.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { callDomains, type DomainFields } from '../support/domain-calls.ts';
import { addClient, addWorkspace } from '../support/owner-rows.ts';
import { makePng } from '../support/sharing-api.ts';
import { addUser } from '../support/user-rows.ts';

const dns = await startDnsServer();
afterAll(() => dns.close());

const { app, workspaceId, visitAs, staff, member } = useConsole({ dnsServers: [dns.address] });

const db = () => app().app.inside.db;
const settings = (screen: string, id = workspaceId()) => `/workspaces/${id}/settings/${screen}`;

describe('workspaces', () => {
  it('are created by staff, opened and renamed', async () => {
    const { page, open } = await visitAs(await staff());
    await open('/workspaces');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    const creation = page.getByRole('dialog', { name: 'Create workspace' });
    await creation.getByRole('button', { name: 'Create' }).click();
    await creation.getByText('Fill in this field.').first().waitFor();
    await expectAccessible(page);
    await creation.getByLabel('Name').fill('Harbour Ltd');
    await creation.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
    await openWorkspaces(page);
    const rows = page.getByRole('table', { name: 'Workspaces' }).getByRole('row');
    await rows.getByRole('link', { name: 'Harbour Ltd' }).waitFor();
    expect(await rows.count()).toBe(3);

    const { ownerId } = await addWorkspace(db(), 'documents:read');
    await open(settings('general', ownerId));
    await page.getByText(ownerId, { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename workspace' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Test workspace');
    await dialog.getByLabel('Name').fill('');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('Fill in this field.').waitFor();
    await dialog.getByLabel('Name').fill('Quay Ltd');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('definition').getByText('Quay Ltd').waitFor();
    const query = db().selectFrom('workspaces').select('name').where('id', '=', ownerId);
    expect(await query.executeTakeFirst()).toEqual({ name: 'Quay Ltd' });
  });

  it('are limited to those of the member, open directly, and have read-only settings', async () => {
    const { page, open } = await visitAs(await member('member'));
    await open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await openWorkspaces(page);
    await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    const rows = page.getByRole('table', { name: 'Workspaces' }).getByRole('row');
    await rows.getByRole('link', { name: 'Demo workspace' }).waitFor();
    expect(await rows.count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Create workspace' }).count()).toBe(0);

    await open(`/workspaces/${workspaceId()}`);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(page.url()).toMatch(/\/home$/);
    await open(settings('general'));
    await page.getByText(workspaceId(), { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
  });

  it('appear after a member is added', async () => {
    const newcomer = await addUser(db(), { kind: 'member' });
    const { page, open } = await visitAs(newcomer);
    const refused: number[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.status());
    });
    await open('/workspaces');
    await page.getByText('You aren’t in a workspace yet').waitFor();
    await expectAccessible(page);
    await addToWorkspace(app(), newcomer.id);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page
      .getByRole('table', { name: 'Workspaces' })
      .getByRole('link', { name: 'Demo workspace' })
      .waitFor();
    expect(refused).toEqual([]);
  });

  it('are reloaded when a member without any returns to the tab', async () => {
    const newcomer = await addUser(db(), { kind: 'member' });
    const { page, open } = await visitAs(newcomer);
    await open('/workspaces');
    await page.getByText('You aren’t in a workspace yet').waitFor();
    await addToWorkspace(app(), newcomer.id);
    const comeBack = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";
    await expect
      .poll(async () => {
        await page.evaluate(comeBack);
        return page.getByRole('link', { name: 'Demo workspace' }).count();
      })
      .toBeGreaterThan(0);
  });
});

it('an owner sets and removes the color and the logo', async () => {
  const { page, open } = await visitAs(await member('owner'), phone);
  await open(settings('general'));
  const brand = page.getByRole('region', { name: 'Brand' });
  await brand.getByLabel('Button color').fill('#aa3300');
  await brand.getByRole('button', { name: 'Save color' }).click();
  await brand.getByRole('button', { name: 'Reset' }).waitFor();

  const chooser = page.waitForEvent('filechooser');
  await brand.getByRole('button', { name: 'Upload logo' }).click();
  const file = { name: 'logo.png', mimeType: 'image/png', buffer: makePng(80, 40) };
  await (await chooser).setFiles(file);
  const logo = brand.getByRole('img', { name: /^Logo of / });
  await logo.waitFor();
  const width = () => logo.evaluate((image) => Reflect.get(image, 'naturalWidth'));
  await expect.poll(width).toBe(80);
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await changeColorScheme(page, 'dark');
  await expectAccessible(page);

  await brand.getByRole('button', { name: 'Remove logo' }).click();
  await logo.waitFor({ state: 'detached' });
  await brand.getByRole('button', { name: 'Reset' }).click();
  await brand.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
});

async function storedDomains(): Promise<DomainFields[]> {
  return (await callDomains<{ domains: DomainFields[] }>(app(), 'GET')).body.domains;
}

it('a domain is added, verified, used for links and deleted', async () => {
  const { page, open } = await visitAs(await member('admin'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  const dialog = (name: string) => page.getByRole('dialog', { name });
  const look = async (name: string) => {
    await expectAccessible(page);
    expect(await overhangOf(page), name).toBe(0);
  };
  await open(settings('domains'));
  await look('domains-empty');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await dialog('Add domain').getByLabel('Domain').fill('docs.example');
  await dialog('Add domain').getByLabel('Domain').fill('not a name');
  await dialog('Add domain').getByRole('button', { name: 'Add' }).click();
  await dialog('Add domain').getByText('must be a domain name').waitFor();
  await dialog('Add domain').getByLabel('Domain').fill(' Docs.Example.COM ');
  await dialog('Add domain').getByRole('button', { name: 'Add' }).click();

  const shown = dialog('Verify docs.example.com');
  await shown.getByText('_latchkey.docs.example.com').waitFor();
  const [added] = await storedDomains();
  await shown.getByRole('button', { name: 'Copy record name' }).click();
  await expect.poll(clipboard).toBe(added?.txt_name);
  await shown.getByRole('button', { name: 'Copy record value' }).click();
  await expect.poll(clipboard).toBe(added?.txt_value);
  await shown.getByRole('button', { name: 'Verify' }).click();
  await shown.getByText('does not exist').waitFor();
  await look('domain-record');
  await page.setViewportSize(phone.viewport ?? { width: 390, height: 844 });
  await look('domain-record-phone');
  await shown.getByRole('button', { name: 'Cancel' }).click();
  await look('domains-phone');
  await page.setViewportSize({ width: 1280, height: 800 });

  dns.records.set('_latchkey.docs.example.com', [added?.txt_value ?? '']);
  await page.getByRole('button', { name: 'Verify' }).click();
  await shown.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('Domain verified').waitFor();
  await chooseRowAction(page, 'Use for links', 'docs.example.com');
  await dialog('Use docs.example.com for links?').getByRole('button', { name: 'Use' }).click();
  await page.getByText('Used for links').waitFor();
  expect(await storedDomains()).toMatchObject([{ primary: true }]);
  await look('domains');

  await chooseRowAction(page, 'Delete', 'docs.example.com');
  const question = dialog('Delete docs.example.com?');
  await question.getByText('URLs with this domain stop working at once').waitFor();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No domains yet').waitFor();
  expect(await storedDomains()).toEqual([]);
});

it('staff approve a domain without a record', async () => {
  await callDomains(app(), 'POST', '', { name: 'approved.example.com' });
  const { page, open } = await visitAs(await staff());
  await open(settings('domains'));
  await chooseRowAction(page, 'Approve', 'approved.example.com');
  const question = page.getByRole('dialog', { name: 'Approve approved.example.com' });
  await question.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Verified', { exact: true }).waitFor();
  expect(await storedDomains()).toMatchObject([{ state: 'DOMAIN_STATE_VERIFIED' }]);
});

it('a deleted client or workspace can be restored, and users export their data', async () => {
  const { page, open } = await visitAs(await staff());
  const { ownerId } = await addClient(db(), 'payments:read');
  await open(`/clients/${ownerId}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await chooseRowAction(page, 'Delete', 'Test client');
  const dialog = page.getByRole('dialog');
  expect(await dialog.textContent()).toContain('It can be restored for 7 days.');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Client deleted').waitFor();
  await page.getByText('for good on').waitFor();
  await button('Undo').click();
  await button('Rename').waitFor();

  await chooseRowAction(page, 'Delete', 'Test client');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await button('Restore').waitFor();
  await open('/clients?deleted=shown');
  await page.getByText('Deleted', { exact: true }).first().waitFor();
  await open(`/clients/${ownerId}`);
  await button('Restore').click();
  await button('Rename').waitFor();

  const { ownerId: id } = await addWorkspace(db(), '');
  await open(settings('general', id));
  await button('Delete workspace').click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
  await open('/workspaces?deleted=shown');
  await button('Restore').click();
  await button('Restore').waitFor({ state: 'detached' });
  await open('/account');
  const download = page.waitForEvent('download');
  await button('Export my data').click();
  expect((await download).suggestedFilename()).toBe('my-data.tar');
});
