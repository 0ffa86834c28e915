// The tree of the folders of a workspace.

import { sql } from 'kysely';
import { countRows } from '../../storage/queries/row-counts.ts';
import type { Executor, FolderRow } from '../../storage/schema/schema.ts';

/** How many folders may contain each other. A folder at the top level has depth 1. */
export const folderDepthMax = 8;

/** The documents and folders that a folder contains directly. */
export const folderEntriesMax = 10_000;

export const folderColumns = [
  ...(['id', 'workspace_id', 'parent_id', 'name', 'name_key'] as const),
  ...(['create_time', 'update_time', 'creator_id'] as const),
];

/** Returns a folder that is not removed. */
export function findFolder(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<FolderRow | undefined> {
  return db
    .selectFrom('folders')
    .select(folderColumns)
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('remove_time', 'is', null)
    .executeTakeFirst();
}

/** Returns the folder and the folders that contain it, up to the top level. */
export async function findAncestors(db: Executor, id: string): Promise<FolderRow[]> {
  const rows = await db
    .withRecursive('path', (qc) =>
      qc
        .selectFrom('folders')
        .select(folderColumns)
        .select(sql<number>`0`.as('height'))
        .where('id', '=', id)
        .where('remove_time', 'is', null)
        .unionAll(
          qc
            .selectFrom('folders')
            .innerJoin('path', 'path.parent_id', 'folders.id')
            .select(folderColumns.map((column) => `folders.${column}` as const))
            .select(sql<number>`path.height + 1`.as('height'))
            .where('path.height', '<', folderDepthMax),
        ),
    )
    .selectFrom('path')
    .selectAll()
    .orderBy('height')
    .execute();
  return rows.map(({ height: _, ...folder }) => folder);
}

/** A folder and its distance from the top of a tree. */
export type FolderInTree = Pick<FolderRow, 'id' | 'name' | 'parent_id'> & {
  readonly height: number;
};

/** Returns a folder and the folders within it, without `hidden` ones and those in them. */
export function findDescendants(
  db: Executor,
  id: string,
  hidden: readonly string[] = [],
): Promise<FolderInTree[]> {
  return db
    .withRecursive('tree', (qc) => {
      const within = qc
        .selectFrom('folders')
        .innerJoin('tree', 'tree.id', 'folders.parent_id')
        .select(['folders.id', 'folders.name', 'folders.parent_id'])
        .select(sql<number>`tree.height + 1`.as('height'))
        .where('folders.remove_time', 'is', null)
        .where('tree.height', '<', folderDepthMax);
      return qc
        .selectFrom('folders')
        .select(['id', 'name', 'parent_id'])
        .select(sql<number>`0`.as('height'))
        .where('id', '=', id)
        .unionAll(hidden.length === 0 ? within : within.where('folders.id', 'not in', hidden));
    })
    .selectFrom('tree')
    .select(['id', 'name', 'parent_id', 'height'])
    .execute();
}

/** Counts the documents and folders that a folder contains directly, up to the maximum. */
export async function countEntries(db: Executor, folderId: string): Promise<number> {
  const documents = db
    .selectFrom('documents')
    .select(sql.lit(1).as('entry'))
    .where('folder_id', '=', folderId)
    .where('remove_time', 'is', null)
    .limit(folderEntriesMax);
  const folders = db
    .selectFrom('folders')
    .select(sql.lit(1).as('entry'))
    .where('parent_id', '=', folderId)
    .where('remove_time', 'is', null);
  const counts = await Promise.all(
    [documents, folders].map((rows) => countRows(db.selectFrom(rows.as('counted')))),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
