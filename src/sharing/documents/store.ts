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
  { limit, after }: PageQuery,
): Promise<DocumentRow[]> {
  let query = db
    .selectFrom('documents')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('create_time', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (after !== undefined) {
    query = query.where((eb) =>
      eb(eb.refTuple('create_time', 'id'), '<', eb.tuple(after.time, after.id)),
    );
  }
  return query.execute();
}

export function renameDocument(
  db: Executor,
  workspaceId: string,
  id: string,
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
