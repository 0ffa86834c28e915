// The types of the rows. Times are integer milliseconds since 1970, digests and ciphertexts are
// text, and flags are 0 or 1, so that both dialects read and write the same values.
import type { GeneratedAlways, Kysely, Transaction } from 'kysely';
import type { deletionNote, Entity } from './change.ts';
import type { FolderTable, PreviewTable } from './document-rows.ts';
import type { DomainTables } from './domain-rows.ts';
import type { AgreementTables, GateTables } from './gate-rows.ts';
import type {
  AccountRow,
  AudienceRow,
  ClientKeyRow,
  ClientRow,
  CustomerAccountRow,
  CustomerRow,
  FederatedIdentityRow,
  InvitationRow,
  MasterKeyCopyRow,
  PasswordResetRow,
  RecordedAnswerRow,
  RecoveryCodeRow,
  SigningAlgorithm,
  TrustedIssuerRow,
  UsageCountRow,
  UsedAssertionRow,
} from './identity-rows.ts';
import type { NoticeTables } from './notice-rows.ts';
import type { ProcessTables } from './process-rows.ts';
import type {
  DisableColumns,
  DisableDefaults,
  ResourceTable,
  UpdateTime,
} from './resource-rows.ts';
import type {
  BlobStoreRow,
  Created,
  DocumentTable,
  DocumentVersionTable,
  GeneratedColumns,
  LinkTable,
  LogoRow,
  MemberTable,
  PendingBlobRow,
  ReaderMailRow,
  ViewPageRow,
  ViewTable,
  VisitorRow,
  WorkspaceTable,
} from './sharing-rows.ts';
import type { SignInTables } from './sign-in-rows.ts';

export type * from './document-rows.ts';
export type * from './gate-rows.ts';
export type * from './identity-rows.ts';
export type * from './notice-rows.ts';
export type * from './process-rows.ts';
export type * from './resource-rows.ts';
export type * from './sharing-rows.ts';
export type * from './sign-in-rows.ts';

export type SigningKeyRow = {
  /** The RFC 7638 thumbprint of the public key. */
  kid: string;
  state: 'pending' | 'active' | 'retired' | 'removed' | 'revoked';
  alg: SigningAlgorithm;
  /** The public key of EdDSA as `x` of RFC 8037 §2, in base64url. Empty for other algorithms. */
  public_x: string;
  /** The members of the public JWK (RFC 7518 §6) as JSON. Null for EdDSA. */
  public_jwk: string | null;
  /**
   * The private key in PKCS #8, encrypted under the master key `master_key_id`. Empty once the key
   * is retired or revoked.
   */
  private_ciphertext: string;
  master_key_id: string;
  create_time: number;
  activate_time: number | null;
  retire_time: number | null;
  /** When a retired key is no longer published. */
  remove_time: number | null;
  revoke_time: number | null;
  /** The longest lifetime of a token that the key may have signed. Signing processes update it. */
  token_seconds_max: number;
};

/**
 * How much of its quota a workspace uses. Updated in the transaction of each change to the counted
 * rows.
 */
export type WorkspaceUsageRow = {
  workspace_id: string;
  /** The total size of the workspace's documents. */
  bytes: number;
  documents: number;
  links: number;
  views: number;
};

/**
 * The secret of a client, or the API key of a customer or a workspace. Exactly one owner is set.
 */
export type CredentialRow = {
  id: string;
  client_id: string | null;
  customer_id: string | null;
  workspace_id: string | null;
  name: string;
  /** The hexadecimal SHA-256 digest of the whole credential. */
  digest: string;
  /** Space-separated; empty for a secret, which has the scopes of its client. */
  scopes: string;
  create_time: number;
  expire_time: number | null;
  revoke_time: number | null;
  last_used_time: number | null;
  creator_id: string | null;
  /**
   * Of a secret of another authorization server: its slow hash, or empty once a digest replaced it.
   * Null for a generated credential.
   */
  imported_hash: string | null;
};

export type UserRow = {
  id: string;
  kind: 'staff' | 'member';
  /** The email address in lower case. */
  email: string;
  name: string;
  /** The argon2id hash in PHC string format. */
  password_hash: string;
  /** Space-separated. */
  scopes: string;
  create_time: number;
  creator_id: string | null;
  /** The last link that the erasure of the user has read. */
  purge_position?: string | null | undefined;
} & UpdateTime &
  DisableColumns;

export type TotpSeedRow = {
  user_id: string;
  /** The TOTP seed, encrypted under the master key `master_key_id`. */
  ciphertext: string;
  master_key_id: string;
  create_time: number;
  /** When the user confirmed the seed with a first code. Until then, sign-in requires no code. */
  confirm_time: number | null;
  /** The time step of the last accepted code; 0 before the first. */
  last_step: number;
};

