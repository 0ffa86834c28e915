// Five rows in each list of the API.
import { transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { issuerRow } from './cached-rows.ts';
import { insertRow } from './owner-rows.ts';
import { providerFields } from './provider-rows.ts';

/** Three of five rows have equal times. Two names contain the text, in another letter case. */
const rows = [0, 1, 2, 3, 4].map((n) => ({
  n,
  create_time: n < 3 ? 1_700_000_000_000 : 1_700_000_000_000 + n,
  name: n % 2 === 0 ? 'Other' : `WANTED ${n}`,
}));

type Named = (typeof rows)[number];

export type ListOwners = {
  readonly workspaceId: string;
  readonly clientId: string;
  readonly customerId: string;
};

/** A time in the future. The retention deletes sessions and invitations that expire too late. */
const expire_time = Date.now() + 3_600_000;

/** Adds rows. The sessions belong to the user; the views belong to the link `lnk_0`. */
export async function addListedRows(
  db: Database,
  owners: ListOwners,
  userId: string,
): Promise<void> {
  await transact(db, async (trx) => {
    for (const row of rows) {
      await addIdentityRows(trx, row, userId);
      await addCredentials(trx, row, owners);
      await addSharingRows(trx, row, owners);
    }
  });
}

async function addIdentityRows(
  trx: Executor,
  { n, name, create_time }: Named,
  userId: string,
): Promise<void> {
  const named = { name, create_time };
  await insertRow(trx, 'clients', { ...named, id: `cli_${n}`, scopes: '' });
  await insertRow(trx, 'customers', { ...named, id: `cus_${n}` });
  await insertRow(trx, 'audiences', {
    ...named,
    id: `aud_${n}`,
    identifier: `a:${n}`,
    signing_alg: 'EdDSA',
  });
  await insertRow(trx, 'identity_providers', {
    ...named,
    ...providerFields,
    id: `idp_${n}`,
    issuer: `https://${n}.example`,
  });
  await insertRow(trx, 'trusted_issuers', {
    ...issuerRow,
    ...named,
    id: `iss_${n}`,
    issuer: `a:${n}`,
  });
  const key = { kid: `${name.replace(' ', '-')}-${n}`, state: 'removed' as const, public_x: '' };
  const sealed = {
    alg: 'EdDSA' as const,
    private_ciphertext: '',
    master_key_id: '',
    token_seconds_max: 1,
  };
  await insertRow(trx, 'signing_keys', { ...key, ...sealed, create_time });
  const user = {
    ...named,
    ...{ id: `usr_${n}`, kind: 'member' as const, email: `${n}@example.com` },
    ...{ password_hash: '', scopes: '' },
  };
  await insertRow(trx, 'users', user);
  const session = {
    ...{ id: `ses_${n}`, user_id: userId, digest: '', amr: 'pwd', create_time },
    ...{ refresh_time: n % 2, expire_time },
    address: n % 2 === 0 ? '198.51.100.7' : `192.0.2.1${n}`,
  };
  await insertRow(trx, 'sessions', session);
}

async function addCredentials(
  trx: Executor,
  { n, name, create_time }: Named,
  { clientId, customerId, workspaceId }: ListOwners,
): Promise<void> {
  const owners = [
    { client_id: clientId },
    { customer_id: customerId },
    { workspace_id: workspaceId },
  ];
  const key = { id: `jwk_${n}`, client_id: clientId, name, create_time, jwk: '{}' };
  await insertRow(trx, 'client_keys', { ...key, thumbprint: `${n}` });
  await insertRow(trx, 'federated_identities', {
    ...{ id: `fed_${n}`, client_id: clientId, issuer_id: `iss_${n}` },
    ...{ subject: name, claims: '{}', create_time },
  });
  for (const [kind, owner] of owners.entries()) {
    const row = { id: `key_${kind}_${n}`, name, create_time, digest: '', scopes: '' };
    await insertRow(trx, 'credentials', { ...row, ...owner });
  }
}

async function addSharingRows(
  trx: Executor,
  { n, name, create_time }: Named,
  { workspaceId }: ListOwners,
): Promise<void> {
  const named = { name, create_time };
  await insertRow(trx, 'workspaces', { ...named, id: `ws_${n}` });
  const member = { workspace_id: workspaceId, user_id: `usr_${n}`, role: 'member' as const };
  await insertRow(trx, 'members', { ...member, create_time });
  const invitation = {
    ...{ id: `inv_${n}`, workspace_id: workspaceId, email: `${n}-${name}@example.com` },
    ...{ role: 'member' as const, inviter_type: 'staff' as const, inviter_id: '', digest: '' },
    ...{ create_time, expire_time },
  };
  await insertRow(trx, 'invitations', invitation);
  const domain = {
    ...{ id: `dom_${n}`, workspace_id: workspaceId, name, txt_value: '', is_primary: 0 },
    ...{ create_time, verify_time: null },
  };
  await insertRow(trx, 'domains', { ...domain, name: `${n}-${name}` });
  const document = {
    ...named,
    ...{ id: `doc_${n}`, workspace_id: workspaceId, content_type: 'a/b', sha256: '' },
    ...{ size_bytes: 1 + (n % 2), page_count: 1, blob_id: `doc_${n}`, view_count: n % 3 },
  };
  await insertRow(trx, 'documents', document);
  const folder = { ...named, id: `fld_${n}`, workspace_id: workspaceId, parent_id: null };
  await insertRow(trx, 'folders', { ...folder, name_key: `${n}` });
  const link = {
    ...{ id: `lnk_${n}`, slug: `${n}`, workspace_id: workspaceId, name: '', create_time },
    ...{ document_id: document.id, email_required: 0 as const, allow_download: 0 as const },
    ...{ email_verification_required: 0 as const, gate_revision: 1, view_count: n % 2 },
  };
  await insertRow(trx, 'links', link);
  const view = {
    ...{ id: `viw_${n}`, link_id: 'lnk_0', email_verified: 0 as const, create_time },
    ...{ email: `${n}-${name.replace(/ .*/, '')}@example.com`, duration_ms: n % 2 },
  };
  await insertRow(trx, 'views', view);
}
