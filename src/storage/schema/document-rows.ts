// The row types of folders and previews; schema.ts describes how values are stored.
import type { Generated } from 'kysely';
import type { UpdateTime } from './resource-rows.ts';
import type { GeneratedColumns } from './sharing-rows.ts';

export type FolderRow = UpdateTime & {
  id: string;
  workspace_id: string;
  /** Null at the top level. */
  parent_id: string | null;
  name: string;
  /** The name in the form in which names of one parent are different. */
  name_key: string;
  create_time: number;
  creator_id: string | null;
};

export type FolderTable = GeneratedColumns<FolderRow, 'creator_id' | keyof UpdateTime> & {
  /** When the folder was deleted. The row stays for the links that showed the folder. */
  remove_time: Generated<number | null>;
};

/** The preview of a version of an Office file. A trigger inserts the row with the version. */
export type PreviewRow = {
  document_id: string;
  version: number;
  workspace_id: string;
  state: 'pending' | 'ready' | 'failed';
  /** A key of `conversionErrors`; empty unless the conversion failed. */
  error: string;
  /** The number of attempts that have started. */
  attempts: number;
  /** When the next attempt may start; at first, when the version was uploaded. */
  due_time: number;
  /** The bytes of the PDF. A trigger notes them in `pending_blobs` when the row is deleted. */
  blob_id: string | null;
  size_bytes: number;
  sha256: string;
};

type Inserted = 'document_id' | 'version' | 'workspace_id' | 'due_time';

export type PreviewTable = Pick<PreviewRow, Inserted> & {
  [Column in Exclude<keyof PreviewRow, Inserted>]: Generated<PreviewRow[Column]>;
};
