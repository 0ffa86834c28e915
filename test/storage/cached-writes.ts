// The writes of the stores to cached tables, and the entity that each of them changes.

import { endCredentials, revokeCredential } from '../../src/credentials/store.ts';
import { updateLastUsedTimes } from '../../src/credentials/usage/store.ts';
import { insertAudience } from '../../src/identity/audiences/store.ts';
import {
  deleteFederatedIdentity,
  insertClientKey,
  insertFederatedIdentity,
  updateClient,
} from '../../src/identity/clients/store.ts';
import {
  deleteAccounts,
  insertAccounts,
  updateCustomer,
} from '../../src/identity/customers/store.ts';
import { sealedSigningKeys } from '../../src/identity/keys/sealed-values.ts';
import {
  insertSigningKey,
  raiseTokenSeconds,
  updateSigningKey,
} from '../../src/identity/keys/store.ts';
import { endSessions, extendSession } from '../../src/identity/sessions/store.ts';
import { insertRevokedToken } from '../../src/identity/tokens/store.ts';
import { insertIssuer } from '../../src/identity/trusted-issuers/store.ts';
import { updateUser } from '../../src/identity/users/store.ts';
import {
  insertDocument,
  removeDocument,
  updateDocument,
} from '../../src/sharing/documents/store.ts';
import { removeDomain, setPrimary, verifyDomain } from '../../src/sharing/domains/store.ts';
import { removeFolder, updateFolder } from '../../src/sharing/folders/store.ts';
import { revokeLink, updateLink } from '../../src/sharing/links/store.ts';
import { insertView } from '../../src/sharing/views/store.ts';
import {
  deleteMember,
  insertWorkspace,
  putMember,
  updateWorkspace,
} from '../../src/sharing/workspaces/store.ts';
import type { cachedTables } from '../../src/storage/cached-tables.ts';
import { deleteOldest } from '../../src/storage/delete-oldest.ts';
import { insertVersion, setCheckTime } from '../../src/storage/document-versions.ts';
import { lockRows } from '../../src/storage/row-locks.ts';
import type { Executor } from '../../src/storage/schema.ts';
import { endSessionsOf } from '../../src/storage/users.ts';
import {
  audience,
  clientKey,
  document,
  domain,
  federatedIdentity,
  issuerRow,
  key,
  member,
  owner,
  revoked,
} from '../support/cached-rows.ts';

type Write = (trx: Executor) => Promise<unknown>;
type Table = keyof typeof cachedTables;

const revocations = { table: 'revoked_tokens', key: 'jti', time: 'expire_time' } as const;
const expiring = { table: 'sessions', key: 'id', time: 'expire_time' } as const;

const ownDocument = { workspaceId: 'ws_1', id: 'doc_1' };
const ownLink = { workspaceId: 'ws_1', id: 'lnk_1' };
const view = {
  ...{ id: 'viw_1', link_id: 'lnk_1', email: '' },
  ...{ email_verified: 0 as const, create_time: 1, duration_ms: 0 },
};

const { id: document_id, content_type, size_bytes, sha256, page_count, create_time } = document;
const content = { content_type, size_bytes, sha256, page_count, create_time };
const secondVersion = { ...content, document_id, version: 2, blob_id: 'blob_2' };

