// The main flows of the service, through a client that openapi-fetch makes from the types that
// openapi-typescript generates. Nothing here comes from Latchkey's own code.
import assert from 'node:assert/strict';
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../.cache/openapi/api.js';
import type { Demo, Flows } from './demo.js';

type Api = Client<paths>;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function openClient({ baseUrl }: Demo): Api {
  return createClient<paths>({ baseUrl });
}

/** Issues a token to the service client, and exchanges and verifies a customer's API key. */
async function tokens(demo: Demo): Promise<void> {
  const api = openClient(demo);
  const scope = 'tokens:read tokens:write';
  const issued = await api.POST('/tokens', {
    body: { client_id: demo.clientId, client_secret: demo.clientSecret, scope },
  });
  assert.equal(issued.data?.token_type, 'Bearer');
  assert.equal(issued.data.scope, scope);

  const exchanged = await api.POST('/tokens/api-key', { body: { api_key: demo.customerApiKey } });
  const token = exchanged.data?.access_token ?? '';
  assert.ok((exchanged.data?.expires_in ?? 0) <= 60);

  const headers = bearer(issued.data.access_token);
  const verified = await api.POST('/tokens/verify', { body: { token }, headers });
  assert.equal(verified.data?.active, true);
  assert.equal(verified.data.principal_type, 'customer');
  // An inactive token has no accounts.
  const { accounts: verifiedAccounts = [] } = verified.data;
  assert.ok(verifiedAccounts.length > 0);

  const accounts = await api.GET('/accounts', { headers: bearer(token) });
  assert.deepEqual(
    accounts.data?.accounts.map(({ id }) => id).toSorted(),
    verifiedAccounts.toSorted(),
  );

  await api.POST('/tokens/revoke', { body: { token }, headers });
  const refused = await api.GET('/accounts', { headers: bearer(token) });
  assert.equal(refused.error?.code, 'unauthenticated');
}

/** A refused request has a code, which the types list. */
async function errors(demo: Demo): Promise<void> {
  const api = openClient(demo);
  const { error, response } = await api.POST('/tokens', {
    body: { client_id: demo.clientId, client_secret: 'wrong', scope: 'tokens:read' },
  });
  assert.equal(response.status, 401);
  assert.equal(error?.code, 'identity.credential_invalid');
  assert.equal(error.error, 'invalid_client');
}

/** Uploads a document, downloads it, and shares it by a link that a reader opens. */
async function sharing(demo: Demo, text: string): Promise<void> {
  const api = openClient(demo);
  const headers = bearer(demo.workspaceApiKey);
  const uploaded = await api.POST('/api/v1/documents', {
    headers,
    // The generated type of a file is a string.
    body: { file: text, name: 'notes.txt' },
    bodySerializer({ file, name = '' }) {
      const form = new FormData();
      form.set('name', name);
      form.set('file', new Blob([file], { type: 'text/plain' }), 'notes.txt');
      return form;
    },
  });
  assert.equal(uploaded.response.status, 201);
  const document_id = uploaded.data?.id ?? '';
  assert.equal(uploaded.data?.size_bytes, text.length);

  const path = { document_id };
  const file = await api.GET('/api/v1/documents/{document_id}/file', {
    headers,
    params: { path },
    parseAs: 'text',
  });
  assert.equal(file.data, text);

  const created = await api.POST('/api/v1/links', {
    headers,
    body: { document_id, email_required: true, name: 'For the board' },
  });
  assert.equal(created.response.status, 201);
  assert.equal(created.data?.email_required, true);

  const slug = created.data.url.split('/').at(-1) ?? '';
  const opened = await api.GET('/s/{slug}', { params: { path: { slug } }, parseAs: 'text' });
  assert.match(String(opened.data), /type="email"/);

  const link_id = created.data.id;
  const views = await api.GET('/api/v1/links/{link_id}/views', {
    headers,
    params: { path: { link_id }, query: { page_size: 10 } },
  });
  assert.deepEqual(views.data, { views: [], next_page_token: '', total_size: 0 });
}

