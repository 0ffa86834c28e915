// Flows of document sharing, through the functions and types that @hey-api/openapi-ts generates.
// Nothing here comes from Latchkey's own code.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createClient } from '../../.cache/openapi/sdk/client/index.js';
import * as sdk from '../../.cache/openapi/sdk/index.js';
import type { Demo, SharingFlows } from './demo.js';

type Api = ReturnType<typeof createClient>;

const openClient = ({ baseUrl, workspaceApiKey }: Demo): Api =>
  createClient({ baseUrl, auth: () => workspaceApiKey });

const textFile = (text: string) => new File([text], 'plan.txt', { type: 'text/plain' });

async function uploadPlan(client: Api, folder_id = ''): Promise<sdk.Document> {
  const body = { file: textFile('First'), ...(folder_id === '' ? {} : { folder_id }) };
  const { data } = await sdk.documentServiceUploadDocument({ client, body });
  assert.ok(data);
  return data;
}

const slugOf = ({ url }: sdk.Link) => url.split('/').at(-1) ?? '';

/** A reader of a link: passes the steps of its gate, and keeps the cookies. */
function openReader({ baseUrl }: Demo, link: sdk.Link) {
  const cookies = new Map<string, string>();
  const client = createClient({ baseUrl, redirect: 'manual' });
  client.interceptors.request.use((request) => {
    request.headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
    return request;
  });
  client.interceptors.response.use((response) => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const [name = '', ...value] = pair.split('=');
      cookies.set(name, value.join('='));
    }
    return response;
  });
  const path = { slug: slugOf(link) };
  return {
    client,
    path,
    async submit(body: NonNullable<sdk.SubmitGateData['body']>): Promise<void> {
      const { response } = await sdk.submitGate({ client, path, body });
      assert.equal(response?.status, 303);
    },
  };
}

/** Corrects a document, restores and deletes a version, and lists them. */
async function versions(demo: Demo): Promise<void> {
  const client = openClient(demo);
  const { id: document_id } = await uploadPlan(client);
  const path = { document_id };
  const body = { file: textFile('Second'), name: 'Plan' };
  const corrected = await sdk.documentServiceUploadVersion({ client, path, body });
  assert.deepEqual([corrected.data?.version, corrected.data?.name], [2, 'Plan']);
  const version = { document_id, version: 1 };
  const restored = await sdk.documentServiceRestoreVersion({ client, path: version, body: {} });
  assert.equal(restored.data?.version, 1);
  const inUse = await sdk.documentServiceDeleteVersion({ client, path: version });
  assert.equal(inUse.error?.code, 'conflict');
  const other = { document_id, version: 2 };
  await sdk.documentServiceDeleteVersion({ client, path: other, throwOnError: true });
  const listed = await sdk.documentServiceListVersions({ client, path });
  assert.deepEqual(
    listed.data?.versions.map((one) => [one.version, one.current]),
    [[1, true]],
  );
  const file = await sdk.documentServiceDownloadDocument({ client, path });
  assert.equal(await file.data?.text(), 'First');
}

/** Shares a folder as a room, whose reader lists its entries and reads a document. */
async function rooms(demo: Demo): Promise<void> {
  const client = openClient(demo);
  const created = await sdk.folderServiceCreateFolder({ client, body: { name: 'Due diligence' } });
  const folder_id = created.data?.id ?? '';
  const nested = { name: 'Annexes', parent_id: folder_id };
  await sdk.folderServiceCreateFolder({ client, body: nested, throwOnError: true });
  const document = await uploadPlan(client, folder_id);
  const again = await sdk.folderServiceCreateFolder({ client, body: { name: 'Due diligence' } });
  assert.equal(again.error?.code, 'conflict');
  const { data: link } = await sdk.linkServiceCreateLink({
    client,
    body: { folder_id, email_required: true, watermark: false },
  });
  assert.ok(link);

  const reader = openReader(demo, link);
  await reader.submit({ email: 'ada@example.com' });
  const entries = await sdk.listRoomEntries(reader);
  assert.equal(entries.data?.folder.name, 'Due diligence');
  assert.deepEqual(
    entries.data.entries.map(({ name, content_type }) => [name, content_type]),
    [
      ['Annexes', undefined],
      ['plan.txt', 'text/plain'],
    ],
  );
  const path = { ...reader.path, document_id: document.id };
  const file = await sdk.getLinkFileInRoom({ client: reader.client, path, parseAs: 'text' });
  assert.equal(String(file.data), 'First');
}

/** Sends one link to each recipient, with a text for all of them. */
async function batch(demo: Demo): Promise<void> {
  const client = openClient(demo);
  const { id: document_id } = await uploadPlan(client);
  const recipients = ['cleo@example.com', 'dan@example.com'];
  const requests = recipients.map((recipient) => ({
    ...{ document_id, recipient, mail_recipient: true },
  }));
  const body = { requests, mail_message: 'The plan.' };
  const sent = await sdk.linkServiceBatchCreateLinks({ client, body });
  assert.deepEqual(
    sent.data?.links.map(({ recipient }) => recipient),
    recipients,
  );
  const bad = { requests: [{ document_id, recipient: 'not an address' }] };
  const { error } = await sdk.linkServiceBatchCreateLinks({ client, body: bad });
  assert.deepEqual(
    error?.errors?.map(({ field }) => field),
    ['requests[0].recipient'],
  );
}

