// The kinds of write transactions that a node runs, each as a request.
import { randomBytes } from 'node:crypto';
import { type Calls, type CampaignAnswer, describeAnswer } from '../../support/campaign-calls.ts';

type Answer = Promise<CampaignAnswer | undefined>;

/** Prepares a request, and returns the function that sends it. */
export type PrepareWrite = () => Promise<() => Answer>;

export type WriteKind = {
  /** A statement that only the transaction of this kind contains. */
  readonly statement: RegExp;
  readonly prepare: PrepareWrite;
};

const newBytes = () => new Uint8Array(randomBytes(1000));

/** The API key belongs to a workspace; the origin is that of the node. */
export async function transactionKinds(
  calls: Calls,
  key: string,
  origin: string,
): Promise<Record<string, WriteKind>> {
  async function created(answer: Answer): Promise<Record<string, unknown>> {
    const done = await answer;
    if (done === undefined || done.status >= 300) throw new Error(describeAnswer(done));
    return done.body;
  }
  const staff = await calls.signIn();
  const newDocument = async () => String((await created(calls.upload(newBytes(), key))).id);
  const kept = await newDocument();
  const fields = { document_id: kept, allow_download: true };
  const createLink = () => calls.json('POST', '/api/v1/links', key, fields);
  const newLink = () => created(createLink());
  const createClient = () =>
    calls.json('POST', '/clients', staff, { name: 'Frozen', scopes: ['tokens:read'] });
  async function newClient(): Promise<{ id: string; secret: string }> {
    const { client, client_secret } = await created(createClient());
    return { id: String((client as { id?: unknown }).id), secret: String(client_secret) };
  }
  const createFolder = () =>
    calls.json('POST', '/api/v1/folders', key, { name: randomBytes(6).toString('hex') });
  const createWorkspace = () => calls.json('POST', '/workspaces', staff, { name: 'Frozen' });

  const { id: workspaceId } = await created(createWorkspace());

  const write = (statement: RegExp, prepare: PrepareWrite): WriteKind => ({ statement, prepare });

  return {
    upload: write(/into "documents"/, async () => () => calls.upload(newBytes(), key)),
    'delete a document': write(/from "documents"/, async () => {
      const id = await newDocument();
      return () => calls.json('DELETE', `/api/v1/documents/${id}`, key);
    }),
    'rename a document': write(/update "documents"/, async () => {
      const id = await newDocument();
      return () => calls.json('PATCH', `/api/v1/documents/${id}`, key, { name: 'Renamed' });
    }),
    'move a document': write(/update "documents"/, async () => {
      const id = await newDocument();
      const { id: folder_id } = await created(createFolder());
      return () => calls.json('PATCH', `/api/v1/documents/${id}`, key, { folder_id });
    }),
    'add a version': write(/into "document_versions"/, async () => {
      const id = await newDocument();
      return () => calls.upload(newBytes(), key, `/api/v1/documents/${id}/versions`);
    }),
    'create a folder': write(/into "folders"/, async () => createFolder),
    'create a link': write(/into "links"/, async () => createLink),
    'revoke a link': write(/update "links"/, async () => {
      const { id } = await newLink();
      return () => calls.json('DELETE', `/api/v1/links/${id}`, key);
    }),
    'pin a version': write(/update "links"/, async () => {
      const { id } = await newLink();
      return () => calls.json('PATCH', `/api/v1/links/${id}`, key, { pinned_version: 1 });
    }),
    'create a view': write(/into "views"/, async () => {
      const route = new URL(String((await newLink()).url)).pathname;
      const page = await fetch(origin + route, { headers: { accept: 'text/html' } });
      const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
      return async () => {
        const { status } = await fetch(`${origin}${route}/download`, { headers: { cookie } });
        return { status, body: {}, retryAfterSeconds: 0 };
      };
    }),
    'create a client': write(/into "clients"/, async () => createClient),
    'rotate a secret': write(/into "credentials"/, async () => {
      const { id } = await newClient();
      return () => calls.json('POST', `/clients/${id}/secrets:rotate`, staff, {});
    }),
    'disable a client': write(/update "clients"/, async () => {
      const { id } = await newClient();
      return () => calls.json('POST', `/clients/${id}:disable`, staff, {});
    }),
    'revoke a token': write(/into "revoked_tokens"/, async () => {
      const { id, secret } = await newClient();
      const token = await calls.issue(id, secret, 'tokens:read');
      return () => calls.json('POST', '/tokens/revoke', staff, { token });
    }),
    'create a customer': write(
      /into "customers"/,
      async () => () => calls.json('POST', '/customers', staff, { name: 'Frozen' }),
    ),
    'create an API key': write(/into "credentials"/, async () => {
      const fields = { workspace_id: workspaceId, name: 'Frozen', scopes: ['links:read'] };
      return () => calls.json('POST', '/api/v1/api-keys', staff, fields);
    }),
    'create a workspace': write(/into "workspaces"/, async () => createWorkspace),
    'invite a member': write(/into "invitations"/, async () => {
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const route = `/workspaces/${workspaceId}/invitations`;
      return () => calls.json('POST', route, staff, { email, role: 'member' });
    }),
    'create a user': write(/into "users"/, async () => {
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const fields = { email, kind: 'member', password: randomBytes(12).toString('hex') };
      return () => calls.json('POST', '/users', staff, fields);
    }),
    'sign in': write(/into "sessions"/, async () => async () => {
      await calls.signIn().catch(() => '');
      return undefined;
    }),
  };
}
