import type { Insertable } from 'kysely';
import { inLiveWorkspace } from '../../storage/queries/live-workspaces.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import type {
  DocumentRow,
  Executor,
  FolderRow,
  LinkRow,
  Schema,
} from '../../storage/schema/schema.ts';
import { hasTarget } from '../../storage/schema/sharing-rows.ts';
import { hasConverter } from '../queries/converters.ts';
import { findDocument, findVersion, withVersion } from '../queries/document-versions.ts';
import { findFolder } from '../queries/folder-tree.ts';

/** False if the document or folder was removed. The workspace's usage must be locked. */
export async function insertLink(
  trx: Executor,
  row: Insertable<Schema['links']>,
): Promise<boolean> {
  const [table, id] =
    row.document_id === null
      ? (['folders', row.folder_id ?? ''] as const)
      : (['documents', row.document_id] as const);
  const target = await trx
    .selectFrom(table)
    .select('id')
    .where('id', '=', String(id))
    .where('remove_time', 'is', null)
    .executeTakeFirst();
  if (target === undefined) return false;
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
    .where(hasTarget)
    .executeTakeFirst();
}

export const linkSearch: SearchTable = {
  table: 'links',
  idPrefix: 'lnk',
  texts: ['name'],
  workspace: 'workspace_id',
  slug: 'slug',
  where: () => hasTarget,
};

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
    | 'view_limit'
    | 'agreement_sha256'
    | 'entry_rules'
    | 'watermark'
    | 'program_access'
    | 'update_time'
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

/** The name of a document or folder, and the type of the version that a link shows. */
export type LinkTarget = {
  readonly name: string;
  /** Undefined for a folder. */
  readonly contentType: string | undefined;
  /** Whether the version has a preview, or will have one. */
  readonly hasPreview: boolean;
};

export async function findLinkTargets(
  db: Executor,
  links: readonly LinkRow[],
): Promise<ReadonlyMap<string, LinkTarget>> {
  if (links.length === 0) return new Map();
  const ids = links.map(({ id }) => id);
  const rows = await db
    .selectFrom('links')
    .leftJoin('documents', 'documents.id', 'links.document_id')
    .leftJoin('folders', 'folders.id', 'links.folder_id')
    .leftJoin('document_versions as pinned', (join) =>
      join
        .onRef('pinned.document_id', '=', 'links.document_id')
        .onRef('pinned.version', '=', 'links.pinned_version'),
    )
    .leftJoin('previews', (join) =>
      join
        .onRef('previews.document_id', '=', 'documents.id')
        .on('previews.version', '=', (eb) =>
          eb.fn.coalesce('links.pinned_version', 'documents.version'),
        ),
    )
    .select(['links.id', 'previews.state'])
    .select((eb) => [
      eb.fn.coalesce('documents.name', 'folders.name').as('name'),
      eb.fn.coalesce('pinned.content_type', 'documents.content_type').as('type'),
    ])
    .where('links.id', 'in', ids)
    .execute();
  const isQueued = rows.some(({ state }) => state === 'pending');
  const isConverting = isQueued && (await hasConverter(db));
  return new Map(
    rows.map(({ id, name, type, state }) => {
      const hasPreview = state === 'ready' || (state === 'pending' && isConverting);
      return [id, { name: name ?? '', contentType: type ?? undefined, hasPreview }];
    }),
  );
}

export async function findMailedLink(
  db: Executor,
  id: string,
): Promise<(LinkRow & { readonly target_name: string }) | undefined> {
  const link = await db
    .selectFrom('links')
    .selectAll()
    .where('id', '=', id)
    .where(hasTarget)
    .where(inLiveWorkspace('links.workspace_id'))
    .executeTakeFirst();
  if (link === undefined) return undefined;
  return { ...link, target_name: (await findLinkTargets(db, [link])).get(id)?.name ?? '' };
}

export async function revokeLink(db: Executor, id: string, now: number): Promise<void> {
  await db
    .updateTable('links')
    .set({ revoke_time: now, update_time: now })
    .where('id', '=', id)
    .where('revoke_time', 'is', null)
    .execute();
}

/** A document that readers of a link may open, with the version that they see. */
export type SharedDocument = {
  readonly link: LinkRow;
  readonly document: DocumentRow;
  readonly mayDownload: boolean;
  /** In a room, the folders from the one of the link down to the one with the document. */
  readonly path?: readonly FolderRow[];
};

export type SharedFolder = { readonly link: LinkRow; readonly folder: FolderRow };

export type Shared = SharedDocument | SharedFolder;

export async function findShared(db: Executor, slug: string): Promise<Shared | undefined> {
  const found = await db
    .selectFrom('links')
    .innerJoin('workspaces', 'workspaces.id', 'links.workspace_id')
    .selectAll('links')
    .select('workspaces.delete_time')
    .where('slug', '=', slug)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { delete_time, ...link } = found;
  // A deleted workspace counts as revoked. All its links work again if it is undeleted.
  link.revoke_time ??= delete_time;
  if (link.folder_id !== null) {
    const folder = await findFolder(db, link.workspace_id, link.folder_id);
    return folder && { link, folder };
  }
  const document = await findDocument(db, link.workspace_id, link.document_id ?? '');
  if (document === undefined) return undefined;
  const mayDownload = link.allow_download === 1;
  if (link.pinned_version === null) return { link, document, mayDownload };
  const pinned = await findVersion(db, document.id, link.pinned_version);
  return pinned && { link, document: withVersion(document, pinned), mayDownload };
}

export async function findEntryIds(
  db: Executor,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = new Set<string>();
  for (const table of ['documents', 'folders'] as const) {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('remove_time', 'is', null)
      .where('id', 'in', ids)
      .execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}