/** Corrects a document in a folder, shares it with two people, and sees who read it. */
async function teamwork(demo: Demo): Promise<void> {
  const api = openClient(demo);
  const headers = bearer(demo.workspaceApiKey);
  const folder = await api.POST('/api/v1/folders', { headers, body: { name: 'Board' } });
  assert.equal(folder.response.status, 201);
  const folder_id = folder.data?.id ?? '';

  const formOf = ({ file }: { file: string }) => {
    const form = new FormData();
    form.set('folder_id', folder_id);
    form.set('file', new Blob([file], { type: 'text/plain' }), 'plan.txt');
    return form;
  };
  const uploaded = await api.POST('/api/v1/documents', {
    headers,
    body: { file: 'First', folder_id },
    bodySerializer: formOf,
  });
  assert.equal(uploaded.data?.folder_id, folder_id);
  const document_id = uploaded.data.id;
  const path = { document_id };
  const corrected = await api.POST('/api/v1/documents/{document_id}/versions', {
    headers,
    params: { path },
    body: { file: 'Second' },
    bodySerializer({ file }) {
      const form = new FormData();
      form.set('file', new Blob([file], { type: 'text/plain' }), 'plan.txt');
      return form;
    },
  });
  assert.equal(corrected.data?.version, 2);
  const versions = await api.GET('/api/v1/documents/{document_id}/versions', {
    headers,
    params: { path },
  });
  assert.deepEqual(
    versions.data?.versions.map(({ version, current }) => [version, current]),
    [
      [2, true],
      [1, false],
    ],
  );
  const restored = await api.POST('/api/v1/documents/{document_id}/versions/{version}:restore', {
    headers,
    params: { path: { document_id, version: 1 } },
    body: {},
  });
  assert.equal(restored.data?.version, 1);

  const batch = await api.POST('/api/v1/links:batchCreate', {
    headers,
    body: {
      requests: ['ada@example.com', 'ben@example.com'].map((recipient) => ({
        ...{ document_id, recipient },
      })),
    },
  });
  const links = batch.data?.links ?? [];
  assert.deepEqual(
    links.map(({ recipient }) => recipient),
    ['ada@example.com', 'ben@example.com'],
  );

  // The links of recipients ask for a code, which is mailed.
  const open = await api.POST('/api/v1/links', {
    headers,
    body: { document_id, email_required: true },
  });
  const slug = open.data?.url.split('/').at(-1) ?? '';
  const gate = await api.POST('/s/{slug}', {
    params: { path: { slug } },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { email: 'ada@example.com' },
    bodySerializer: (body) => new URLSearchParams({ ...body }),
    redirect: 'manual',
  });
  const cookie = gate.response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const file = await api.GET('/s/{slug}/file', {
    headers: { cookie },
    params: { path: { slug } },
    parseAs: 'text',
  });
  assert.equal(file.data, 'First');
  const visitors = await api.GET('/api/v1/visitors', {
    headers,
    params: { query: { query: 'ada' } },
  });
  assert.deepEqual(
    visitors.data?.visitors.map(({ email, view_count }) => [email, view_count]),
    [['ada@example.com', 1]],
  );
  const email = 'ada@example.com';
  const views = await api.GET('/api/v1/visitors/{email}/views', {
    headers,
    params: { path: { email } },
  });
  assert.equal(views.data?.views[0]?.document_id, document_id);

  const missing = await api.GET('/api/v1/agreements/{agreement_id}/receipt', {
    headers,
    params: { path: { agreement_id: 'agr_0000000000000000000000' } },
  });
  assert.equal(missing.error?.code, 'not_found');
  const keys = await api.GET('/.well-known/receipts.json');
  assert.deepEqual(Object.keys(keys.data ?? {}), ['keys']);
}

/** Rotates a customer's API key, which needs a recent sign-in. `wait` lets five minutes pass. */
async function rotation(demo: Demo, wait: () => void): Promise<void> {
  const api = openClient(demo);
  const body = { email: demo.staffEmail, password: demo.staffPassword };
  const first = await api.POST('/sessions', { body });
  const session = first.response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const headers = bearer(first.data?.access_token ?? '');
  const customers = await api.GET('/customers', { headers });
  const customer_id = customers.data?.customers[0]?.id ?? '';
  const keys = await api.GET('/customers/{customer_id}/api-keys', {
    headers,
    params: { path: { customer_id } },
  });
  const key_id = keys.data?.keys[0]?.id ?? '';

  wait();
  const refreshed = await api.POST('/sessions/refresh', {
    headers: { cookie: session, origin: demo.baseUrl },
    body: {},
  });
  const rotate = (token: string) =>
    api.POST('/customers/{customer_id}/api-keys/{key_id}:rotate', {
      headers: bearer(token),
      params: { path: { customer_id, key_id } },
      body: { overlap_seconds: 0 },
    });
  const refused = await rotate(refreshed.data?.access_token ?? '');
  assert.equal(refused.error?.code, 'step_up_required');

  const again = await api.POST('/sessions', { body });
  const rotated = await rotate(again.data?.access_token ?? '');
  const api_key = rotated.data?.api_key ?? '';
  assert.match(api_key, /^lk_ck_/);

  const old = await api.POST('/tokens/api-key', { body: { api_key: demo.customerApiKey } });
  assert.equal(old.error?.code, 'identity.credential_invalid');
  const fresh = await api.POST('/tokens/api-key', { body: { api_key } });
  assert.equal(fresh.data?.token_type, 'Bearer');
}

export const flows: Flows = { tokens, errors, sharing, teamwork, rotation };
