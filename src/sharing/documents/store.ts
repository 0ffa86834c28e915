import { newestFirst } from '../../storage/newest-first.ts';
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

/** Reads a page and one row more. */
export function findDocuments(
  db: Executor,
  workspaceId: string,
  page: PageQuery,
): Promise<DocumentRow[]> {
  const query = db.selectFrom('documents').selectAll().where('workspace_id', '=', workspaceId);
  return newestFirst(query, page).execute();
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

/** Deletes a document, and with it its links and their views. */
export async function deleteDocument(db: Executor, id: string): Promise<void> {
  await db.deleteFrom('documents').where('id', '=', id).execute();
}

export async function blobIsNeeded(db: Executor, blobId: string): Promise<boolean> {
  const row = await db
    .selectFrom('documents')
    .select('id')
    .where('blob_id', '=', blobId)
    .executeTakeFirst();
  return row !== undefined;
}
