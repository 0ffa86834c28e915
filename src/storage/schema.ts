// The rows. Times are integer milliseconds since 1970, digests and ciphertexts are text, flags are
// 0 or 1, so that both dialects read and write the same values.
import type { Kysely, Transaction } from 'kysely';
import type {
  DocumentTable,
  GateCodeRow,
  LinkTable,
  ProvenAddressRow,
  ViewPageRow,
  ViewRow,
} from './sharing-rows.ts';

export type {
  DocumentRow,
  GateCodeRow,
  LinkRow,
  ProvenAddressRow,
  ViewPageRow,
  ViewRow,
} from './sharing-rows.ts';

export type SigningKeyRow = {
  /** RFC 7638 thumbprint. */
  kid: string;
  state: 'pending' | 'active' | 'retired' | 'removed' | 'revoked';
  /** The public key `x` of RFC 8037 §2, base64url. */
  public_x: string;
  /** The private key in PKCS #8, encrypted under the master key `master_key_id`; then empty. */
  private_ciphertext: string;
  master_key_id: string;
  create_time: number;
  activate_time: number | null;
  retire_time: number | null;
  /** When a retired key is no longer published. */
  remove_time: number | null;
  revoke_time: number | null;
  /** The longest life of a token that it may have signed, as noted by each process that signs. */
  token_seconds_max: number;
};

export type ClientRow = {
  id: string;
  name: string;
  /** Space-separated. */
  scopes: string;
  create_time: number;
  disable_time: number | null;
};

export type CustomerRow = {
  id: string;
  name: string;
  create_time: number;
  disable_time: number | null;
};

/** There is one while a customer has it. */
export type AccountRow = {
  id: string;
  create_time: number;
};

export type CustomerAccountRow = {
  customer_id: string;
  account_id: string;
};

export type WorkspaceRow = {
  id: string;
  name: string;
  create_time: number;
  /** The workspace's quota; null stands for the setting. */
  bytes_max: number | null;
  documents_max: number | null;
  links_max: number | null;
  views_max: number | null;
};

/** How much of its quota a workspace uses. Changes in the transaction of the rows it counts. */
export type WorkspaceUsageRow = {
  workspace_id: string;
  /** Of its documents. */
  bytes: number;
  documents: number;
  links: number;
  views: number;
};

/** A client's secret, a customer's key or a workspace's key: exactly one owner is set. */
export type CredentialRow = {
  id: string;
  client_id: string | null;
  customer_id: string | null;
  workspace_id: string | null;
  name: string;
  /** SHA-256 of the whole credential, hexadecimal. */
  digest: string;
  /** Space-separated; empty for a client's secret, whose scopes are the client's. */
  scopes: string;
  create_time: number;
  expire_time: number | null;
  revoke_time: number | null;
  last_used_time: number | null;
};

export type UserRow = {
  id: string;
  kind: 'staff' | 'member';
  /** In lower case. */
  email: string;
  name: string;
  /** argon2id, in the PHC string format. */
  password_hash: string;
  /** Space-separated. */
  scopes: string;
  create_time: number;
  disable_time: number | null;
};

export type TotpSeedRow = {
  user_id: string;
  /** The seed, encrypted under the master key `master_key_id`. */
  ciphertext: string;
  master_key_id: string;
  create_time: number;
  /** When the user has shown a first code; until then no code is asked for. */
  confirm_time: number | null;
  /** The time step of the last code that was taken; 0 before the first. */
  last_step: number;
};

/** A user who has signed in. */
export type SessionRow = {
  id: string;
  user_id: string;
  /** SHA-256 of the cookie's secret, hexadecimal. */
  digest: string;
  /** How the user signed in (RFC 8176), space-separated. */
  amr: string;
  /** Where the user signed in from. */
  address: string;
  /** When the user signed in. */
  create_time: number;
  refresh_time: number;
  /** When it ends unless it is refreshed before. */
  expire_time: number;
  revoke_time: number | null;
};

/** How many attempts (to sign in, to pass a gate) there were lately, by what they share. */
export type ThrottleCounterRow = {
  /** A digest: names neither an address nor a user. */
  key: string;
  /** When the last attempt will be forgotten: the more there were, the later. */
  level_time: number;
  /** When the next attempt is heard. */
  next_time: number;
};

/** A network that a user has signed in from. */
export type FamiliarNetworkRow = {
  /** A digest of both. */
  key: string;
  last_time: number;
};

export type MemberRow = {
  workspace_id: string;
  user_id: string;
  role: 'owner' | 'admin' | 'member';
  create_time: number;
};

export type RevokedTokenRow = {
  jti: string;
  /** When the token would have expired; the row is of no use from then on. */
  expire_time: number;
  /** Of the topic `revoked_tokens`, by which processes tell what is new to them. */
  revision: number;
};

/** Counts the changes of a topic that other processes have to hear of. */
export type RevisionRow = {
  name: 'access' | 'signing_keys' | 'revoked_tokens';
  value: number;
};

/** Something that was done, or an authentication that failed. */
export type AuditEventRow = {
  id: string;
  create_time: number;
  /** A principal's type; `system` for what the service does by itself. */
  actor_type: string;
  /** A client's, key's or user's id; empty where nobody has shown who they are. */
  actor_id: string;
  /** The method, such as `ClientService.CreateClient`. */
  action: string;
  /** The id of what it was done to; empty where that is not known. */
  target: string;
  /** `ok`, or an error's code. */
  code: string;
  /** How many like it the row stands for. */
  count: number;
  request_id: string;
  /** The caller's network address. */
  address: string;
};

/** The time by which old rows were last deleted; it follows the clock, but never jumps ahead. */
export type RetentionTimeRow = {
  /** The table. */
  name: string;
  time: number;
};

export type Schema = {
  signing_keys: SigningKeyRow;
  clients: ClientRow;
  customers: CustomerRow;
  accounts: AccountRow;
  customer_accounts: CustomerAccountRow;
  workspaces: WorkspaceRow;
  workspace_usage: WorkspaceUsageRow;
  credentials: CredentialRow;
  users: UserRow;
  revoked_tokens: RevokedTokenRow;
  totp_seeds: TotpSeedRow;
  sessions: SessionRow;
  throttle_counters: ThrottleCounterRow;
  familiar_networks: FamiliarNetworkRow;
  members: MemberRow;
  revisions: RevisionRow;
  audit_events: AuditEventRow;
  retention_times: RetentionTimeRow;
  documents: DocumentTable;
  links: LinkTable;
  views: ViewRow;
  view_pages: ViewPageRow;
  gate_codes: GateCodeRow;
  proven_addresses: ProvenAddressRow;
};

export type Database = Kysely<Schema>;

/** What a query of a store runs on: the database itself, or a transaction. */
export type Executor = Database | Transaction<Schema>;
