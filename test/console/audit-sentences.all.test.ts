// The sentences of the audit log.
import { beforeAll, expect, it } from 'vitest';
import { shortId } from '../../web/console/shared/short-id.ts';
import { auditEventRow } from '../support/audit-rows.ts';
import { type ConsoleUser, contentLoaded, useConsole } from '../support/console-suite.ts';
import { addInvitation } from '../support/invitation-rows.ts';
import { addClient, addWorkspace } from '../support/owner-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { callSharingApi, makeLink, upload } from '../support/sharing-api.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { app, workspaceId, visitAs, staff } = useConsole();

type Event = {
  readonly action: string;
  readonly target: string;
  readonly sentence: string;
  readonly code?: string;
  readonly actor_type?: string;
  readonly actor_id?: string;
};

const address = '192.0.2.99';

let events: readonly Event[];
let linkId: string;
let operator: ConsoleUser;

beforeAll(async () => {
  const { db } = app().app.inside;
  operator = await staff(undefined, { name: 'Sam Rivera' });
  const jane = await addUser(db, { kind: 'member', name: 'Jane Doe' });
  const imitator = await addUser(db, { kind: 'member', name: 'Latchkey' });
  const quoted = await upload(app(), makePdf({ pages: 1, text: 'A' }), 'A” and “B.pdf');
  const alex = await addUser(db, { kind: 'member', name: '', email: 'alex@example.com' });
  const document = await upload(app(), makePdf({ pages: 1, text: 'Plan' }), 'Plan.pdf');
  linkId = (await makeLink(app(), document.id, { name: 'For the board' })).id;
  const unnamed = await makeLink(app(), document.id);
  const gone = await upload(app(), makePdf({ pages: 1, text: 'Gone' }), 'Gone.pdf');
  await callSharingApi(app(), 'DELETE', `/documents/${gone.id}`);
  const client = await addClient(db, '');
  const workspace = await addWorkspace(db, '');
  const invitation = await addInvitation(app(), 'grace@example.com', workspace.ownerId);
  const session = await addSession(db, alex.id);
  const own = await addSession(db, jane.id);
  await db
    .updateTable('workspaces')
    .set({ name: 'Acme' })
    .where('id', '=', workspaceId())
    .execute();
  const key = { actor_type: 'workspace_key', actor_id: workspace.credentialId };
  const anyone = { actor_type: 'anonymous', actor_id: '', code: 'unauthenticated' };
  events = [
    {
      ...{ action: 'LinkService.RevokeLink', target: linkId },
      sentence: 'Member Jane Doe revoked the link “For the board” of “Plan.pdf”',
    },
    {
      ...{ action: 'LinkService.CreateLink', target: unnamed.id },
      sentence: 'Member Jane Doe created the link to “Plan.pdf”',
    },
    {
      ...{ action: 'DocumentService.UpdateDocument', target: document.id },
      sentence: 'Member Jane Doe changed the document “Plan.pdf” in “Acme”',
    },
    {
      ...{ action: 'DocumentService.DeleteDocument', target: gone.id },
      sentence: `Member Jane Doe deleted the document ${shortId(gone.id)}`,
    },
    {
      ...{ action: 'ApiKeyService.RevokeApiKey', target: workspace.credentialId },
      sentence: 'Member Jane Doe revoked the API key “Test credential” in “Test workspace”',
    },
    {
      ...{ action: 'WorkspaceService.CreateInvitation', target: invitation.id },
      sentence: 'Member Jane Doe sent the invitation for grace@example.com to “Test workspace”',
    },
    {
      ...{ action: 'WorkspaceService.PutMember', target: alex.id },
      sentence: 'Member Jane Doe set the role of the member alex@example.com',
    },
    {
      ...{ action: 'SessionService.RevokeUserSession', target: session.id },
      sentence: `Member Jane Doe signed out the session ${shortId(session.id)} of alex@example.com`,
    },
    {
      ...{ action: 'SessionService.RevokeSession', target: own.id },
      sentence: `Member Jane Doe signed out the session ${shortId(own.id)}`,
    },
    {
      ...{ action: 'ClientService.CreateClientSecret', target: client.credentialId },
      sentence: 'Member Jane Doe created the client secret “Test credential” of “Test client”',
    },
    {
      ...{ action: 'ClientService.RevokeClientSecret', target: client.ownerId, code: 'forbidden' },
      sentence: 'Member Jane Doe tried to revoke the client secret of “Test client”',
    },
    {
      ...{ action: 'ClientService.RotateClientSecret', target: client.ownerId },
      sentence: 'Member Jane Doe rotated a secret of “Test client”',
    },
    {
      ...{ action: 'UserService.CreateUser', target: alex.id },
      ...{ actor_type: 'service', actor_id: client.ownerId },
      sentence: 'Client “Test client” created the user alex@example.com',
    },
    {
      ...{ action: 'DocumentService.UploadDocument', target: document.id, ...key },
      sentence: 'API key “Test credential” uploaded the document “Plan.pdf” in “Acme”',
    },
    {
      ...{ action: 'DocumentService.ListDocuments', target: workspace.credentialId, ...anyone },
      sentence:
        'Someone who isn’t signed in tried to list documents with the API key “Test credential” ' +
        'in “Test workspace”',
    },
    {
      ...{ action: 'UserService.CreateUser', target: '', actor_type: 'service', actor_id: '' },
      ...{ code: 'forbidden', sentence: 'A client tried to create a user' },
    },
    {
      ...{ action: 'DocumentService.UploadDocument', target: quoted.id, actor_id: imitator.id },
      sentence: 'Member Latchkey uploaded the document “A" and "B.pdf” in “Acme”',
    },
    {
      ...{ action: 'Staff.Recover', target: jane.id, actor_type: 'system', actor_id: '' },
      sentence: 'Latchkey restored the access of Jane Doe',
    },
  ];
  const now = Date.now();
  const rows = events.map(({ sentence, ...event }, i) =>
    auditEventRow({
      ...{ actor_type: 'member', actor_id: jane.id, address, create_time: now - i },
      ...event,
    }),
  );
  await db.insertInto('audit_events').values(rows).execute();
});

