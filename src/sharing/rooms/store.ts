// The entries of a folder as the readers of a room see them: folders before documents, by name.

import { type SqlBool, sql } from 'kysely';
import { foldedColumn, foldValue } from '../../storage/queries/folded-text.ts';
import type { DocumentRow, Executor, FolderRow } from '../../storage/schema/schema.ts';
import { findDocument } from '../queries/document-versions.ts';
import { findAncestors } from '../queries/folder-tree.ts';

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
  const document = await findDocument(db, workspaceId, id);
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

/** The place of an entry in the list of a folder. */
export type EntryPosition = Pick<RoomEntry, 'id' | 'name'>;

const isFolderId = (id: string) => id.startsWith('fld_');

/** Returns the entries that follow `after`, or the first ones. */
export async function findEntries(
  db: Executor,
  shelf: Shelf,
  { after, limit }: { readonly after: EntryPosition | undefined; readonly limit: number },
): Promise<RoomEntry[]> {
  const isAfterFolders = after !== undefined && !isFolderId(after.id);
  const folders = isAfterFolders ? [] : await findFoldersIn(db, shelf, { start: after, limit });
  const rest = { start: isAfterFolders ? after : undefined, limit: limit - folders.length };
  return [...folders, ...(await findDocumentsIn(db, shelf, rest))];
}

type Range = {
  readonly start?: EntryPosition | undefined;
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

const isBeyond = (db: Executor, { id, name }: EntryPosition, operator: '<' | '>') =>
  sql<SqlBool>`(${foldedColumn(db, 'name')}, id) ${sql.raw(operator)} (${foldValue(name)}, ${id})`;
