// The custom domains of a workspace in the console.
import { afterAll, expect, it } from 'vitest';
import { overhangOf, phone, settle, takePicture } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { callDomains, type DomainFields } from '../support/domain-calls.ts';

const dns = await startDnsServer();
afterAll(() => dns.close());

const { app, workspaceId, visitAs, member, staff } = useConsole({ dnsServers: [dns.address] });

const path = () => `/workspaces/${workspaceId()}/settings/domains`;

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
    await settle(page);
    expect(await overhangOf(page), name).toBe(0);
    await takePicture(page, name);
  };
  await open(path());
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
  await open(path());
  await chooseRowAction(page, 'Approve', 'approved.example.com');
  const question = page.getByRole('dialog', { name: 'Approve approved.example.com' });
  await question.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Verified', { exact: true }).waitFor();
  expect(await storedDomains()).toMatchObject([{ state: 'DOMAIN_STATE_VERIFIED' }]);
});
