// One row in each cached table.
import type { Insertable } from 'kysely';
import { insertCredential } from '../../src/credentials/store.ts';
import { insertAudience } from '../../src/identity/audiences/store.ts';
import {
  insertClient,
  insertClientKey,
  insertFederatedIdentity,
} from '../../src/identity/clients/store.ts';
import { insertAccounts, insertCustomer } from '../../src/identity/customers/store.ts';
import { insertSigningKey } from '../../src/identity/keys/store.ts';
import { insertSession } from '../../src/identity/sessions/store.ts';
import { insertRevokedToken } from '../../src/identity/tokens/store.ts';
import { insertIssuer } from '../../src/identity/trusted-issuers/store.ts';
import { insertUser } from '../../src/identity/users/store.ts';
import { insertDocument } from '../../src/sharing/documents/store.ts';
import { insertDomain } from '../../src/sharing/domains/store.ts';
import { insertFolder } from '../../src/sharing/folders/store.ts';
import { insertLink } from '../../src/sharing/links/store.ts';
import { insertWorkspace, putMember } from '../../src/sharing/workspaces/store.ts';
import type { Executor, Schema } from '../../src/storage/schema/schema.ts';

export const audience = {
  id: 'aud_1',
  identifier: 'a:b',
  name: '',
  create_time: 1,
  signing_alg: 'EdDSA',
} as const;

export const owner = { kind: 'ck', id: 'cus_1' } as const;
const credential = { id: 'key_1', text: '', digest: '' };
export const member = {
  workspace_id: 'ws_1',
  user_id: 'usr_1',
  role: 'member',
  create_time: 1,
} as const;
const user = {
  id: 'usr_1',
  kind: 'member',
  email: 'a@example.com',
  name: '',
  password_hash: '',
  scopes: '',
  create_time: 1,
  disable_time: null,
} as const;
const session = {
  id: 'ses_1',
  user_id: 'usr_1',
  digest: '',
  amr: 'pwd',
  address: '',
  create_time: 1,
  refresh_time: 1,
  expire_time: 100,
  revoke_time: null,
};
export const key = {
  kid: 'kid_1',
  state: 'active',
  alg: 'EdDSA',
  public_x: '',
  public_jwk: null,
  private_ciphertext: '',
  master_key_id: '',
  create_time: 1,
  activate_time: 1,
  retire_time: null,
  remove_time: null,
  revoke_time: null,
  token_seconds_max: 300,
} as const;
export const revoked = { jti: 'jti_1', expire_time: 1, revision: 1 };

export const document = {
  id: 'doc_1',
  workspace_id: 'ws_1',
  name: '',
  content_type: '',
  size_bytes: 1,
  sha256: '',
  page_count: 0,
  blob_id: 'blob_1',
  create_time: 1,
};
export const domain = {
  ...{ id: 'dom_1', workspace_id: 'ws_1', name: 'a.example', txt_value: '' },
  ...{ is_primary: 0, create_time: 1, verify_time: null, creator_id: null },
};
const folder = {
  ...{ id: 'fld_1', workspace_id: 'ws_1', parent_id: null },
  ...{ name: 'A', name_key: 'a', create_time: 1, update_time: null },
};

const link = {
  id: 'lnk_1',
  slug: 'slug_1',
  workspace_id: 'ws_1',
  document_id: 'doc_1',
  name: '',
  email_required: 0,
  email_verification_required: 0,
  password_hash: null,
  allow_download: 0,
  gate_revision: 1,
  create_time: 1,
  expire_time: null,
  revoke_time: null,
  view_count: 0,
} as const;

export const clientKey = {
  ...{ id: 'jwk_1', client_id: 'cli_1', name: '', jwk: '{}', thumbprint: '' },
  ...{ create_time: 1, expire_time: null, revoke_time: null },
};

export const issuerRow: Insertable<Schema['trusted_issuers']> = {
  ...{ id: 'iss_1', name: '', issuer: 'urn:a', jwks_uri: null, jwks: '{"keys":[]}' },
  ...{ audience: '', enabled: 1, create_time: 1 },
  ...{ read_jwks: null, read_time: null, attempt_time: null, attempt_error: '' },
};

export const federatedIdentity = {
  ...{ id: 'fed_1', client_id: 'cli_1', issuer_id: 'iss_1', subject: 'a' },
  ...{ claims: '{}', create_time: 1 },
};

/** One row per cached table. */
export async function fillCachedTables(trx: Executor): Promise<void> {
  const times = { create_time: 1, disable_time: null };
  await insertClient(trx, { id: 'cli_1', name: '', scopes: 'a:read', ...times });
  await insertClientKey(trx, clientKey);
  await insertIssuer(trx, issuerRow);
  await insertFederatedIdentity(trx, federatedIdentity);
  await insertCustomer(trx, { id: 'cus_1', name: '', ...times });
  await insertAccounts(trx, 'cus_1', ['acc_1'], 1);
  await insertCredential(trx, owner, credential, { name: '', scopes: '', createTime: 1 });
  await insertUser(trx, user);
  await insertWorkspace(trx, { id: 'ws_1', name: '', create_time: 1 });
  await putMember(trx, member);
  await insertSession(trx, session);
  await insertAudience(trx, audience);
  await insertSigningKey(trx, key);
  await insertRevokedToken(trx, revoked);
  await insertDomain(trx, domain);
  await insertFolder(trx, folder);
  await insertDocument(trx, document);
  await insertLink(trx, link);
}

/** The entity that each of the rows belongs to. */
export const cachedRowIds: Readonly<Record<string, string>> = {
  workspaces: 'ws_1',
  audiences: 'aud_1',
  clients: 'cli_1',
  client_keys: 'cli_1',
  trusted_issuers: 'iss_1',
  federated_identities: 'cli_1',
  customers: 'cus_1',
  customer_accounts: 'cus_1',
  credentials: 'key_1',
  users: 'usr_1',
  members: 'usr_1',
  sessions: 'ses_1',
  signing_keys: 'kid_1',
  revoked_tokens: 'jti_1',
  documents: 'doc_1',
  domains: 'dom_1',
  folders: 'fld_1',
  links: 'lnk_1',
};
