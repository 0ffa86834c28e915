// The row types of workspaces, blobs, documents, links and views; schema.ts describes the values.
import { type Generated, type SqlBool, sql } from 'kysely';
import type {
  DeletionColumns,
  DeletionDefaults,
  ResourceColumns,
  UpdateTime,
} from './resource-rows.ts';

export type Flag = 0 | 1;

/** The insertable row: columns with a default can be omitted. */
export type GeneratedColumns<Row, Columns extends keyof Row> = Omit<Row, Columns> & {
  [Column in Columns]: Generated<Row[Column]>;
};

/** The insertable row: the service itself creates rows without a creator. */
export type Created<Row extends { creator_id: string | null }> = GeneratedColumns<
  Row,
  'creator_id'
>;

export type WorkspaceRow = ResourceColumns & {
  id: string;
  name: string;
  create_time: number;
  /** The workspace's quota; null means that the quota of the settings applies. */
  bytes_max: number | null;
  documents_max: number | null;
  links_max: number | null;
  views_max: number | null;
  /** `#rrggbb` in lower case; empty for the colour of the service. */
  accent_color: string;
  /** The id of the workspace's row in `logos`; empty without a logo. */
  logo_id: string;
  /** A JSON object, see `link-defaults.ts`; empty for the defaults of a new workspace. */
  link_defaults: string;
  /** Since when members need a second factor; null if they do not. */
  factor_required_since: number | null;
  factor_grace_days: number;
  creator_id: string | null;
} & DeletionColumns;

/** The insertable row: a new workspace has no brand. */
export type WorkspaceTable = GeneratedColumns<
  WorkspaceRow,
  | ('accent_color' | 'logo_id' | 'link_defaults' | 'factor_required_since')
  | ('factor_grace_days' | 'creator_id' | DeletionDefaults)
>;

/** A document with its current version. */
export type DocumentRow = UpdateTime & {
  id: string;
  workspace_id: string;
  name: string;
  content_type: string;
  size_bytes: number;
  sha256: string;
  page_count: number;
  blob_id: string;
  create_time: number;
  /** The number of the version that the row contains. */
  version: number;
  /** The folder that contains the document; null at the top level. */
  folder_id: string | null;
  creator_id: string | null;
};

export type DocumentTable = GeneratedColumns<
  DocumentRow,
  'version' | 'folder_id' | 'creator_id' | keyof UpdateTime
> & {
  /** The highest number of a version so far. Without it, a trigger inserts the first version. */
  last_version: Generated<number>;
  /** Only release 0.1 uses this: `document_versions` has the time of each version. */
  check_time: Generated<number>;
  /**
   * When the document was removed. No request finds the row any more. Its links and views are
   * deleted in slices, and then the row.
   */
  remove_time: Generated<number | null>;
  /** The views of all links. A trigger updates it with the count of a link. */
  view_count: Generated<number>;
  /** When the newest view began. */
  last_view_time: Generated<number | null>;
};

/** A version of a document. The current one is also in the row of its document. */
export type DocumentVersionRow = Pick<
  DocumentRow,
  | 'version'
  | 'content_type'
  | 'size_bytes'
  | 'sha256'
  | 'page_count'
  | 'blob_id'
  /** When the version was uploaded. */
  | 'create_time'
> & { document_id: string };

export type DocumentVersionTable = DocumentVersionRow & {
  /** When the stored bytes were last compared with the digest; 0 if never since the upload. */
  check_time: Generated<number>;
};

export type LinkRow = UpdateTime & {
  id: string;
  /** The secret part of the link's URL. */
  slug: string;
  workspace_id: string;
  /** Null for a link to a folder. */
  document_id: string | null;
  name: string;
  email_required: Flag;
  email_verification_required: Flag;
  /** The argon2id hash in PHC string format. */
  password_hash: string | null;
  allow_download: Flag;
  /** Incremented by every change of the gate. Access granted under an older revision is void. */
  gate_revision: number;
  create_time: number;
  expire_time: number | null;
  revoke_time: number | null;
  /** Updated in the transaction of each view. */
  view_count: number;
  /** Addresses and `@domain`s in the form of net/address-lists.ts, separated by spaces. */
  allow_list: string;
  block_list: string;
  /** Whether readers see the name of the document. */
  show_title: Flag;
  /** When the creator gets mails; empty for never. */
  notify: '' | 'first_view' | 'every_view' | 'digest';
  /** The view count at the time when `notify` was set. */
  notify_from: number;
  /** As in `ClientRow`. Before migration 0033, only the ids of users. */
  creator_id: string | null;
  /** The version of the document that the link shows; null for the current one. */
  pinned_version: number | null;
  /** The maximum number of views; null means no limit. */
  view_limit: number | null;
  /** The address of the person who gets the link; empty for no particular person. */
  recipient: string;
  /** The digest of the text that readers must accept; empty for none. */
  agreement_sha256: string;
  /** Null for a link to a document. */
  folder_id: string | null;
  /** The rules for the entries of the folder, in the form of `entry-rules.ts`; empty for none. */
  entry_rules: string;
  /** Whether readers get only stamped pages. */
  watermark: Flag;
  /** Whether programs may read the document for a person. */
  program_access: Flag;
};

