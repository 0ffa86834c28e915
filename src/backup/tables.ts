// Decides for each table of the schema whether a backup contains it.
import type { Schema } from '../storage/schema/schema.ts';

/** The primary key, in the order of which the rows are read; or the reason to leave them out. */
type Handling = { readonly key: readonly string[] } | { readonly omitted: string };

/** A table follows the tables that its rows refer to. */
export const tableHandling: Readonly<Record<keyof Schema, Handling>> = {
  revisions: { key: ['name'] },
  signing_keys: { key: ['kid'] },
  master_key_copies: { key: ['key_id'] },
  revoked_tokens: { key: ['jti'] },
  audiences: { key: ['id'] },
  clients: { key: ['id'] },
  client_keys: { key: ['id'] },
  trusted_issuers: { key: ['id'] },
  federated_identities: { key: ['id'] },
  usage_counts: { key: ['key'] },
  used_assertions: { key: ['digest'] },
  customers: { key: ['id'] },
  accounts: { key: ['id'] },
  customer_accounts: { key: ['customer_id', 'account_id'] },
  users: { key: ['id'] },
  totp_seeds: { key: ['user_id'] },
  passkeys: { key: ['id'] },
  staff_factor_rule: { key: ['name'] },
  recovery_passwords: { key: ['user_id'] },
  identity_providers: { key: ['id'] },
  user_identities: { key: ['id'] },
  sessions: { key: ['id'] },
  password_resets: { key: ['id'] },
  recovery_codes: { key: ['user_id', 'digest'] },
  familiar_networks: { key: ['key'] },
  workspaces: { key: ['id'] },
  logos: { key: ['id'] },
  workspace_usage: { key: ['workspace_id'] },
  members: { key: ['workspace_id', 'user_id'] },
  notice_reads: { key: ['workspace_id', 'user_id'] },
  invitations: { key: ['id'] },
  domains: { key: ['id'] },
  credentials: { key: ['id'] },
  folders: { key: ['id'] },
  documents: { key: ['id'] },
  document_versions: { key: ['document_id', 'version'] },
  links: { key: ['id'] },
  views: { key: ['id'] },
  view_pages: { key: ['view_id', 'visit', 'page'] },
  link_notices: { key: ['link_id'] },
  reader_mails: { key: ['target_id'] },
  agreement_texts: { key: ['sha256'] },
  agreements: { key: ['id'] },
  receipt_keys: { key: ['kid'] },
  gate_codes: { key: ['key'] },
  verified_addresses: { key: ['key'] },
  audit_events: { key: ['id'] },
  retention_times: { key: ['name'] },
  visitors: { omitted: 'triggers derive the rows from the views' },
  previews: { omitted: 'triggers queue the previews; the service makes them again' },
  leases: { omitted: 'belongs to running processes' },
  processes: { omitted: 'belongs to running processes' },
  pending_blobs: { omitted: 'belongs to running processes' },
  blob_stores: { omitted: 'belongs to the blob store; a restore may have another one' },
  changes: { omitted: 'informs running processes of changes; a new process reads the rows' },
  recorded_answers: { omitted: 'repeats answers of the last day, some of which contain secrets' },
  remembered_readers: { omitted: 'a restore would undo erasures; readers enter a code again' },
  device_sign_ins: { omitted: 'lasts ten minutes; the command line starts another sign-in' },
  throttle_counters: { omitted: 'counts the attempts of the last minutes' },
};

export type BackedUpTable = { readonly name: string; readonly key: readonly string[] };

export const backedUpTables: readonly BackedUpTable[] = Object.entries(tableHandling).flatMap(
  ([name, handling]) => ('key' in handling ? [{ name, key: handling.key }] : []),
);
