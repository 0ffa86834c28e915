import { sql } from 'kysely';
import { compileOnce, type QueryParameters } from '../../storage/queries/compiled-query.ts';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import type { DocumentRow, Executor } from '../../storage/schema/schema.ts';
import { linkCountOf } from '../queries/link-counts.ts';

/** The row of a new document. A trigger adds its first version to `document_versions`. */
export type NewDocument = Omit<
  DocumentRow,
  'version' | 'folder_id' | 'creator_id' | 'update_time'
> &
  Partial<Pick<DocumentRow, 'folder_id' | 'creator_id'>>;

const insertRow = compileOnce((db, row: QueryParameters<Required<NewDocument>>) =>
  db.insertInto('documents').values({
    id: row.id,
    workspace_id: row.workspace_id,
    name: row.name,
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    page_count: row.page_count,
    blob_id: row.blob_id,
    create_time: row.create_time,
    folder_id: row.folder_id,
    creator_id: row.creator_id,
  }),
);

export async function insertDocument(db: Executor, row: NewDocument): Promise<void> {
  await insertRow(db, { folder_id: null, creator_id: null, ...row });
}

export type CountedDocument = DocumentRow & {
  readonly view_count: number;
  readonly link_count: number;
  readonly last_view_time: number | null;
};

/** A trigger counts views, because a list is sorted by them. */
const selectCounted = (db: Executor, workspaceId: string) =>
  db
    .selectFrom('documents')
    .selectAll()
    .select(linkCountOf('documents', 'document_id').as('link_count'))
    .where('workspace_id', '=', workspaceId)
    .where('remove_time', 'is', null);

export function findCountedDocument(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<CountedDocument | undefined> {
  return selectCounted(db, workspaceId).where('id', '=', id).executeTakeFirst();
}

export const documentList = {
  sorts: { create_time: 'number', name: 'text', size_bytes: 'number', view_count: 'number' },
  searches: ['name', 'id'],
} as const satisfies List;

export const documentSearch: SearchTable = {
  table: 'documents',
  idPrefix: 'doc',
  texts: ['name'],
  workspace: 'workspace_id',
  where: () => sql`remove_time is null`,
};

/** `folderId`: empty for the top level, undefined for all documents. */
export type DocumentFilter = {
  readonly workspaceId: string;
  readonly folderId?: string | undefined;
};

export function findDocuments(
  db: Executor,
  { workspaceId, folderId }: DocumentFilter,
  query: ListQuery,
): Promise<ListPage<CountedDocument>> {
  const all = selectCounted(db, workspaceId);
  if (folderId === undefined) return readList(db, all, documentList, query);
  const within =
    folderId === '' ? all.where('folder_id', 'is', null) : all.where('folder_id', '=', folderId);
  return readList(db, within, documentList, query);
}

export type DocumentKey = { readonly workspaceId: string; readonly id: string };

export type DocumentChange = Partial<Pick<DocumentRow, 'name' | 'folder_id' | 'update_time'>>;

export async function updateDocument(
  db: Executor,
  { workspaceId, id }: DocumentKey,
  change: DocumentChange,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await db
    .updateTable('documents')
    .set(change)
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('remove_time', 'is', null)
    .execute();
}

export async function countLinksAndViews(
  db: Executor,
  documentId: string,
): Promise<{ links: number; views: number }> {
  const row = await db
    .selectFrom('documents')
    // Also the views in rooms.
    .select('view_count as views')
    .select((eb) =>
      eb
        .selectFrom('links')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('links.document_id', '=', 'documents.id')
        .as('links'),
    )
    .where('id', '=', documentId)
    .executeTakeFirst();
  return { links: Number(row?.links ?? 0), views: row?.views ?? 0 };
}

/**
 * Removes a locked document, its versions, its links and its views. If they have more than
 * `rowsMax` rows, marks the document as removed instead; the rows are deleted later, in slices.
 */
export async function removeDocument(
  trx: Executor,
  id: string,
  { time, rowsMax }: { readonly time: number; readonly rowsMax: number },
): Promise<void> {
  await trx.deleteFrom('document_versions').where('document_id', '=', id).execute();
  if (await hasMoreRows(trx, id, rowsMax)) {
    await trx
      .updateTable('documents')
      // The bytes are removed now, and no blob has this id.
      .set({ remove_time: time, blob_id: `removed ${id}`, folder_id: null })
      .where('id', '=', id)
      .execute();
    return;
  }
  // The views in rooms have links of other documents or folders.
  await trx.deleteFrom('views').where('document_id', '=', id).execute();
  await trx.deleteFrom('documents').where('id', '=', id).execute();
}

async function hasMoreRows(trx: Executor, documentId: string, max: number): Promise<boolean> {
  const links = trx.selectFrom('links').select('id').where('document_id', '=', documentId);
  const views = trx
    .selectFrom('views')
    .leftJoin('view_pages', 'view_pages.view_id', 'views.id')
    .select('views.id')
    .where('views.document_id', '=', documentId);
  const found = await Promise.all([links.limit(max + 1).execute(), views.limit(max + 1).execute()]);
  return found.flat().length > max;
}
