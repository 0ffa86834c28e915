// Every page of the console with data, as in the pictures of the documentation.
import { decodeJwt } from 'jose';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { desktop, keepPicture, phone } from '../support/browser-pages.ts';
import { type ConsoleUser, useConsole } from '../support/console-suite.ts';
import { addInvitation } from '../support/invitation-rows.ts';
import { addViews, dayMs } from '../support/link-rows.ts';
import { credentialFor } from '../support/member-rows.ts';
import { addPasskeyRow } from '../support/passkeys.ts';
import { makeReport } from '../support/report-pdf.ts';
import { findFailures, itHoldsFor } from '../support/rule.ts';
import { floorPlan, payments } from '../support/sample-files.ts';
import { callSharingApi, type LinkFields, makeLink, upload } from '../support/sharing-api.ts';
import { addKeyHistory } from '../support/signing-key-rows.ts';
import { addSession, addTotp } from '../support/user-rows.ts';

const { app, workspaceId, visit, visitAs, staff, member } = useConsole();

const tall = { ...desktop, viewport: { width: 1280, height: 900 } };

let owner: ConsoleUser;
let admin: ConsoleUser;
let link: LinkFields;
let customerId: string;
let invitationToken: string;
let emptyWorkspaceId: string;
let leaver: ConsoleUser;
let tokenId: string;

beforeAll(async () => {
  const address = { email: 'workspace@example.com', name: 'Alex Kim' };
  owner = await member('owner', workspaceId(), address);
  admin = await staff(undefined, { email: 'operator@example.com', name: 'Sam Rivera' });
  const { db } = app().app.inside;
  customerId = (await db.selectFrom('customers').select('id').executeTakeFirstOrThrow()).id;
  await member('member', workspaceId(), { name: 'Jane Doe', email: 'jane@example.com' });
  const invitation = await addInvitation(app(), 'grace@example.com', workspaceId());
  invitationToken = invitation.token;
  const inviter = { name: 'Robin Park', email: 'robin@example.com' };
  await db.updateTable('users').set(inviter).where('id', '=', invitation.inviter_id).execute();
  emptyWorkspaceId = await addWorkspace('Spring campaign');
  await addTotp(app(), owner.id);
  await addDocuments();
  await addKeys();
  await addSigningKeys();
  await addLeaver();
  tokenId = await useToken();
});

async function addWorkspace(name: string): Promise<string> {
  const token = { type: 'staff', scope: 'workspaces:write', sub: admin.id } as const;
  const response = await fetch(`${app().app.publicUrl}/workspaces`, {
    method: 'POST',
    headers: { ...(await credentialFor(app(), token)), 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const { id } = (await response.json()) as { id: string };
  return id;
}

async function addDocuments(): Promise<void> {
  await upload(app(), Buffer.from(floorPlan), 'Floor plan.svg');
  await upload(app(), Buffer.from(payments), 'Payments.csv');
  await upload(app(), makeReport(), 'Price list 2027.pdf');
  const report = await upload(app(), makeReport(), 'Quarterly report.pdf');
  const { id } = await makeLink(app(), report.id, { name: 'Draft for the board' });
  await callSharingApi(app(), 'DELETE', `/links/${id}`);
  await makeLink(app(), report.id, { name: 'Website' });
  const options = { name: 'To investors', email_required: true, email_verification_required: true };
  link = await makeLink(app(), report.id, options);
  const now = Date.now();
  const daysAgo = [0, 0, 1, 1, 1, 1, 2, 2, 5, 6, 6, 6, 7, 7, 8, 9, 12, 13, 13, 14, 14, 15, 19, 20];
  const views = daysAgo.map((days, at) => ({
    time: now - days * dayMs - at * 60_000,
    pages: { 1: 20_000 + at * 1000, 2: 65_000 - at * 900, 3: 15_000, 4: at % 3 === 0 ? 40_000 : 0 },
  }));
  await addViews(app(), link, views.reverse());
}

async function addKeys(): Promise<void> {
  const scope = 'api_keys:write documents:read documents:write links:read links:write';
  const { authorization } = await credentialFor(app(), { type: 'staff', scope, sub: admin.id });
  for (const [name, scopes, days] of [
    ['Website', ['documents:read', 'links:read'], 90],
    ['Nightly upload', ['documents:read', 'documents:write'], undefined],
    ['CRM', ['links:read', 'links:write'], 365],
  ] as const) {
    await fetch(`${app().app.publicUrl}/api/v1/api-keys`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        workspace_id: workspaceId(),
        name,
        scopes,
        ...(days === undefined
          ? {}
          : { expire_time: new Date(Date.now() + days * dayMs).toISOString() }),
      }),
    });
  }
}

