// The rows of sessions, and of identity providers and their accounts.
import type { UpdateTime } from './resource-rows.ts';
import type { Flag, GeneratedColumns } from './sharing-rows.ts';

export type IdentityProviderRow = UpdateTime & {
  id: string;
  name: string;
  issuer: string;
  client_id: string;
  /** The client secret, encrypted under the master key `master_key_id`. */
  secret_ciphertext: string;
  master_key_id: string;
  /** Space-separated, in lower case. */
  allowed_domains: string;
  /** A JSON array. */
  role_mappings: string;
  enabled: Flag;
  create_users: Flag;
  groups_claim: string;
  email_verified_claim: string;
  /** Space-separated. */
  additional_scopes: string;
  create_time: number;
  creator_id: string | null;
};

/** An account of a provider, linked to a user. */
export type UserIdentityRow = {
  id: string;
  user_id: string;
  provider_id: string;
  /** The `sub` of the account. */
  subject: string;
  /** Whether the provider has created the user, whose grants its mappings decide. */
  manages_grants: Flag;
  create_time: number;
};

export type PasskeyRow = {
  id: string;
  user_id: string;
  /** In base64url, like the public key, which is a COSE key (RFC 9052 §7). */
  credential_id: string;
  public_key: string;
  /** The signature counter of the last sign-in; 0 if the authenticator has none. */
  counter: number;
  /** Space-separated. */
  transports: string;
  /** Whether the authenticator may copy the passkey to other devices. */
  synced: Flag;
  name: string;
  create_time: number;
  last_used_time: number | null;
};

/** Since when the service requires a second factor of staff. One row, with the name `staff`. */
export type StaffFactorRuleRow = {
  name: string;
  since: number;
};

/** The hash that `recover-staff` has set. It counts while it is the hash of the user's password. */
export type RecoveryPasswordRow = {
  user_id: string;
  password_hash: string;
};

export type SessionRow = {
  id: string;
  user_id: string;
  /** The hexadecimal SHA-256 digest of the cookie's secret. */
  digest: string;
  /** The authentication methods of the sign-in (RFC 8176), space-separated. */
  amr: string;
  /** The network address of the sign-in. */
  address: string;
  /** The time of the sign-in. */
  create_time: number;
  refresh_time: number;
  /** When the session expires unless it is refreshed. */
  expire_time: number;
  revoke_time: number | null;
  /** When the provider authenticated the user; 0 if unknown. Null means `create_time`. */
  auth_time: number | null;
  /** The identity provider of the sign-in, and the `sid` of its ID token. */
  provider_id: string | null;
  provider_sid: string | null;
  /** The `User-Agent` of the sign-in, cut off. */
  user_agent: string | null;
};

export type SessionTable = GeneratedColumns<
  SessionRow,
  'auth_time' | 'provider_id' | 'provider_sid' | 'user_agent'
>;

/** A command-line sign-in through a browser (RFC 8628). */
export type DeviceSignInRow = {
  id: string;
  /** The hexadecimal SHA-256 digest of the device code. */
  digest: string;
  /** Eight letters in upper case, without the dash. */
  user_code: string;
  state: 'pending' | 'approved' | 'denied' | 'used';
  /** The network address of the program that asked. */
  address: string;
  /** The `User-Agent` of that program, cut off. */
  user_agent: string | null;
  create_time: number;
  expire_time: number;
  /** The last call for the session. Calls that were too early do not count. */
  last_poll_time: number | null;
  /** The session that approved or denied the sign-in. */
  session_id: string | null;
};

/** A network from which a user has signed in. */
export type FamiliarNetworkRow = {
  /** A digest of the user and the network. */
  key: string;
  last_time: number;
};

export type SignInTables = {
  familiar_networks: FamiliarNetworkRow;
  sessions: SessionTable;
  device_sign_ins: DeviceSignInRow;
  identity_providers: GeneratedColumns<IdentityProviderRow, keyof UpdateTime>;
  user_identities: UserIdentityRow;
  passkeys: PasskeyRow;
  staff_factor_rule: StaffFactorRuleRow;
  recovery_passwords: RecoveryPasswordRow;
};
