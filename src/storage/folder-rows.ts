// The row types of folders; schema.ts describes how values are stored.
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
