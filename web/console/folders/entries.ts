/** The entries of a folder: its folders by name, and then its documents. */
import { useMemo } from 'react';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Folder, FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { type PagedList, usePagedList } from '../shared/lists/use-paged-list.ts';

export type Entry = Document | Folder;

export const isFolder = (entry: Entry): entry is Folder =>
  entry.$typeName === 'latchkey.sharing.v1.Folder';

/** The id of the folder that contains the entry; empty at the top level. */
export const parentIdOf = (entry: Entry): string =>
  isFolder(entry) ? entry.parentId : entry.folderId;

/** Few requests, although the tree of a workspace may have many folders. */
const pageSize = 200;

type FolderFilter = {
  readonly workspaceId: string;
  /** The folder that contains them; empty for the top level. Unset: all folders. */
  readonly parentId?: string;
  /** A text in their names; then folders within others are found, too. */
  readonly query?: string;
  /** The order of the documents. Folders keep their order if they lack the field. */
  readonly orderBy?: string;
};

export function useFolders({ workspaceId, parentId, query = '', orderBy = '' }: FolderFilter) {
  const place = query !== '' ? { query } : parentId === undefined ? {} : { parentId };
  const order = /^(?:name|create_time)\b/.test(orderBy) ? orderBy : 'name';
  return usePagedList(
    FolderService.method.listFolders,
    { workspaceId, ...place, orderBy: order, pageSize },
    foldersOfPage,
    { name: null },
  );
}

/** The documents of one folder for a tree. If not `enabled`, the list is empty. */
export function useDocumentsOf(workspaceId: string, folderId: string, enabled: boolean) {
  return usePagedList(
    DocumentService.method.listDocuments,
    { workspaceId, folderId, orderBy: 'name', pageSize },
    documentsOfPage,
    { name: null, enabled },
  );
}

const foldersOfPage = ({ folders }: { readonly folders: readonly Folder[] }) => folders;
const documentsOfPage = ({ documents }: { readonly documents: readonly Document[] }) => documents;

/** Puts folders before the documents of a list, whose other properties stay. */
export function useFoldersFirst<List extends PagedList<Entry>>(
  folders: PagedList<Entry>,
  documents: List,
): List {
  const rows = useMemo(() => {
    if (folders.rows === undefined || documents.rows === undefined) return undefined;
    return folders.hasMore ? folders.rows : [...folders.rows, ...documents.rows];
  }, [folders.rows, folders.hasMore, documents.rows]);
  const total =
    folders.total === undefined || documents.total === undefined
      ? undefined
      : folders.total + documents.total;
  return {
    ...documents,
    rows,
    total,
    error: folders.error ?? documents.error,
    isLoadingMore: folders.isLoadingMore || documents.isLoadingMore,
    hasMore: folders.hasMore || documents.hasMore,
    loadMore: folders.hasMore ? folders.loadMore : documents.loadMore,
    reload() {
      folders.reload();
      documents.reload();
    },
  };
}