/** The insertable row: a link is inserted without a view count. */
export type LinkTable = GeneratedColumns<
  LinkRow,
  | ('view_count' | 'allow_list' | 'block_list' | 'show_title' | 'notify' | 'notify_from')
  | ('creator_id' | 'pinned_version' | 'view_limit' | 'recipient' | 'agreement_sha256')
  | ('folder_id' | 'entry_rules' | 'watermark' | 'program_access')
  | keyof UpdateTime
>;

/** A mail to a reader that was not sent yet. */
export type ReaderMailRow = {
  /** The id of the object that the mail is about. Its prefix is the kind of the mail. */
  target_id: string;
  due_time: number;
  /** Failed attempts to send the mail. */
  attempts: number;
  /** A text of the sender; may be empty. */
  message: string;
};

export type MemberRow = {
  workspace_id: string;
  user_id: string;
  role: 'owner' | 'admin' | 'member';
  create_time: number;
  /** 0 if the user was added without being asked. Earlier releases omit it. */
  joined: Flag;
};

export type MemberTable = GeneratedColumns<MemberRow, 'joined'>;

export type LogoRow = {
  /** Random, and part of the logo's URL. */
  id: string;
  workspace_id: string;
  content_type: string;
  /** In base64. */
  content: string;
};

export type ViewRow = {
  id: string;
  link_id: string;
  email: string;
  email_verified: Flag;
  create_time: number;
  duration_ms: number;
};

/** A view with its document and its downloads. */
export type StoredView = ViewRow & {
  readonly document_id: string | null;
  readonly version: number | null;
  readonly download_count: number;
  /** The start of the last download that was counted. */
  readonly last_download_time: number | null;
  /** The agreement that the reader accepted; empty for none. */
  readonly agreement_id: string;
  /** The client that read for the person; empty if the person read. */
  readonly acting_client_id: string;
  /** Its name at that time. */
  readonly acting_client_name: string;
};

export type ViewTable = ViewRow & {
  /** The document of the link. A trigger sets it if the insert does not. */
  document_id: string | null;
  /** The version of the document. A trigger sets it if the insert does not. */
  version: Generated<number | null>;
  /** The workspace of the link. A trigger sets it. */
  workspace_id: Generated<string | null>;
  download_count: Generated<number>;
  last_download_time: Generated<number | null>;
  agreement_id: Generated<string>;
  acting_client_id: Generated<string>;
  acting_client_name: Generated<string>;
  /** The view id of the reader's access session, for a view in a room. */
  access_id: Generated<string | null>;
};

/** A person with an email address who viewed documents of a workspace. */
export type VisitorRow = {
  /** The id of the first view. */
  id: string;
  workspace_id: string;
  /** With ASCII letters in lower case. */
  email: string;
  view_count: number;
  /** When the first view began. */
  create_time: number;
  last_view_time: number;
};

/** The time on one page of a document that one load of the viewer has reported. */
export type ViewPageRow = {
  view_id: string;
  visit: string;
  /** The page number; 0 for time that belongs to no particular page. */
  page: number;
  duration_ms: number;
};

/** A blob whose document row is not committed yet, or is deleted. */
export type PendingBlobRow = {
  blob_id: string;
  /** A random id of the process that writes or removes the blob. */
  owner: string;
  /** When another process may remove the blob, by the clock of the database. */
  expire_time: number;
};

/** The blob store of the database. The table has at most one row. */
export type BlobStoreRow = {
  name: 'documents';
  /** A random id. The marker of the store contains the same id. */
  id: string;
};

/**
 * Selects the rows of `links` whose document is not removed. Links to a removed folder stay. With
 * `exists`, PostgreSQL might read the documents of all workspaces into a hash table.
 */
export const hasTarget = sql<SqlBool>`(links.document_id is null or (select id from documents
  where documents.id = links.document_id and documents.remove_time is null) is not null)`;
