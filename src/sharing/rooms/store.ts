// The entries of a folder as the readers of a room see them: folders before documents, by name.
import { type SqlBool, sql } from 'kysely';
import { foldedColumn, foldValue } from '../../storage/folded-text.ts';
import { findAncestors } from '../../storage/folder-tree.ts';
import type { DocumentRow, Executor, FolderRow } from '../../storage/schema.ts';

/** A document, and the folders from the one that contains it up to the top level. */
export type LocatedDocument = {
  readonly document: DocumentRow;
  readonly ancestors: readonly FolderRow[];
};

export async function locateDocument(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<LocatedDocument | undefined> {
  const document = await db
    .selectFrom('documents')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('remove_time', 'is', null)
    .executeTakeFirst();
  if (document === undefined || document.folder_id === null) return undefined;
  return { document, ancestors: await findAncestors(db, document.folder_id) };
}

/** A document or a folder in a listing. */
export type RoomEntry = {
  readonly id: string;
  readonly name: string;
  /** Undefined for a folder. */
  readonly contentType?: string;
  readonly sizeBytes?: number;
};

/** A folder, and the entries that the link hides. */
export type Shelf = { readonly folderId: string; readonly hidden: readonly string[] };

type Position = { readonly id: string; readonly name: string };

const isFolderId = (id: string) => id.startsWith('fld_');

/**
 * Returns the entries that follow the entry with the id `after`, or the first ones if the folder
 * shows no such entry.
 */
export async function findEntries(
  db: Executor,
  shelf: Shelf,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<RoomEntry[]> {
  const start = after === '' ? undefined : await findPosition(db, shelf, after);
  const isAfterFolders = start !== undefined && !isFolderId(start.id);
  const folders = isAfterFolders ? [] : await findFoldersIn(db, shelf, { start, limit });
  const rest = { start: isAfterFolders ? start : undefined, limit: limit - folders.length };
  return [...folders, ...(await findDocumentsIn(db, shelf, rest))];
}

/** A removed entry keeps its position. Others must not show where their names belong. */
async function findPosition(
  db: Executor,
  { folderId, hidden }: Shelf,
  id: string,
): Promise<Position | undefined> {
  if (hidden.includes(id)) return undefined;
  const [table, parent] = isFolderId(id)
    ? (['folders', 'parent_id'] as const)
    : (['documents', 'folder_id'] as const);
  const rows = db.selectFrom(table).select(['id', 'name']).where('id', '=', id);
  return rows.where(db.dynamic.ref(parent), '=', folderId).executeTakeFirst();
}

type Range = {
  readonly start?: Position | undefined;
  readonly limit: number;
  /** Whether to return the entries before `start`, the nearest first. */
  readonly isBackward?: boolean;
};

export async function findFoldersIn(
  db: Executor,
  { folderId, hidden }: Shelf,
  { start, limit }: Range,
): Promise<RoomEntry[]> {
  const key = foldedColumn(db, 'name');
  let query = db
    .selectFrom('folders')
    .select(['id', 'name'])
    .where('parent_id', '=', folderId)
    .where('remove_time', 'is', null)
    .orderBy(key)
    .orderBy('id')
    .limit(limit);
  if (hidden.length > 0) query = query.where('id', 'not in', hidden);
  return (start === undefined ? query : query.where(isBeyond(db, start, '>'))).execute();
}

export async function findDocumentsIn(
  db: Executor,
  { folderId, hidden }: Shelf,
  { start, limit, isBackward = false }: Range,
): Promise<RoomEntry[]> {
  const direction = isBackward ? 'desc' : 'asc';
  let query = db
    .selectFrom('documents')
    .select(['id', 'name', 'content_type', 'size_bytes'])
    .where('folder_id', '=', folderId)
    .where('remove_time', 'is', null)
    .orderBy(foldedColumn(db, 'name'), direction)
    .orderBy('id', direction)
    .limit(limit);
  if (hidden.length > 0) query = query.where('id', 'not in', hidden);
  if (start !== undefined) query = query.where(isBeyond(db, start, isBackward ? '<' : '>'));
  const rows = await query.execute();
  return rows.map(({ id, name, content_type, size_bytes }) => {
    return { id, name, contentType: content_type, sizeBytes: size_bytes };
  });
}

const isBeyond = (db: Executor, { id, name }: Position, operator: '<' | '>') =>
  sql<SqlBool>`(${foldedColumn(db, 'name')}, id) ${sql.raw(operator)} (${foldValue(name)}, ${id})`;
