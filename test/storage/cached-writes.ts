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
import { insertVersion, setCheckTime } from '../../src/sharing/queries/document-versions.ts';
import { insertView } from '../../src/sharing/views/store.ts';
import {
  deleteMember,
  insertWorkspace,
  putMember,
  updateWorkspace,
} from '../../src/sharing/workspaces/store.ts';
import type { cachedTables } from '../../src/storage/changes/cached-tables.ts';
import { lockRows } from '../../src/storage/queries/row-locks.ts';
import { endSessionsOf } from '../../src/storage/queries/users.ts';
import type { Executor } from '../../src/storage/schema/schema.ts';
import { deleteOldest } from '../../src/storage/upkeep/delete-oldest.ts';
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

/** By the table and the id of the entity. */
export const evicting: Readonly<Record<`${Table} ${string}`, Record<string, Write>>> = {
  'clients cli_1': { updateClient: (trx) => updateClient(trx, 'cli_1', { scopes: '' }) },
  'workspaces ws_1': {
    updateWorkspace: (trx) => updateWorkspace(trx, 'ws_1', { factor_grace_days: 1 }),
  },
  'client_keys cli_1': {
    insertClientKey: (trx) => insertClientKey(trx, { ...clientKey, id: 'jwk_2' }),
  },
  'trusted_issuers iss_2': {
    insertIssuer: (trx) => insertIssuer(trx, { ...issuerRow, id: 'iss_2' }),
  },
  'federated_identities cli_1': {
    insertFederatedIdentity: (trx) =>
      insertFederatedIdentity(trx, { ...federatedIdentity, id: 'fed_2' }),
    deleteFederatedIdentity: (trx) => deleteFederatedIdentity(trx, 'cli_1', 'fed_1'),
  },
  'audiences aud_2': {
    insertAudience: (trx) => insertAudience(trx, { ...audience, id: 'aud_2', identifier: 'urn:a' }),
  },
  'customers cus_1': { updateCustomer: (trx) => updateCustomer(trx, 'cus_1', { disable_time: 2 }) },
  'customer_accounts cus_1': {
    insertAccounts: (trx) => insertAccounts(trx, 'cus_1', ['acc_2'], 2),
    deleteAccounts: (trx) => deleteAccounts(trx, 'cus_1', ['acc_1']),
  },
  'credentials key_1': {
    revokeCredential: (trx) => revokeCredential(trx, 'key_1', 2),
    'endCredentials at once': (trx) => endCredentials(trx, owner, { time: 2, overlapMs: 0 }),
    'endCredentials after an overlap': (trx) =>
      endCredentials(trx, owner, { id: 'key_1', time: 2, overlapMs: 5 }),
  },
  'users usr_1': { updateUser: (trx) => updateUser(trx, 'usr_1', { disable_time: 2 }) },
  'members usr_1': {
    putMember: (trx) => putMember(trx, { ...member, role: 'admin' }),
    deleteMember: (trx) => deleteMember(trx, 'ws_1', 'usr_1'),
  },
  'sessions ses_1': {
    endSessions: (trx) => endSessions(trx, ['ses_1'], 2),
    endSessionsOf: (trx) => endSessionsOf(trx, 'usr_1', { time: 2 }),
    deleteOldest: (trx) => deleteOldest(trx, expiring, { before: 1_000 }, 10),
  },
  'signing_keys kid_2': {
    insertSigningKey: (trx) => insertSigningKey(trx, { ...key, kid: 'kid_2', state: 'pending' }),
  },
  'signing_keys kid_1': {
    updateSigningKey: (trx) => updateSigningKey(trx, 'kid_1', { state: 'retired', retire_time: 2 }),
    'sealedSigningKeys.write': (trx) =>
      sealedSigningKeys.write(trx, { id: 'kid_1', ciphertext: 'x', masterKeyId: 'x' }),
  },
  'revoked_tokens jti_2': {
    insertRevokedToken: (trx) => insertRevokedToken(trx, { ...revoked, jti: 'jti_2' }),
  },
  'documents doc_1': {
    updateDocument: (trx) => updateDocument(trx, ownDocument, { name: 'new' }),
    'removeDocument with many views': (trx) =>
      removeDocument(trx, 'doc_1', { time: 2, rowsMax: 0 }),
    setCurrentVersion: (trx) => insertVersion(trx, secondVersion, {}),
  },
  'documents doc_2': {
    'removeDocument with few views': async (trx) => {
      // A document without links, because their deletion is recorded too.
      await insertDocument(trx, { ...document, id: 'doc_2', blob_id: 'blob_2' });
      return removeDocument(trx, 'doc_2', { time: 2, rowsMax: 200 });
    },
  },
  'domains dom_1': {
    verifyDomain: (trx) => verifyDomain(trx, domain, 2),
    setPrimary: (trx) => setPrimary(trx, domain, true),
    removeDomain: (trx) => removeDomain(trx, domain, 2),
    'removeDomain of a verified one': (trx) => removeDomain(trx, { ...domain, verify_time: 1 }, 2),
  },
  'folders fld_1': {
    updateFolder: (trx) => updateFolder(trx, 'fld_1', { name: 'B' }),
    removeFolder: (trx) => removeFolder(trx, 'fld_1', 2),
  },
  'links lnk_1': {
    updateLink: (trx) => updateLink(trx, ownLink, { allow_download: 1 }, false),
    'updateLink of the gate': (trx) => updateLink(trx, ownLink, {}, true),
    'updateLink of the version': (trx) => updateLink(trx, ownLink, { pinned_version: 1 }, false),
    revokeLink: (trx) => revokeLink(trx, 'lnk_1', 2),
  },
};

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
