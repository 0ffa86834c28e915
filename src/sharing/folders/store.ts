import { sql } from 'kysely';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { countRows, hasRow } from '../../storage/queries/row-counts.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { insertInto, updateBy } from '../../storage/queries/table-queries.ts';
import type { Executor, FolderRow } from '../../storage/schema/schema.ts';
import { folderColumns } from '../queries/folder-tree.ts';
import { linkCountOf } from '../queries/link-counts.ts';

export const folderList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'id'],
} as const satisfies List;

export const folderSearch: SearchTable = {
  table: 'folders',
  idPrefix: 'fld',
  texts: ['name'],
  workspace: 'workspace_id',
  where: () => sql`remove_time is null`,
};

export type CountedFolder = FolderRow & { readonly link_count: number };

const selectCounted = (db: Executor, workspaceId: string) =>
  db
    .selectFrom('folders')
    .select(folderColumns)
    .select(linkCountOf('folders', 'folder_id').as('link_count'))
    .where('workspace_id', '=', workspaceId)
    .where('remove_time', 'is', null);

export function findCountedFolder(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<CountedFolder | undefined> {
  return selectCounted(db, workspaceId).where('id', '=', id).executeTakeFirst();
}

/** `parentId`: empty for the top level, undefined for all folders. */
export type FolderFilter = { readonly workspaceId: string; readonly parentId?: string | undefined };

export function findFolders(
  db: Executor,
  { workspaceId, parentId }: FolderFilter,
  query: ListQuery,
): Promise<ListPage<CountedFolder>> {
  const all = selectCounted(db, workspaceId);
  if (parentId === undefined) return readList(db, all, folderList, query);
  const within =
    parentId === '' ? all.where('parent_id', 'is', null) : all.where('parent_id', '=', parentId);
  return readList(db, within, folderList, query);
}

export function countFolders(db: Executor, workspaceId: string): Promise<number> {
  return countRows(
    db
      .selectFrom('folders')
      .where('workspace_id', '=', workspaceId)
      .where('remove_time', 'is', null),
  );
}

export const insertFolder = insertInto('folders');

export type FolderChange = Partial<
  Pick<FolderRow, 'name' | 'name_key' | 'parent_id' | 'update_time'>
>;

export const updateFolder = updateBy('folders', 'id');

/** Deletes a folder, or marks it as removed if links refer to it, and revokes these links. */
export async function removeFolder(trx: Executor, id: string, time: number): Promise<void> {
  if (!(await hasRow(trx.selectFrom('links').where('folder_id', '=', id)))) {
    await trx.deleteFrom('folders').where('id', '=', id).execute();
    return;
  }
  await trx
    .updateTable('links')
    .set({ revoke_time: time, update_time: time })
    .where('folder_id', '=', id)
    .where('revoke_time', 'is', null)
    .execute();
  await trx
    .updateTable('folders')
    // The folder that contained it can be deleted, too.
    .set({ remove_time: time, parent_id: null })
    .where('id', '=', id)
    .execute();
}
