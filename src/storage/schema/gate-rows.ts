// The rows of the gates of links, of agreements, and of the keys that sign their receipts.
import type { Generated } from 'kysely';

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

/** The text of an agreement. Links and agreements refer to it by its digest. */
export type AgreementTextRow = {
  /** The hexadecimal SHA-256 digest of the text in UTF-8. */
  sha256: string;
  text: string;
};

/** An agreement that a reader has accepted. It stays when its link and document are deleted. */
export type AgreementRow = {
  id: string;
  workspace_id: string;
  link_id: string;
  /** Empty for a link to a folder. */
  document_id: string;
  /** Empty for a link to a document. */
  folder_id: string;
  /** The digest of the text. */
  sha256: string;
  /** The verified address of the reader. */
  email: string;
  accept_time: number;
  /** The signed receipt, as a compact JWS. */
  receipt: string;
};

/** A key that signs receipts. It is published forever, because receipts do not expire. */
export type ReceiptKeyRow = {
  kid: string;
  public_x: string;
  private_ciphertext: string;
  master_key_id: string;
  create_time: number;
};

export type AgreementTables = {
  agreement_texts: AgreementTextRow;
  agreements: Omit<AgreementRow, 'folder_id'> & { folder_id: Generated<string> };
  receipt_keys: ReceiptKeyRow;
};
