// One resource of each kind that a search finds.
import { randomBytes } from 'node:crypto';
import { newId, randomText } from '../../src/base/crypto/ids.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { clientKey, issuerRow } from './cached-rows.ts';
import { insertRow } from './owner-rows.ts';
import { providerFields } from './provider-rows.ts';

/** The kinds, with the scope of the method that lists them. */
export const searchedKinds = {
  CLIENT: 'clients:read',
  CLIENT_SECRET: 'clients:write',
  CUSTOMER: 'customers:read',
  CUSTOMER_API_KEY: 'customers:write',
  ACCOUNT: 'accounts:read',
  USER: 'users:read',
  AUDIENCE: 'audiences:read',
  TRUSTED_ISSUER: 'trusted_issuers:read',
  IDENTITY_PROVIDER: 'identity_providers:read',
  SIGNING_KEY: 'signing_keys:read',
  WORKSPACE: 'workspaces:read',
  INVITATION: 'workspaces:read',
  WORKSPACE_API_KEY: 'api_keys:read',
  DOCUMENT: 'documents:read',
  FOLDER: 'documents:read',
  LINK: 'links:read',
  VISITOR: 'links:read',
  CLIENT_KEY: 'clients:read',
  FEDERATED_IDENTITY: 'clients:read',
  DOMAIN: 'workspaces:read',
  PASSKEY: 'users:read',
  USER_IDENTITY: 'users:read',
  SESSION: 'users:read',
} as const;

export type SearchedName = keyof typeof searchedKinds;

/** Resources of the installation belong to no workspace. */
export const kindsOfWorkspaces: readonly SearchedName[] = [
  ...(['WORKSPACE', 'INVITATION', 'WORKSPACE_API_KEY'] as const),
  ...(['DOCUMENT', 'FOLDER', 'LINK', 'VISITOR', 'DOMAIN'] as const),
];

export type SearchedRow = { readonly id: string; readonly name: string };

export type SearchedRows = {
  readonly workspaceId: string;
  readonly slug: string;
  readonly rows: Readonly<Record<SearchedName, SearchedRow>>;
};

const create_time = Date.now();

/** The thumbprint of the client key with a word. */
export const keyThumbprintOf = (word: string) => `${word.toLowerCase()}Thumbprint_-0123`;

/** Each name is the word and its kind: `<word> client`. The links belong to the document. */
export async function addSearchedRows(db: Database, word: string): Promise<SearchedRows> {
  const id = (prefix: Parameters<typeof newId>[0]) => newId(prefix, randomBytes);
  const text = word.toLowerCase();
  const slug = randomText(randomBytes);
  const rows: Record<SearchedName, SearchedRow> = {
    CLIENT: { id: id('cli'), name: `${word} client` },
    CLIENT_SECRET: { id: id('sec'), name: `${word} secret` },
    CUSTOMER: { id: id('cus'), name: `${word} customer` },
    CUSTOMER_API_KEY: { id: id('key'), name: `${word} customer key` },
    ACCOUNT: { id: `${text}-account`, name: `${text}-account` },
    USER: { id: id('usr'), name: `${word} user` },
    AUDIENCE: { id: id('aud'), name: `${word} audience` },
    TRUSTED_ISSUER: { id: id('iss'), name: `${word} issuer` },
    IDENTITY_PROVIDER: { id: id('idp'), name: `${word} provider` },
    SIGNING_KEY: { id: `${text}-signing-key`, name: '' },
    WORKSPACE: { id: id('ws'), name: `${word} workspace` },
    INVITATION: { id: id('inv'), name: `${text}-invited@example.com` },
    WORKSPACE_API_KEY: { id: id('key'), name: `${word} workspace key` },
    DOCUMENT: { id: id('doc'), name: `${word} document` },
    FOLDER: { id: id('fld'), name: `${word} folder` },
    LINK: { id: id('lnk'), name: `${word} link` },
    VISITOR: { id: id('viw'), name: `${text}-visitor@example.com` },
    CLIENT_KEY: { id: id('jwk'), name: `${word} client key` },
    FEDERATED_IDENTITY: { id: id('fed'), name: `${word} runner` },
    DOMAIN: { id: id('dom'), name: `${text}-docs.example.com` },
    PASSKEY: { id: id('pky'), name: `${word} passkey` },
    USER_IDENTITY: { id: id('uid'), name: `${word} subject` },
    SESSION: { id: id('ses'), name: '' },
  };
  await transact(db, async (trx) => {
    await addOfInstallation(trx, rows, text);
    await addOfUser(trx, rows);
    await addOfWorkspace(trx, rows, slug);
  });
  return { workspaceId: rows.WORKSPACE.id, slug, rows };
}

type Rows = SearchedRows['rows'];