async function addSigningKeys(): Promise<void> {
  await addKeyHistory(app().app.inside.db);
  const token = { type: 'staff', scope: 'signing_keys:write', sub: admin.id } as const;
  const headers = await credentialFor(app(), token);
  await fetch(`${app().app.publicUrl}/signing-keys`, { method: 'POST', headers });
}

/** A person with some of each kind of access. */
async function addLeaver(): Promise<void> {
  leaver = await member('admin', workspaceId(), { name: 'Kai Lindgren', email: 'kai@example.com' });
  const { db } = app().app.inside;
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  await addSession(db, leaver.id, { userAgent });
  await addPasskeyRow(db, leaver.id);
  const own = { creator_id: leaver.id };
  await db.updateTable('credentials').set(own).where('name', 'in', ['CRM', 'Website']).execute();
  await db.updateTable('links').set(own).where('name', '=', 'To investors').execute();
}

/** Makes three calls with a token, and returns its id. */
async function useToken(): Promise<string> {
  const { CLIENT_ID, CLIENT_SECRET } = app().env;
  const post = async (path: string, body: object, authorization = {}) => {
    const response = await fetch(`${app().app.publicUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { readonly access_token: string };
  };
  const request = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: 'tokens:write' };
  const { access_token: token } = await post('/tokens', request);
  const { access_token: other } = await post('/tokens', request);
  const bearer = { authorization: `Bearer ${token}` };
  await post('/tokens/revoke', { token: other }, bearer);
  await post('/workspaces', { name: 'Copies' }, bearer);
  await post('/clients', { name: 'Backdoor' }, bearer);
  const id = String(decodeJwt(token).jti);
  const events = app().app.inside.db.selectFrom('audit_events').where('token_id', '=', id);
  const isWritten = async () => (await events.select('id').execute()).length === 3;
  await vi.waitUntil(isWritten, { timeout: 10_000 });
  return id;
}

type Setting = {
  readonly path: () => string;
  readonly options?: BrowserContextOptions;
  /** By default, the staff user. */
  readonly who?: () => ConsoleUser;
  /** Opens a dialog or a menu. */
  readonly prepare?: (page: Page) => Promise<void>;
};

const below = (rest: string) => () => `/workspaces/${workspaceId()}/${rest}`;
const ofOwner = { who: () => owner };
const staffUser = () => admin;
const dark = { ...desktop, colorScheme: 'dark' } as const;
const documentPage = () => below(`documents/${link.document_id}`)();
const linkPage = () => below(`links/${link.id}`)();
const clickOn = (name: string) => (page: Page) => page.getByRole('button', { name }).click();

const settings: Record<string, Setting> = {
  documents: { path: below('documents'), ...ofOwner },
  'documents-dark': { path: below('documents'), options: dark },
  'documents-phone': { path: below('documents'), options: phone, ...ofOwner },
  share: { path: below('documents'), ...ofOwner, prepare: openShare },
  'documents-empty': { path: () => `/workspaces/${emptyWorkspaceId}/documents` },
  document: { path: documentPage, ...ofOwner, prepare: pagesDrawn },
  'document-dark': { path: documentPage, ...ofOwner, options: dark, prepare: pagesDrawn },
  'document-phone': { path: documentPage, ...ofOwner, options: phone, prepare: pagesDrawn },
  links: { path: below('links'), ...ofOwner },
  'links-phone': { path: below('links'), ...ofOwner, options: phone },
  link: { path: linkPage, ...ofOwner, options: tall },
  'link-dark': { path: linkPage, ...ofOwner, options: dark },
  'link-dialog': { path: below('links'), options: tall, ...ofOwner, prepare: openLinkDialog },
  members: { path: below('members'), ...ofOwner },
  'api-keys': { path: below('settings/api-keys'), ...ofOwner },
  'api-key': { path: below('settings/api-keys'), ...ofOwner, prepare: createKey },
  general: { path: below('settings/general'), ...ofOwner },
  workspaces: { path: () => '/workspaces' },
  clients: { path: () => '/clients' },
  client: { path: () => `/clients/${app().env.CLIENT_ID}` },
  customers: { path: () => '/customers' },
  customer: { path: () => `/customers/${customerId}` },
  accounts: { path: () => '/accounts' },
  'signing-keys': { path: () => '/signing-keys' },
  users: { path: () => '/users' },
  user: { path: () => `/users/${admin.id}` },
  audit: { path: () => '/audit' },
  'audit-event': { path: () => '/audit', prepare: openEvent },
  'audit-token': { path: () => `/audit?token_id=${tokenId}` },
  access: { path: () => `/users/${leaver.id}/access`, options: tall },
  'revoke-access': { path: () => `/users/${leaver.id}/access`, prepare: askToRevoke },
  account: { path: () => '/account', ...ofOwner },
  'recovery-codes': { path: () => '/account', ...ofOwner, prepare: openRecoveryCodes },
  palette: { path: below('documents'), prepare: openPalette },
};

/** Waits for the small pictures of the pages, which are drawn one after the other. */
async function pagesDrawn(page: Page): Promise<void> {
  const drawn = page.locator(
    'section[aria-label="Chart of the average time per page"] canvas[data-drawn]',
  );
  await expect.poll(() => drawn.count()).toBe(4);
}

async function openShare(page: Page): Promise<void> {
  await clickOn('Share “Quarterly report.pdf”')(page);
  await page.getByRole('button', { name: 'Create and copy link' }).click();
  await page.getByRole('dialog', { name: /^Link created/ }).waitFor();
}

async function openLinkDialog(page: Page): Promise<void> {
  await clickOn('Create link')(page);
  await page.getByRole('dialog', { name: 'Create link' }).waitFor();
}

/** A new key, which is shown once. */
async function createKey(page: Page): Promise<void> {
  await clickOn('Create API key')(page);
  await page.getByLabel('Name').fill('Weekly report');
  await page.getByRole('checkbox', { name: /^documents:read/ }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('dialog', { name: /^New API key/ }).waitFor();
}

async function openRecoveryCodes(page: Page): Promise<void> {
  await clickOn('Create recovery codes')(page);
  await page.getByRole('dialog').getByText('Each code works once.').waitFor();
}

async function openEvent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Details of LinkService.RevokeLink' }).first().click();
  await page.getByRole('dialog').waitFor();
}

async function askToRevoke(page: Page): Promise<void> {
  await clickOn('Revoke all access')(page);
  await page.getByRole('dialog').getByText('It takes effect within a second').waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await clickOn('Search or go to')(page);
  await page.getByRole('textbox', { name: 'Search or go to' }).waitFor();
}

itHoldsFor([
  ['staff on a desktop', staffUser, desktop, 15],
  ['staff in a tall window', staffUser, tall, 1],
  ['staff in dark mode', staffUser, dark, 1],
  ['an owner on a desktop', ofOwner.who, desktop, 10],
  ['an owner in a tall window', ofOwner.who, tall, 2],
  ['an owner in dark mode', ofOwner.who, dark, 2],
  ['an owner on a phone', ofOwner.who, phone, 3],
])('the pages of the pictures open', async (_, user, options, count) => {
  const own = Object.entries(settings).filter(
    ([, one]) => (one.who ?? staffUser) === user && (one.options ?? desktop) === options,
  );
  expect(own).toHaveLength(count);
  const { page, open } = await visitAs(user(), options);
  const failures = await findFailures(own, async (name, { path, prepare }) => {
    await open(path());
    await prepare?.(page);
    await keepPicture(page, `console-${name}`);
  });
  expect(failures).toEqual([]);
});

it('the pages of the pictures open for users who are not signed in', async () => {
  const { page, open } = await visit();
  for (const [name, path] of [
    ['sign-in', '/sign-in'],
    ['forgot-password', '/forgot-password'],
    ['reset-password', '/reset-password#token'],
    ['invitation', `/invitation#${invitationToken}`],
  ] as const) {
    await open(path);
    await page.locator('form').waitFor();
    await keepPicture(page, `console-${name}`);
  }
});
