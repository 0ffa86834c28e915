import { ownedRows, type Purge, type PurgeStep } from '../../storage/purge.ts';
import type { RetentionRule } from '../../storage/retention.ts';
import { deleteDocumentOf, deleteLinkOf, deleteRemovedRows } from './store.ts';

/** Deletes the links and views of removed documents, and then the documents. */
export const removal: RetentionRule = {
  rows: 'removed documents',
  begin: () => deleteRemovedRows,
};

const ofWorkspace = ['visitors', 'agreements', 'invitations', 'logos', 'domains'] as const;

/** Deletes folders without folders in them, so that each slice leaves a whole tree. */
const deleteFolders: PurgeStep = async (trx, workspaceId, limit) => {
  let deleted = 0;
  while (deleted < limit) {
    const rows = await trx
      .selectFrom('folders as f')
      .select('f.id')
      .where('f.workspace_id', '=', workspaceId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('folders as inner')
              .select('inner.id')
              .whereRef('inner.parent_id', '=', 'f.id'),
          ),
        ),
      )
      .limit(limit - deleted)
      .execute();
    if (rows.length === 0) break;
    const ids = rows.map(({ id }) => id);
    await trx.deleteFrom('folders').where('id', 'in', ids).execute();
    deleted += rows.length;
  }
  return deleted;
};

/** The texts of agreements stay, because other workspaces may have the same. */
export const workspacePurge: Purge = {
  table: 'workspaces',
  steps: [
    deleteDocumentOf,
    deleteLinkOf,
    ...ofWorkspace.map((table) => ownedRows(table, 'workspace_id', 'id')),
    deleteFolders,
    ownedRows('credentials', 'workspace_id', 'id'),
    ownedRows('members', 'workspace_id', 'user_id'),
    ownedRows('workspace_usage', 'workspace_id', 'workspace_id'),
  ],
};
