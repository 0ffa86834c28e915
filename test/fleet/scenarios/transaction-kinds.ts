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
  async function newClientId(): Promise<string> {
    const { client } = await created(createClient());
    return String((client as { id?: unknown }).id);
  }

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
      const id = await newClientId();
      return () => calls.json('POST', `/clients/${id}/secrets:rotate`, staff, {});
    }),
    'sign in': write(/into "sessions"/, async () => async () => {
      await calls.signIn().catch(() => '');
      return undefined;
    }),
  };
}
