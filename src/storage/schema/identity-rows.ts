// The rows of clients, customers, accounts and audiences, of mailed links, of recovery codes and of
// recorded answers.
import type { DisableColumns, ResourceColumns } from './resource-rows.ts';

export type ClientRow = ResourceColumns & {
  id: string;
  name: string;
  /** Space-separated. */
  scopes: string;
  create_time: number;
  /** The name of the client's certificate: a URI or a DNS name in lower case (RFC 8705 §2.1.2). */
  tls_client_auth_san_uri: string | null;
  tls_client_auth_san_dns: string | null;
  /** Space-separated. Null means the audience of this service. */
  audience_ids: string | null;
  /** A JSON object with additional claims. */
  claims: string | null;
  /** The lifetime of the tokens. Null means the configured one. */
  token_seconds: number | null;
  /** Space-separated. */
  default_scopes: string | null;
  /** The subjects whose tokens the client may exchange. Space-separated. */
  may_act: string | null;
  /** Whether each token is bound to a key. */
  bound_tokens: 0 | 1 | null;
  /** The id of the principal that created the row; null for the service, or before 0033. */
  creator_id: string | null;
} & DisableColumns;

/** A public key with which a client signs assertions. */
export type ClientKeyRow = {
  id: string;
  client_id: string;
  name: string;
  /** The public JSON Web Key, as JSON. */
  jwk: string;
  /** The RFC 7638 thumbprint of the key. */
  thumbprint: string;
  create_time: number;
  expire_time: number | null;
  revoke_time: number | null;
  last_used_time: number | null;
  creator_id: string | null;
};

/** How often requests of a day had one outcome. */
export type UsageCountRow = {
  /** The other columns except `count`, separated by spaces. */
  key: string;
  /** The id of a client, a customer, a client secret or a customer's API key. */
  subject_id: string;
  /** Days since 1970, of UTC. */
  day: number;
  /** `issued`, `verified`, or the error code of a refused token request. */
  outcome: string;
  count: number;
};

/** A service whose tokens authenticate clients. */
export type TrustedIssuerRow = ResourceColumns & {
  id: string;
  name: string;
  /** The `iss` of its tokens. */
  issuer: string;
  /** Null means discovery, unless the keys are pinned. */
  jwks_uri: string | null;
  /** The pinned keys, as the JSON of a JWK set. */
  jwks: string | null;
  /** The `aud` of its tokens. Empty means the public URL of this service. */
  audience: string;
  enabled: 0 | 1;
  create_time: number;
  /** The keys that were read from the issuer, as the JSON of a JWK set. */
  read_jwks: string | null;
  /** When they were read. */
  read_time: number | null;
  /** When a process last began to read them. */
  attempt_time: number | null;
  /** Why that attempt failed. Empty if it succeeded. */
  attempt_error: string;
  creator_id: string | null;
};

/** A workload that authenticates as a client with a token of a trusted issuer. */
export type FederatedIdentityRow = {
  id: string;
  client_id: string;
  issuer_id: string;
  /** The pattern of the token's `sub`. */
  subject: string;
  /** The patterns of other claims by their names, as JSON. */
  claims: string;
  create_time: number;
  last_used_time: number | null;
  creator_id: string | null;
};

/** An assertion that must not be used again before it expires. */
export type UsedAssertionRow = {
  /** The hexadecimal SHA-256 digest of its issuer and `jti`. */
  digest: string;
  expire_time: number;
};

export type CustomerRow = ResourceColumns & {
  id: string;
  name: string;
  create_time: number;
  /** Space-separated. Null means the audience of this service. */
  audience_ids: string | null;
  creator_id: string | null;
} & DisableColumns;

/** A service that tokens are for. */
export type AudienceRow = ResourceColumns & {
  id: string;
  /** The `aud` of the tokens. */
  identifier: string;
  name: string;
  create_time: number;
  /** Signs the tokens. */
  signing_alg: SigningAlgorithm;
  creator_id: string | null;
};

/** Staff have confirmed that a copy of the master key exists outside the servers. */
export type MasterKeyCopyRow = {
  /** The id of the master key. */
  key_id: string;
  create_time: number;
};

/** The algorithms that sign tokens (RFC 7518 §3.1, RFC 8037 §3.1). */
export type SigningAlgorithm = 'EdDSA' | 'ES256' | 'RS256';

/** A mailed link that sets a new password once. */
export type PasswordResetRow = {
  id: string;
  user_id: string;
  /**
   * The hexadecimal SHA-256 digest of the link's secret and of the user's email address and
   * password hash. A change of either makes the link invalid.
   */
  digest: string;
  create_time: number;
  expire_time: number;
};

/** A mailed link that adds its recipient to a workspace once. */
export type InvitationRow = {
  id: string;
  workspace_id: string;
  /** The email address in lower case. */
  email: string;
  role: 'owner' | 'admin' | 'member';
  /** The principal who created the invitation. Acceptance requires that it may still invite. */
  inviter_type: 'service' | 'staff' | 'member';
  inviter_id: string;
  /** The hexadecimal SHA-256 digest of the link's secret. */
  digest: string;
  create_time: number;
  expire_time: number;
};

export type RecoveryCodeRow = {
  user_id: string;
  /** The hexadecimal SHA-256 digest of the user's id and the code. */
  digest: string;
};

/** The answer of a call that had an Idempotency-Key. */
export type RecordedAnswerRow = {
  /** A digest of the caller and the Idempotency-Key. */
  key: string;
  /** The caller's type and id. */
  caller: string;
  /** The answer, encrypted under keys derived from the master key and the Idempotency-Key. */
  answer: string;
  master_key_id: string;
  create_time: number;
};

/** The row exists while at least one customer has the account. */
export type AccountRow = {
  id: string;
  create_time: number;
};

export type CustomerAccountRow = {
  customer_id: string;
  account_id: string;
};
