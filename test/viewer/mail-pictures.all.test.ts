// The mails, and a gate, in the brand of a workspace, as in the pictures of the documentation.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { keepPicture, phone } from '../support/browser-pages.ts';
import { mailsOf } from '../support/gate-visitor.ts';
import { openLink } from '../support/link-views.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { makeReport } from '../support/report-pdf.ts';
import { drawLogo } from '../support/sample-files.ts';
import { callSharingApi, type LinkFields, upload } from '../support/sharing-api.ts';
import { addUser } from '../support/user-rows.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read, share } = useViewer();

const creator = 'jane@example.com';
let link: LinkFields;
let own: { authorization: string };

beforeAll(async () => {
  const { db } = app().app.inside;
  const user = { kind: 'member', email: creator, name: 'Jane Doe' } as const;
  const { id: sub } = await addUser(db, user);
  await addMember(db, app().env.WORKSPACE_ID, 'admin', sub);
  own = await credentialFor(app(), { type: 'member', sub, scope: memberScope });
  const { id: document_id } = await upload(app(), makeReport(), 'Quarterly report.pdf');
  const options = { name: 'To investors', email_required: true, notify: 'NOTIFY_FIRST_VIEW' };
  const created = await callSharingApi<LinkFields>(
    ...([app(), 'POST', '/links', { document_id, ...options }, own] as const),
  );
  link = created.body;
});

/** Shows the newest mail to an address as a mail program does. */
async function showMail(page: Page, to: string): Promise<void> {
  const found = async () => (await mailsOf(app())).filter((mail) => mail.to === to).at(-1);
  await expect.poll(found, { timeout: 20_000 }).toBeDefined();
  await page.setViewportSize({ width: 640, height: 480 });
  await page.setContent((await found())?.html ?? '');
  await page.waitForLoadState('networkidle');
}

it('the mail with a code is shown', async () => {
  const required = { email_required: true, email_verification_required: true };
  const { url } = await share(makeReport(), 'Quarterly report.pdf', required);
  const { page, complaints } = await read();
  await page.goto(url);
  await page.getByLabel('Email address').fill('reader@example.com');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Code').waitFor();
  const { page: mail, complaints: ofMail } = await read();
  await showMail(mail, 'reader@example.com');
  await keepPicture(mail, 'mail-code');
  expect([...complaints, ...ofMail]).toEqual([]);
});

it('the mail about a new device is shown', async () => {
  const own = { email: 'ann@example.com', password: 'correct horse battery staple' };
  await addUser(app().app.inside.db, { kind: 'member', ...own });
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(own) };
  for (let i = 0; i < 2; i++) await fetch(`${app().app.publicUrl}/sessions`, request);
  const { page, complaints } = await read();
  await showMail(page, own.email);
  await keepPicture(page, 'mail-new-device');
  expect(complaints).toEqual([]);
});

it('mails and a gate in the brand of a workspace are shown', { timeout: 60_000 }, async () => {
  const { page, complaints } = await read();
  await setBrand(await drawLogo(page));
  await openLink(link, 'grace@example.com');
  await showMail(page, creator);
  await keepPicture(page, 'mail-views');

  const invitation = { email: 'robin@example.com', role: 'MEMBER_ROLE_MEMBER' };
  const address = `${app().app.publicUrl}/workspaces/${app().env.WORKSPACE_ID}/invitations`;
  const headers = { ...own, 'content-type': 'application/json' };
  await fetch(address, { method: 'POST', headers, body: JSON.stringify(invitation) });
  await showMail(page, invitation.email);
  await keepPicture(page, 'mail-invitation');

  const { page: gate, complaints: ofGate } = await read(phone);
  await gate.goto(link.url);
  await gate.getByLabel('Email address').waitFor();
  await gate.waitForLoadState('networkidle');
  await keepPicture(gate, 'gate-brand');
  expect([...complaints, ...ofGate]).toEqual([]);
});

/** The color and the logo of the workspace. */
async function setBrand(logo: Buffer): Promise<void> {
  const url = `${app().app.publicUrl}/workspaces/${app().env.WORKSPACE_ID}`;
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(logo)]), 'logo.png');
  const put = await fetch(`${url}/logo`, { method: 'PUT', headers: own, body: form });
  const patched = await fetch(url, {
    method: 'PATCH',
    headers: { ...own, 'content-type': 'application/json' },
    body: JSON.stringify({ brand: { accent_color: '#0b6e4f' } }),
  });
  expect([put.status, patched.status]).toEqual([200, 200]);
}
