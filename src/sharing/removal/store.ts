// Deletes the rows of removed documents, from the page rows of views up to the document, and those
// of deleted workspaces.

import { skipLocked } from '../../storage/queries/row-locks.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { deleteUntil, type PurgeStep } from '../../storage/upkeep/purge.ts';
import { findBlobsOf } from '../queries/document-versions.ts';
import { insertExpiredBlob } from '../queries/expired-blobs.ts';

/** Fewer than `limit`: none is left. A view is deleted with all its page rows. */
export function deleteRemovedRows(trx: Executor, limit: number): Promise<number> {
  return deleteUntil(limit, async (rest) => {
    const document = await trx
      .selectFrom('documents')
      .select('id')
      .where('remove_time', 'is not', null)
      .orderBy('remove_time')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return document === undefined ? 0 : deleteRowsOf(trx, document.id, rest);
  });
}

async function deleteRowsOf(trx: Executor, documentId: string, limit: number): Promise<number> {
  // Also the views in rooms, whose links stay.
  const ofDocument = await deleteViews(trx, 'document_id', documentId, limit);
  if (ofDocument > 0) return ofDocument;
  const link = await trx
    .selectFrom('links')
    .select('id')
    .where('document_id', '=', documentId)
    .limit(1)
    .executeTakeFirst();
  if (link === undefined) {
    await trx.deleteFrom('documents').where('id', '=', documentId).execute();
    return 1;
  }
  return deleteRowsOfLink(trx, link.id, limit);
}

async function deleteRowsOfLink(trx: Executor, id: string, limit: number): Promise<number> {
  const views = await deleteViews(trx, 'link_id', id, limit);
  if (views > 0) return views;
  const codes = await deleteCodes(trx, id, limit);
  if (codes > 0) return codes;
  await trx.deleteFrom('links').where('id', '=', id).execute();
  return 1;
}

/** Deletes rows of the documents of a workspace, and the documents. A sweep removes the bytes. */
export const deleteDocumentOf: PurgeStep = (trx, workspaceId, limit) =>
  deleteUntil(limit, async (rest) => {
    const document = await trx
      .selectFrom('documents')
      .select(['id', 'remove_time'])
      .where('workspace_id', '=', workspaceId)
      .limit(1)
      .executeTakeFirst();
    if (document === undefined) return 0;
    const { id } = document;
    if (document.remove_time !== null) return deleteRowsOf(trx, id, rest);
    const { blobIds } = await findBlobsOf(trx, id);
    for (const blobId of blobIds) await insertExpiredBlob(trx, blobId);
    await trx.deleteFrom('document_versions').where('document_id', '=', id).execute();
    const removed = { remove_time: 0, blob_id: `removed ${id}`, folder_id: null };
    await trx.updateTable('documents').set(removed).where('id', '=', id).execute();
    const rows = await deleteRowsOf(trx, id, Math.max(rest - blobIds.length, 1));
    return blobIds.length + rows;
  });

/** Deletes rows of the remaining links of a workspace, and the links. */
export const deleteLinkOf: PurgeStep = (trx, workspaceId, limit) =>
  deleteUntil(limit, async (rest) => {
    const link = await trx
      .selectFrom('links')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .limit(1)
      .executeTakeFirst();
    return link === undefined ? 0 : deleteRowsOfLink(trx, link.id, rest);
  });

async function deleteViews(
  trx: Executor,
  column: 'document_id' | 'link_id',
  id: string,
  limit: number,
): Promise<number> {
  const some = trx.selectFrom('views').select('id').where(column, '=', id).limit(limit);
  // The recorder of views also locks a view before its page rows.
  const ids = (await skipLocked(trx, some).execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  const pages = await trx
    .selectFrom('view_pages')
    .select((eb) => ['view_id', eb.fn.countAll<number>().as('rows')])
    .where('view_id', 'in', ids)
    .groupBy('view_id')
    .execute();
  const rowsOf = new Map(pages.map(({ view_id, rows }) => [view_id, Number(rows)]));
  const chosen: string[] = [];
  let rows = 0;
  for (const id of ids) {
    if (rows >= limit) break;
    chosen.push(id);
    rows += 1 + (rowsOf.get(id) ?? 0);
  }
  await trx.deleteFrom('views').where('id', 'in', chosen).execute();
  return rows;
}

async function deleteCodes(trx: Executor, linkId: string, limit: number): Promise<number> {
  const some = trx.selectFrom('gate_codes').select('key').where('link_id', '=', linkId);
  const keys = (await skipLocked(trx, some.limit(limit)).execute()).map(({ key }) => key);
  if (keys.length > 0) await trx.deleteFrom('gate_codes').where('key', 'in', keys).execute();
  return keys.length;
}

/** Deletes folders without folders in them, so that each slice leaves a whole tree. */
export const deleteFolders: PurgeStep = (trx, workspaceId, limit) =>
  deleteUntil(limit, async (rest) => {
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
      .limit(rest)
      .execute();
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await trx.deleteFrom('folders').where('id', 'in', ids).execute();
    return rows.length;
  });

/**
 * Deletes the domains of a workspace that is deleted for good. Verified domains stay, marked as
 * removed: readers may have their URLs, and a proxy may have a certificate.
 */
export const keepRemovedDomains: PurgeStep = async (trx, workspaceId, limit) => {
  const rows = await trx
    .selectFrom('domains')
    .select(['id', 'verify_time'])
    .where('workspace_id', '=', workspaceId)
    .limit(limit)
    .execute();
  const workspace = trx.selectFrom('workspaces').where('id', '=', workspaceId);
  for (const { id, verify_time } of rows) {
    if (verify_time === null) {
      await trx.deleteFrom('domains').where('id', '=', id).execute();
      continue;
    }
    await trx
      .updateTable('domains')
      .set((eb) => ({
        ...{ workspace_id: '', txt_value: '', is_primary: 0 },
        remove_time: eb.fn.coalesce('remove_time', workspace.select('delete_time')),
      }))
      .where('id', '=', id)
      .execute();
  }
  return rows.length;
};
