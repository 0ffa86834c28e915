import { ownedRows, type Purge } from '../../storage/upkeep/purge.ts';
import type { RetentionRule } from '../../storage/upkeep/retention.ts';
import {
  deleteDocumentOf,
  deleteFolders,
  deleteLinkOf,
  deleteRemovedRows,
  keepRemovedDomains,
} from './store.ts';

/** Deletes the links and views of removed documents, and then the documents. */
export const removal: RetentionRule = {
  rows: 'removed documents',
  begin: () => deleteRemovedRows,
};

const ofWorkspace = ['visitors', 'agreements', 'invitations', 'logos'] as const;

/** The texts of agreements stay, because other workspaces may have the same. */
export const workspacePurge: Purge = {
  table: 'workspaces',
  steps: [
    deleteDocumentOf,
    deleteLinkOf,
    ...ofWorkspace.map((table) => ownedRows(table, 'workspace_id', 'id')),
    keepRemovedDomains,
    ownedRows('remembered_readers', 'workspace_id', 'digest'),
    deleteFolders,
    ownedRows('credentials', 'workspace_id', 'id'),
    ownedRows('members', 'workspace_id', 'user_id'),
    ownedRows('notice_reads', 'workspace_id', 'user_id'),
    ownedRows('workspace_usage', 'workspace_id', 'workspace_id'),
  ],
};