/** Counts recent attempts (at a sign-in, at a gate) with a common property, such as the network. */
export type ThrottleCounterRow = {
  /** A digest, so that the row reveals no address and no user. */
  key: string;
  /** When the last attempt will be forgotten: each attempt moves it further ahead. */
  level_time: number;
  /** When the next attempt is accepted. */
  next_time: number;
};

export type RevokedTokenRow = {
  jti: string;
  /** When the token would have expired. The row is not needed after that. */
  expire_time: number;
  /** For processes of release 0.1: see release-0-1.ts. 0 until they can read the row. */
  revision: number;
};

/** A change of a cached entity. Triggers insert it. */
export type ChangeRow = {
  id: number;
  /** The id of the transaction, in PostgreSQL only. */
  xact_id: number;
  entity: Entity | typeof deletionNote;
  entity_id: string;
  /** For a revoked token, when the token would have expired. */
  expire_time: number | null;
};

type ChangesTable = Omit<ChangeRow, 'id' | 'xact_id'> & {
  id: GeneratedAlways<number>;
  xact_id: GeneratedAlways<number>;
};

/**
 * Counts changes, for processes of release 0.1. A transaction that changes signing keys locks the
 * row `signing_keys`, one that creates an audience the row `audiences`, and one that creates a
 * trusted issuer the row `trusted_issuers`.
 */
export type RevisionRow = {
  name: 'access' | 'signing_keys' | 'revoked_tokens' | 'audiences' | 'trusted_issuers';
  value: number;
};

/** A completed action, or a failed authentication. */
export type AuditEventRow = {
  id: string;
  create_time: number;
  /** The principal's type, or `system` for actions of the service itself. */
  actor_type: string;
  /** The id of the client, API key or user; empty for an unauthenticated caller. */
  actor_id: string;
  /** The called method, such as `ClientService.CreateClient`. */
  action: string;
  /** The id of the affected object; empty if it is not known. */
  target: string;
  /** `ok` or an error code. */
  code: string;
  /** Why an assertion, an exchange, a DPoP proof or a passkey was refused; otherwise empty. */
  reason: string;
  /** The id of the client that acted for the actor with an exchanged token; otherwise empty. */
  acting_client: string;
  /** The `jti` of the token of the caller; empty for other credentials. */
  token_id: string;
  /** The number of equal events that the row represents. */
  count: number;
  request_id: string;
  address: string;
};

/** The time by which old rows were last deleted. It follows the clock but never jumps ahead. */
export type RetentionTimeRow = {
  /** The table that the time applies to. */
  name: string;
  time: number;
};

type ModuleTables = AgreementTables &
  DomainTables &
  GateTables &
  SignInTables &
  ProcessTables &
  NoticeTables;

export type Schema = ModuleTables & {
  pending_blobs: PendingBlobRow;
  blob_stores: BlobStoreRow;
  signing_keys: SigningKeyRow;
  audiences: ResourceTable<Created<AudienceRow>>;
  clients: ResourceTable<GeneratedColumns<ClientRow, 'creator_id' | DisableDefaults>>;
  client_keys: Created<ClientKeyRow>;
  trusted_issuers: ResourceTable<Created<TrustedIssuerRow>>;
  federated_identities: Created<FederatedIdentityRow>;
  usage_counts: UsageCountRow;
  used_assertions: UsedAssertionRow;
  customers: ResourceTable<GeneratedColumns<CustomerRow, 'creator_id' | DisableDefaults>>;
  accounts: AccountRow;
  customer_accounts: CustomerAccountRow;
  workspaces: ResourceTable<WorkspaceTable>;
  logos: LogoRow;
  workspace_usage: WorkspaceUsageRow;
  credentials: Created<CredentialRow>;
  users: GeneratedColumns<
    UserRow,
    'creator_id' | DisableDefaults | keyof UpdateTime | 'purge_position'
  >;
  revoked_tokens: RevokedTokenRow;
  totp_seeds: TotpSeedRow;
  password_resets: PasswordResetRow;
  recovery_codes: RecoveryCodeRow;
  invitations: InvitationRow;
  throttle_counters: ThrottleCounterRow;
  members: MemberTable;
  revisions: RevisionRow;
  changes: ChangesTable;
  audit_events: AuditEventRow;
  recorded_answers: RecordedAnswerRow;
  master_key_copies: MasterKeyCopyRow;
  retention_times: RetentionTimeRow;
  folders: FolderTable;
  documents: DocumentTable;
  document_versions: DocumentVersionTable;
  previews: PreviewTable;
  links: LinkTable;
  views: ViewTable;
  visitors: VisitorRow;
  view_pages: ViewPageRow;
  reader_mails: ReaderMailRow;
};

export type Database = Kysely<Schema>;

export type Executor = Database | Transaction<Schema>;
