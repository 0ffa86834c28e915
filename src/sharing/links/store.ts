import { selectNewestFirst } from '../../storage/newest-first.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import { hasDocument } from '../../storage/removed-documents.ts';
import type { DocumentRow, Executor, LinkRow } from '../../storage/schema.ts';

/**
 * Inserts a link. Returns false if its document was removed. The transaction must have locked the
 * usage of the workspace, as the removal of a document does.
 */
export async function insertLink(trx: Executor, row: LinkRow): Promise<boolean> {
  const document = await trx
    .selectFrom('documents')
    .select('id')
    .where('id', '=', row.document_id)
    .where('remove_time', 'is', null)
    .executeTakeFirst();
  if (document === undefined) return false;
  await trx.insertInto('links').values(row).execute();
  return true;
}

export function findLink(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<LinkRow | undefined> {
  return db
    .selectFrom('links')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where(hasDocument)
    .executeTakeFirst();
}

export type LinkFilter = { readonly workspaceId: string; readonly documentId: string };

/** Returns one row more than the page has, if there are more. Empty `documentId`: all documents. */
export function findLinks(
  db: Executor,
  { workspaceId, documentId }: LinkFilter,
  page: PageQuery,
): Promise<LinkRow[]> {
  let query = db
    .selectFrom('links')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(hasDocument);
  if (documentId !== '') query = query.where('document_id', '=', documentId);
  return selectNewestFirst(query, page).execute();
}

export type LinkChange = Partial<
  Pick<
    LinkRow,
    | 'name'
    | 'email_required'
    | 'email_verification_required'
    | 'password_hash'
    | 'allow_download'
    | 'expire_time'
  >
>;

/** Changes a link. Returns false if the link was revoked. */
export async function updateLink(
  db: Executor,
  { workspaceId, id }: { workspaceId: string; id: string },
  change: LinkChange,
  gateChanges: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('links')
    .set((eb) => ({
      ...change,
      gate_revision: eb('gate_revision', '+', gateChanges ? 1 : 0),
    }))
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('revoke_time', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function revokeLink(db: Executor, id: string, now: number): Promise<void> {
  await db
    .updateTable('links')
    .set({ revoke_time: now })
    .where('id', '=', id)
    .where('revoke_time', 'is', null)
    .execute();
}

/** A link and its document. */
export type SharedDocument = {
  readonly link: LinkRow;
  readonly document: DocumentRow;
};

export async function findSharedDocument(
  db: Executor,
  slug: string,
): Promise<SharedDocument | undefined> {
  const link = await db.selectFrom('links').selectAll().where('slug', '=', slug).executeTakeFirst();
  if (link === undefined) return undefined;
  const document = await db
    .selectFrom('documents')
    .selectAll()
    .where('id', '=', link.document_id)
    .where('remove_time', 'is', null)
    .executeTakeFirst();
  return document === undefined ? undefined : { link, document };
}
