import { type Insertable, sql } from 'kysely';
import { type List, type ListPage, readList } from '../../storage/list.ts';
import type { ListQuery } from '../../storage/list-request.ts';
import { hasDocument } from '../../storage/removed-documents.ts';
import type { DocumentRow, Executor, LinkRow, Schema } from '../../storage/schema.ts';

/**
 * Inserts a link. Returns false if its document was removed. The transaction must have locked the
 * usage of the workspace, as the removal of a document does.
 */
export async function insertLink(
  trx: Executor,
  row: Insertable<Schema['links']>,
): Promise<boolean> {
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

const documentName = sql`(
  select documents.name from documents where documents.id = links.document_id
)`;

export const linkList = {
  sorts: {
    create_time: { column: 'create_time', kind: 'number' },
    name: { column: 'name', kind: 'text' },
    view_count: { column: 'view_count', kind: 'number' },
  },
  // Most links have no name.
  searches: ['name', 'id', documentName],
} as const satisfies List;

/** Empty `documentId`: all documents. */
export function findLinks(
  db: Executor,
  { workspaceId, documentId }: LinkFilter,
  query: ListQuery,
): Promise<ListPage<LinkRow>> {
  let links = db
    .selectFrom('links')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(hasDocument);
  if (documentId !== '') links = links.where('document_id', '=', documentId);
  return readList(db, links, linkList, query);
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
    | 'allow_list'
    | 'block_list'
    | 'notify'
    | 'show_title'
    | 'view_limit'
    | 'agreement_sha256'
  >
>;

/** Changes a link. Returns false if the link was revoked. A change of `notify` notes the views. */
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
      ...(change.notify === undefined ? {} : { notify_from: eb.ref('view_count') }),
    }))
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('revoke_time', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type LinkedDocument = Pick<DocumentRow, 'id' | 'name' | 'content_type'>;

/** Returns the documents of links, by id. */
export async function findLinkedDocuments(
  db: Executor,
  links: readonly LinkRow[],
): Promise<ReadonlyMap<string, LinkedDocument>> {
  const ids = [...new Set(links.map(({ document_id }) => document_id))];
  if (ids.length === 0) return new Map();
  const documents = db.selectFrom('documents').select(['id', 'name', 'content_type']);
  const rows = await documents.where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns a link with the name of its document, for a mail. */
export function findMailedLink(
  db: Executor,
  id: string,
): Promise<(LinkRow & { readonly document_name: string }) | undefined> {
  return db
    .selectFrom('links')
    .innerJoin('documents', 'documents.id', 'links.document_id')
    .selectAll('links')
    .select('documents.name as document_name')
    .where('links.id', '=', id)
    .where('documents.remove_time', 'is', null)
    .executeTakeFirst();
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
