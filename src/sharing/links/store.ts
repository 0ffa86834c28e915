import { type Insertable, sql } from 'kysely';
import { findVersion, withVersion } from '../../storage/document-versions.ts';
import { type List, type ListPage, readList } from '../../storage/list.ts';
import type { ListQuery } from '../../storage/list-request.ts';
import { hasDocument } from '../../storage/removed-documents.ts';
import type { DocumentRow, Executor, LinkRow, Schema } from '../../storage/schema.ts';

/** False if the document was removed. The workspace's usage must be locked. */
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
    | 'pinned_version'
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

/** The name of a document, and the type of the version that a link shows. */
export type LinkedDocument = Pick<DocumentRow, 'name' | 'content_type'>;

/** Returns the documents of links, by the id of the link. */
export async function findLinkedDocuments(
  db: Executor,
  links: readonly LinkRow[],
): Promise<ReadonlyMap<string, LinkedDocument>> {
  if (links.length === 0) return new Map();
  const ids = links.map(({ id }) => id);
  const rows = await db
    .selectFrom('links')
    .innerJoin('documents', 'documents.id', 'links.document_id')
    .leftJoin('document_versions as pinned', (join) =>
      join
        .onRef('pinned.document_id', '=', 'links.document_id')
        .onRef('pinned.version', '=', 'links.pinned_version'),
    )
    .select(['links.id', 'documents.name'])
    .select((eb) => eb.fn.coalesce('pinned.content_type', 'documents.content_type').as('type'))
    .where('links.id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name, type }) => [id, { name, content_type: type }]));
}

export async function revokeLink(db: Executor, id: string, now: number): Promise<void> {
  await db
    .updateTable('links')
    .set({ revoke_time: now })
    .where('id', '=', id)
    .where('revoke_time', 'is', null)
    .execute();
}

/** A link and its document, with the version that the link shows. */
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
  if (document === undefined) return undefined;
  if (link.pinned_version === null) return { link, document };
  const pinned = await findVersion(db, document.id, link.pinned_version);
  return pinned && { link, document: withVersion(document, pinned) };
}
