import { selectNewestFirst } from '../../storage/newest-first.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import type { DocumentRow, Executor } from '../../storage/schema.ts';

export async function insertDocument(db: Executor, row: DocumentRow): Promise<void> {
  await db.insertInto('documents').values(row).execute();
}

export function findDocument(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<DocumentRow | undefined> {
  return db
    .selectFrom('documents')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
}

/** Returns one row more than the page has, if there are more. */
export function findDocuments(
  db: Executor,
  workspaceId: string,
  page: PageQuery,
): Promise<DocumentRow[]> {
  const query = db.selectFrom('documents').selectAll().where('workspace_id', '=', workspaceId);
  return selectNewestFirst(query, page).execute();
}

export function renameDocument(
  db: Executor,
  { workspaceId, id }: { workspaceId: string; id: string },
  name: string,
): Promise<DocumentRow | undefined> {
  return db
    .updateTable('documents')
    .set({ name })
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .returningAll()
    .executeTakeFirst();
}

/** Counts the links of a document and all their views. */
export async function countLinksAndViews(
  db: Executor,
  documentId: string,
): Promise<{ links: number; views: number }> {
  const row = await db
    .selectFrom('links')
    .select((eb) => [eb.fn.countAll<number>().as('links'), eb.fn.sum('view_count').as('views')])
    .where('document_id', '=', documentId)
    .executeTakeFirst();
  return { links: row?.links ?? 0, views: Number(row?.views ?? 0) };
}

/** Deletes a document, its links and their views. Returns whether the document existed. */
export async function deleteDocument(db: Executor, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('documents')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function isBlobReferenced(db: Executor, blobId: string): Promise<boolean> {
  const row = await db
    .selectFrom('documents')
    .select('id')
    .where('blob_id', '=', blobId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns documents that were last checked before `before`, oldest check first. */
export function findDocumentsToCheck(
  db: Executor,
  before: number,
  limit: number,
): Promise<DocumentRow[]> {
  return db
    .selectFrom('documents')
    .selectAll()
    .where('check_time', '<', before)
    .orderBy('check_time')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function setCheckTime(db: Executor, id: string, checkTime: number): Promise<void> {
  await db.updateTable('documents').set({ check_time: checkTime }).where('id', '=', id).execute();
}

/** Returns documents of all workspaces with an id greater than `after`, ordered by id. */
export function findDocumentsAfter(
  db: Executor,
  after: string,
  limit: number,
): Promise<DocumentRow[]> {
  return db
    .selectFrom('documents')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}