async function addOfInstallation(trx: Executor, rows: Rows, text: string): Promise<void> {
  const { CLIENT, CLIENT_SECRET, CUSTOMER, CUSTOMER_API_KEY, USER, SIGNING_KEY } = rows;
  const insert = { create_time };
  await insertRow(trx, 'clients', { ...insert, ...CLIENT, scopes: '' });
  await insertRow(trx, 'customers', { ...insert, ...CUSTOMER });
  await insertRow(trx, 'accounts', { ...insert, id: rows.ACCOUNT.id });
  const customerAccount = { customer_id: CUSTOMER.id, account_id: rows.ACCOUNT.id };
  await insertRow(trx, 'customer_accounts', customerAccount);
  const credential = { ...insert, digest: '', scopes: '' };
  await insertRow(trx, 'credentials', { ...credential, ...CLIENT_SECRET, client_id: CLIENT.id });
  await insertRow(trx, 'credentials', {
    ...credential,
    ...CUSTOMER_API_KEY,
    customer_id: CUSTOMER.id,
  });
  const user = { kind: 'member', email: `${text}-user@example.com` } as const;
  await insertRow(trx, 'users', { ...insert, ...USER, ...user, password_hash: '', scopes: '' });
  const identifier = `urn:${text}`;
  await insertRow(trx, 'audiences', {
    ...insert,
    ...rows.AUDIENCE,
    identifier,
    signing_alg: 'EdDSA',
  });
  const issuer = `https://${text}.example`;
  await insertRow(trx, 'trusted_issuers', {
    ...issuerRow,
    ...insert,
    ...rows.TRUSTED_ISSUER,
    issuer,
  });
  await insertRow(trx, 'identity_providers', {
    ...providerFields,
    ...insert,
    ...rows.IDENTITY_PROVIDER,
    issuer,
  });
  await insertRow(trx, 'client_keys', {
    ...clientKey,
    ...insert,
    ...rows.CLIENT_KEY,
    client_id: CLIENT.id,
    thumbprint: keyThumbprintOf(text),
  });
  const { id, name: subject } = rows.FEDERATED_IDENTITY;
  const identity = { id, subject, client_id: CLIENT.id, issuer_id: rows.TRUSTED_ISSUER.id };
  await insertRow(trx, 'federated_identities', { ...insert, ...identity, claims: '{}' });
  const sealed = { alg: 'EdDSA', private_ciphertext: '', master_key_id: '' } as const;
  const key = {
    kid: SIGNING_KEY.id,
    state: 'removed',
    public_x: '',
    token_seconds_max: 1,
  } as const;
  await insertRow(trx, 'signing_keys', { ...insert, ...key, ...sealed });
}

async function addOfUser(trx: Executor, rows: Rows): Promise<void> {
  const own = { create_time, user_id: rows.USER.id };
  const { id: credential_id } = rows.PASSKEY;
  const key = { credential_id, public_key: '', counter: 0, transports: '', synced: 0 } as const;
  await insertRow(trx, 'passkeys', { ...own, ...key, ...rows.PASSKEY });
  const { id, name: subject } = rows.USER_IDENTITY;
  const provider_id = rows.IDENTITY_PROVIDER.id;
  const identity = { ...own, id, provider_id, subject, manages_grants: 0 } as const;
  await insertRow(trx, 'user_identities', identity);
  const times = { refresh_time: create_time, expire_time: create_time + 3_600_000 };
  const signIn = { digest: rows.SESSION.id, amr: '', address: '' };
  await insertRow(trx, 'sessions', { ...own, ...times, ...signIn, id: rows.SESSION.id });
}

async function addOfWorkspace(trx: Executor, rows: Rows, slug: string): Promise<void> {
  const { WORKSPACE, INVITATION, DOCUMENT, FOLDER, LINK, VISITOR } = rows;
  await insertRow(trx, 'workspaces', { create_time, ...WORKSPACE });
  const own = { create_time, workspace_id: WORKSPACE.id };
  await insertRow(trx, 'credentials', {
    ...own,
    ...rows.WORKSPACE_API_KEY,
    digest: '',
    scopes: '',
  });
  const inviter = { role: 'member', inviter_type: 'staff', inviter_id: '', digest: '' } as const;
  await insertRow(trx, 'invitations', {
    ...{ ...own, ...inviter, id: INVITATION.id, email: INVITATION.name },
    expire_time: create_time + 3_600_000,
  });
  const file = { content_type: 'a/b', sha256: '', size_bytes: 1, page_count: 1 };
  await insertRow(trx, 'documents', { ...own, ...DOCUMENT, ...file, blob_id: DOCUMENT.id });
  await insertRow(trx, 'folders', { ...own, ...FOLDER, parent_id: null, name_key: FOLDER.name });
  const domain = { ...own, ...rows.DOMAIN, txt_value: '', is_primary: 0, verify_time: null };
  await insertRow(trx, 'domains', domain);
  const gate = { email_required: 0, email_verification_required: 0, allow_download: 0 } as const;
  await insertRow(trx, 'links', {
    ...own,
    ...LINK,
    ...gate,
    slug,
    document_id: DOCUMENT.id,
    gate_revision: 1,
  });
  const view = { link_id: LINK.id, email_verified: 0, duration_ms: 0, create_time } as const;
  await insertRow(trx, 'views', { ...view, id: VISITOR.id, email: VISITOR.name });
}
