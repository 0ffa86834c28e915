// The rows of the gates of links.

/** The one-time code that verifies an email address for a link's gate. */
export type GateCodeRow = {
  /** A digest of the link and the address, so that only the last code sent is valid. */
  key: string;
  link_id: string;
  /** A keyed digest of the code. The key is derived from the master key. */
  digest: string;
  /** The number of attempts to enter the code. */
  tries: number;
  send_time: number;
  expire_time: number;
};

/** An email address that a reader has verified at a gate of a workspace. */
export type VerifiedAddressRow = {
  /** A digest of the workspace and the address. */
  key: string;
  last_time: number;
};

/** A browser that remembers the verified address of a reader for the links of a workspace. */
export type RememberedReaderRow = {
  /** A digest of the cookie, the workspace and the host name. */
  digest: string;
  workspace_id: string;
  email: string;
  expire_time: number;
};

export type GateTables = {
  remembered_readers: RememberedReaderRow;
  gate_codes: GateCodeRow;
  verified_addresses: VerifiedAddressRow;
};