it('the sentences of the audit log have names, which need no other request', async () => {
  const { page, open } = await visitAs(operator);
  const called: string[] = [];
  page.on('request', (request) => {
    const [, method] = /\/latchkey\.[\w.]+\/(\w+)/.exec(request.url()) ?? [];
    if (method !== undefined) called.push(method);
  });
  await open('/audit');
  const rows = page.getByRole('row').filter({ hasText: address });
  await expect.poll(() => rows.count()).toBe(events.length);
  await contentLoaded(page);
  const sentences = await page.evaluate<string[]>(`(() => {
    const rows = [...document.querySelectorAll('tbody tr')];
    return rows.filter((row) => row.textContent.includes('${address}')).map((row) => {
      const cell = row.querySelector('td').cloneNode(true);
      // The whole id, for screen readers.
      for (const short of cell.querySelectorAll('[aria-hidden]')) short.nextSibling.remove();
      return cell.textContent;
    });
  })()`);
  expect(sentences).toEqual(events.map(({ sentence }) => sentence));
  expect(called.filter((method) => method === 'ListAuditEvents')).toHaveLength(1);
  expect(called.filter((method) => method.startsWith('Get'))).toEqual([]);
});

it('a name in a sentence opens the page of the resource', async () => {
  const { page, open } = await visitAs(operator);
  await open('/audit');
  const row = page.getByRole('row', { name: 'Member Jane Doe revoked the link' });
  await row.getByRole('link', { name: 'Plan.pdf' }).click();
  await page.getByRole('heading', { level: 1, name: 'Plan.pdf' }).waitFor();
  await page.goBack();
  await row.getByRole('button', { name: 'Details' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('“For the board” of “Plan.pdf”').waitFor();
  await dialog.getByRole('button', { name: 'Copy target ID' }).waitFor();
  await dialog.getByRole('link', { name: 'Acme' }).waitFor();
  await dialog.getByRole('link', { name: 'For the board' }).first().click();
  await expect
    .poll(() => new URL(page.url()).pathname)
    .toBe(`/console/workspaces/${workspaceId()}/links/${linkId}`);
});

it('a user without the scopes of the lists sees ids', async () => {
  const { page, open } = await visitAs(await staff(['audit:read', 'clients:read']));
  await open(`/audit?target=${linkId}&action=LinkService.RevokeLink`);
  const row = page.getByRole('row', { name: 'revoked the link' });
  await row.getByText(shortId(linkId), { exact: true }).waitFor();
  await expect.poll(() => page.getByText(/For the board|Plan\.pdf|Jane/).count()).toBe(0);
  expect(await row.getByRole('link').count()).toBe(0);
});