/** A reader accepts an agreement, and its receipt can be verified with the published keys. */
async function agreements(demo: Demo, lastCode: (email: string) => Promise<string>) {
  const client = openClient(demo);
  const { id: document_id } = await uploadPlan(client);
  const agreement = 'I keep it secret.';
  const { data: link } = await sdk.linkServiceCreateLink({
    client,
    body: { document_id, agreement, email_required: true },
  });
  assert.equal(link?.email_verification_required, true);
  const email = 'eve@example.com';
  const reader = openReader(demo, link);
  await reader.submit({ email });
  await reader.submit({ code: await lastCode(email) });
  const digest = createHash('sha256').update(agreement).digest('hex');
  await reader.submit({ agreement: digest });
  const file = await sdk.getLinkFile({ ...reader, parseAs: 'text' });
  assert.equal(String(file.data), 'First');

  const views = await sdk.linkServiceListLinkViews({ client, path: { link_id: link.id } });
  const agreement_id = views.data?.views[0]?.agreement_id ?? '';
  const path = { agreement_id };
  const { data: receipt } = await sdk.linkServiceGetAgreementReceipt({ client, path });
  const [head = '', claims = ''] = receipt?.receipt.split('.') ?? [];
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.equal(decode(claims).agreement_sha256, digest);
  const keys = await sdk.receiptKeys({ client });
  assert.ok(keys.data?.keys.some(({ kid }) => kid === decode(head).kid));
}

/** Who read a document, as list, as CSV and erased; and a link with a watermark. */
async function visitors(demo: Demo): Promise<void> {
  const client = openClient(demo);
  const { id: document_id } = await uploadPlan(client);
  const { data: link } = await sdk.linkServiceCreateLink({
    client,
    body: { document_id, email_required: true, allow_download: true },
  });
  assert.ok(link);
  const email = 'finn@example.com';
  const reader = openReader(demo, link);
  await reader.submit({ email });
  await sdk.getLinkFile({ ...reader, parseAs: 'text' });
  const found = await sdk.visitorServiceListVisitors({ client, query: { query: 'finn' } });
  assert.deepEqual(
    found.data?.visitors.map((one) => [one.email, one.view_count]),
    [[email, 1]],
  );
  const one = await sdk.visitorServiceGetVisitor({ client, path: { email } });
  assert.equal(one.data?.email, email);
  const csv = await sdk.visitorServiceExportVisitors({ client, parseAs: 'text' });
  assert.match(csv.data ?? '', /finn@example\.com/);
  const marked = await sdk.linkServiceUpdateLink({
    client,
    path: { link_id: link.id },
    body: { watermark: true, allow_download: false },
  });
  // Text has no pages for the watermark.
  assert.deepEqual(marked.data?.warnings, ['LINK_WARNING_NOTHING_TO_OPEN']);
  await sdk.visitorServiceDeleteVisitor({ client, path: { email }, throwOnError: true });
  const erased = await sdk.visitorServiceGetVisitor({ client, path: { email } });
  assert.equal(erased.error?.code, 'not_found');
}

/** Adds a domain to the workspace, which is not verified without its record. */
async function domains(demo: Demo): Promise<void> {
  const { baseUrl, staffEmail, staffPassword } = demo;
  const signedIn = await sdk.sessionServiceSignIn({
    client: createClient({ baseUrl }),
    body: { email: staffEmail, password: staffPassword },
  });
  const token = signedIn.data?.access_token ?? '';
  const client = createClient({ baseUrl, auth: () => token });
  const workspaces = await sdk.workspaceServiceListWorkspaces({ client });
  const workspace_id = workspaces.data?.workspaces[0]?.id ?? '';
  const name = 'docs.example.com';
  const path = { workspace_id };
  const created = await sdk.domainServiceCreateDomain({ client, path, body: { name } });
  assert.equal(created.data?.state, 'DOMAIN_STATE_PENDING');
  assert.match(created.data.txt_name, /docs\.example\.com$/);
  const listed = await sdk.domainServiceListDomains({ client, path });
  assert.deepEqual(
    listed.data?.domains.map((domain) => domain.name),
    [name],
  );
  const own = { workspace_id, domain_id: created.data.id };
  await sdk.domainServiceDeleteDomain({ client, path: own, throwOnError: true });
  const deleted = await sdk.domainServiceGetDomain({ client, path: own });
  assert.equal(deleted.error?.code, 'not_found');
}

export const sharingFlows: SharingFlows = {
  ...{ versions, rooms, batch, agreements, visitors, domains },
};
