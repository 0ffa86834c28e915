// The rows of documents, links, gates and views; see schema.ts for how values are stored.
import type { Generated } from 'kysely';

export type Flag = 0 | 1;

export type DocumentRow = {
  id: string;
  workspace_id: string;
  name: string;
  content_type: string;
  size_bytes: number;
  sha256: string;
  page_count: number;
  blob_id: string;
  create_time: number;
};

export type DocumentTable = DocumentRow & {
  /** When the stored bytes were last compared with the digest; 0 is never since the upload. */
  check_time: Generated<number>;
};

export type LinkRow = {
  id: string;
  /** The secret part of the link's url. */
  slug: string;
  workspace_id: string;
  document_id: string;
  name: string;
  email_required: Flag;
  email_verification_required: Flag;
  /** argon2id, in the PHC string format. */
  password_hash: string | null;
  allow_download: Flag;
  /** Grows with every change of the gate; what was granted under an older one is void. */
  gate_revision: number;
  create_time: number;
  expire_time: number | null;
  revoke_time: number | null;
  /** Changes in the transaction of each view. */
  view_count: number;
};

/** As the table has it: a link is inserted without views. */
export type LinkTable = Omit<LinkRow, 'view_count'> & { view_count: Generated<number> };

export type ViewRow = {
  id: string;
  link_id: string;
  email: string;
  email_verified: Flag;
  create_time: number;
  duration_ms: number;
};

/** What one visit of a view, a page opened once, has claimed of a document's page. */
export type ViewPageRow = {
  view_id: string;
  visit: string;
  /** 0 for the time spent on no page in particular. */
  page: number;
  duration_ms: number;
};

/** The one-time code that proves an address to a link's gate. */
export type GateCodeRow = {
  /** A digest of the link and the address: the last code sent is the one that counts. */
  key: string;
  link_id: string;
  /** Of the code, under a key of the master key. */
  digest: string;
  /** How often a code was tried. */
  tries: number;
  send_time: number;
  expire_time: number;
};

/** An address that a reader has proven to a gate of a workspace. */
export type ProvenAddressRow = {
  /** A digest of both. */
  key: string;
  last_time: number;
};