export const evicting: [string, Table, string, Write][] = [
  ['updateClient', 'clients', 'cli_1', (trx) => updateClient(trx, 'cli_1', { scopes: '' })],
  [
    'updateWorkspace',
    'workspaces',
    'ws_1',
    (trx) => updateWorkspace(trx, 'ws_1', { factor_grace_days: 1 }),
  ],
  [
    'insertClientKey',
    'client_keys',
    'cli_1',
    (trx) => insertClientKey(trx, { ...clientKey, id: 'jwk_2' }),
  ],
  [
    'insertIssuer',
    'trusted_issuers',
    'iss_2',
    (trx) => insertIssuer(trx, { ...issuerRow, id: 'iss_2' }),
  ],
  [
    'insertFederatedIdentity',
    'federated_identities',
    'cli_1',
    (trx) => insertFederatedIdentity(trx, { ...federatedIdentity, id: 'fed_2' }),
  ],
  [
    'deleteFederatedIdentity',
    'federated_identities',
    'cli_1',
    (trx) => deleteFederatedIdentity(trx, 'cli_1', 'fed_1'),
  ],
  [
    'insertAudience',
    'audiences',
    'aud_2',
    (trx) => insertAudience(trx, { ...audience, id: 'aud_2', identifier: 'urn:a' }),
  ],
  [
    'updateCustomer',
    'customers',
    'cus_1',
    (trx) => updateCustomer(trx, 'cus_1', { disable_time: 2 }),
  ],
  [
    'insertAccounts',
    'customer_accounts',
    'cus_1',
    (trx) => insertAccounts(trx, 'cus_1', ['acc_2'], 2),
  ],
  [
    'deleteAccounts',
    'customer_accounts',
    'cus_1',
    (trx) => deleteAccounts(trx, 'cus_1', ['acc_1']),
  ],
  ['revokeCredential', 'credentials', 'key_1', (trx) => revokeCredential(trx, 'key_1', 2)],
  [
    'endCredentials at once',
    'credentials',
    'key_1',
    (trx) => endCredentials(trx, owner, { time: 2, overlapMs: 0 }),
  ],
  [
    'endCredentials after an overlap',
    'credentials',
    'key_1',
    (trx) => endCredentials(trx, owner, { id: 'key_1', time: 2, overlapMs: 5 }),
  ],
  ['updateUser', 'users', 'usr_1', (trx) => updateUser(trx, 'usr_1', { disable_time: 2 })],
  ['putMember', 'members', 'usr_1', (trx) => putMember(trx, { ...member, role: 'admin' })],
  ['deleteMember', 'members', 'usr_1', (trx) => deleteMember(trx, 'ws_1', 'usr_1')],
  ['endSessions', 'sessions', 'ses_1', (trx) => endSessions(trx, ['ses_1'], 2)],
  ['endSessionsOf', 'sessions', 'ses_1', (trx) => endSessionsOf(trx, 'usr_1', { time: 2 })],
  [
    'deleteOldest',
    'sessions',
    'ses_1',
    (trx) => deleteOldest(trx, expiring, { before: 1_000 }, 10),
  ],
  [
    'insertSigningKey',
    'signing_keys',
    'kid_2',
    (trx) => insertSigningKey(trx, { ...key, kid: 'kid_2', state: 'pending' }),
  ],
  [
    'updateSigningKey',
    'signing_keys',
    'kid_1',
    (trx) => updateSigningKey(trx, 'kid_1', { state: 'retired', retire_time: 2 }),
  ],
  [
    'sealedSigningKeys.write',
    'signing_keys',
    'kid_1',
    (trx) => sealedSigningKeys.write(trx, { id: 'kid_1', ciphertext: 'x', masterKeyId: 'x' }),
  ],
  [
    'insertRevokedToken',
    'revoked_tokens',
    'jti_2',
    (trx) => insertRevokedToken(trx, { ...revoked, jti: 'jti_2' }),
  ],
  [
    'updateDocument',
    'documents',
    'doc_1',
    (trx) => updateDocument(trx, ownDocument, { name: 'new' }),
  ],
  [
    'removeDocument with few views',
    'documents',
    'doc_2',
    async (trx) => {
      // A document without links, because their deletion is recorded too.
      await insertDocument(trx, { ...document, id: 'doc_2', blob_id: 'blob_2' });
      return removeDocument(trx, 'doc_2', { time: 2, rowsMax: 200 });
    },
  ],
  [
    'removeDocument with many views',
    'documents',
    'doc_1',
    (trx) => removeDocument(trx, 'doc_1', { time: 2, rowsMax: 0 }),
  ],
  ['verifyDomain', 'domains', 'dom_1', (trx) => verifyDomain(trx, domain, 2)],
  ['setPrimary', 'domains', 'dom_1', (trx) => setPrimary(trx, domain, true)],
  ['removeDomain', 'domains', 'dom_1', (trx) => removeDomain(trx, domain, 2)],
  [
    'removeDomain of a verified one',
    'domains',
    'dom_1',
    (trx) => removeDomain(trx, { ...domain, verify_time: 1 }, 2),
  ],
  ['updateFolder', 'folders', 'fld_1', (trx) => updateFolder(trx, 'fld_1', { name: 'B' })],
  ['removeFolder', 'folders', 'fld_1', (trx) => removeFolder(trx, 'fld_1', 2)],
  ['updateLink', 'links', 'lnk_1', (trx) => updateLink(trx, ownLink, { allow_download: 1 }, false)],
  ['updateLink of the gate', 'links', 'lnk_1', (trx) => updateLink(trx, ownLink, {}, true)],
  ['setCurrentVersion', 'documents', 'doc_1', (trx) => insertVersion(trx, secondVersion, {})],
  [
    'updateLink of the version',
    'links',
    'lnk_1',
    (trx) => updateLink(trx, ownLink, { pinned_version: 1 }, false),
  ],
  ['revokeLink', 'links', 'lnk_1', (trx) => revokeLink(trx, 'lnk_1', 2)],
];

const uses = ['key_1', 'jwk_1', 'fed_1'].map((id) => ({ id, time: 5 }));

export const keeping: [string, Write][] = [
  ['the name of a client', (trx) => updateClient(trx, 'cli_1', { name: 'new' })],
  ['the name of a customer', (trx) => updateCustomer(trx, 'cus_1', { name: 'new' })],
  ['the last use of a credential', (trx) => updateLastUsedTimes(trx, uses)],
  ['the email address of a user', (trx) => updateUser(trx, 'usr_1', { email: 'b@example.com' })],
  ['the expiry of a session', (trx) => extendSession(trx, 'ses_1', 2, 200)],
  ['the maximum lifetime of a token', (trx) => raiseTokenSeconds(trx, 600)],
  ['expired revocations', (trx) => deleteOldest(trx, revocations, { before: 1_000 }, 10)],
  [
    'the last check of a document',
    (trx) => setCheckTime(trx, { document_id: 'doc_1', version: 1 }, 5),
  ],
  ['the views of a link', (trx) => insertView(trx, view)],
  ['no row', (trx) => updateClient(trx, 'cli_none', { scopes: '' })],
  ['row locks only', (trx) => lockRows(trx, 'users', 'kind', ['member'])],
  ['a table without a cache', (trx) => insertWorkspace(trx, { id: 'w', name: '', create_time: 1 })],
];
