import { sql } from 'kysely';
import { compileOnce, type QueryParameters } from '../../storage/queries/compiled-query.ts';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import { deleteBy } from '../../storage/queries/table-queries.ts';
import type { DocumentRow, DocumentVersionRow, Executor } from '../../storage/schema/schema.ts';

export type StoredDocument = DocumentRow & {
  readonly view_count: number;
  readonly last_version: number;
};

type DocumentIds = { readonly id: string; readonly workspace_id: string };

const selectDocument = compileOnce((db, { id, workspace_id }: QueryParameters<DocumentIds>) =>
  db
    .selectFrom('documents')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspace_id)
    .where('remove_time', 'is', null),
);

/** Returns undefined if the document does not exist or is removed. */
export async function findDocument(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<StoredDocument | undefined> {
  const { rows } = await selectDocument(db, { id, workspace_id: workspaceId });
  return rows[0];
}

export type StoredVersion = DocumentVersionRow & { readonly workspace_id: string };

const columns = [
  ...(['document_id', 'version', 'content_type', 'size_bytes', 'sha256', 'page_count'] as const),
  ...(['blob_id', 'create_time'] as const),
];

export function findVersion(
  db: Executor,
  documentId: string,
  version: number,
): Promise<DocumentVersionRow | undefined> {
  return db
    .selectFrom('document_versions')
    .select(columns)
    .where('document_id', '=', documentId)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** Replaces the current version in the row of a document. */
export function withVersion<D extends DocumentRow>(document: D, row: DocumentVersionRow): D {
  const { version, content_type, size_bytes, sha256, page_count, blob_id } = row;
  return { ...document, version, content_type, size_bytes, sha256, page_count, blob_id };
}

/** The newest version first. The id only makes positions unique. */
export const versionList = {
  sorts: { create_time: 'number' },
  searches: [],
} as const satisfies List;

export function findVersions(
  db: Executor,
  documentId: string,
  query: ListQuery,
): Promise<ListPage<DocumentVersionRow>> {
  const versions = db
    .selectFrom('document_versions')
    .select(columns)
    .select(sql<string>`document_id || '-' || version`.as('id'))
    .where('document_id', '=', documentId);
  return readList(db, db.selectFrom(versions.as('versions')).selectAll(), versionList, query);
}

/** Returns the blobs of all versions of a document and their previews, and the versions' size. */
export async function findBlobsOf(
  db: Executor,
  documentId: string,
): Promise<{ readonly blobIds: string[]; readonly bytes: number }> {
  const rows = await db
    .selectFrom('document_versions')
    .select(['blob_id', 'size_bytes'])
    .where('document_id', '=', documentId)
    .execute();
  const bytes = rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const previews = await findPreviewBlobs(db, documentId);
  return { blobIds: [...rows.map(({ blob_id }) => blob_id), ...previews], bytes };
}

export async function findPreviewBlobs(
  db: Executor,
  documentId: string,
  version?: number,
): Promise<string[]> {
  const all = db.selectFrom('previews').select('blob_id').where('document_id', '=', documentId);
  const rows = await (version === undefined ? all : all.where('version', '=', version)).execute();
  return rows.flatMap(({ blob_id }) => (blob_id === null ? [] : [blob_id]));
}

/** Returns the number of pages of each version. Deleted versions are missing. */
export async function findPageCounts(
  db: Executor,
  documentId: string,
): Promise<ReadonlyMap<number, Pick<DocumentVersionRow, 'content_type' | 'page_count'>>> {
  const rows = await db
    .selectFrom('document_versions')
    .select(['version', 'content_type', 'page_count'])
    .where('document_id', '=', documentId)
    .execute();
  return new Map(rows.map((row) => [row.version, row]));
}

/** The versions of a document, as a change finds them. */
export type VersionCounts = {
  readonly current: number;
  /** The highest number of a version so far. */
  readonly last: number;
  readonly count: number;
};

/** Returns undefined if the workspace has no such document. The caller has locked the usage. */
export async function countVersions(
  trx: Executor,
  workspaceId: string,
  documentId: string,
): Promise<VersionCounts | undefined> {
  const row = await trx
    .selectFrom('documents')
    .select(['version as current', 'last_version as last'])
    .select((eb) =>
      eb
        .selectFrom('document_versions')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('document_id', '=', 'documents.id')
        .as('count'),
    )
    .where('id', '=', documentId)
    .where('workspace_id', '=', workspaceId)
    .where('remove_time', 'is', null)
    .executeTakeFirst();
  return row && { ...row, count: Number(row.count) };
}

const newestMax = 100;

/**
 * Returns the numbers of the versions that a reader with an open link may have seen: those that
 * the document has, and its newest ones, which may be deleted. Numbers are never used again.
 */
export async function findSeenVersions(db: Executor, documentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('documents')
    .leftJoin('document_versions', 'document_versions.document_id', 'documents.id')
    .select(['documents.last_version', 'document_versions.version'])
    .where('documents.id', '=', documentId)
    .execute();
  const last = rows[0]?.last_version ?? 0;
  const newest = Array.from({ length: Math.min(last, newestMax) }, (_, i) => last - i);
  const stored = rows.flatMap(({ version }) => (version === null ? [] : [version]));
  return [...new Set([...stored, ...newest])];
}

/** Inserts a version, and makes it the current one. */
export async function insertVersion(
  trx: Executor,
  row: DocumentVersionRow,
  change: { readonly name?: string },
): Promise<void> {
  await trx.insertInto('document_versions').values(row).execute();
  const update_time = row.create_time;
  await setCurrentVersion(trx, row, { ...change, last_version: row.version, update_time });
}

/** Copies a version to the row of its document. */
export async function setCurrentVersion(
  trx: Executor,
  row: DocumentVersionRow,
  change: { readonly name?: string; readonly last_version?: number; update_time: number },
): Promise<void> {
  const { document_id, create_time, ...content } = row;
  const set = { ...content, ...change };
  await trx.updateTable('documents').set(set).where('id', '=', document_id).execute();
}

export const deleteVersion = deleteBy('document_versions', 'document_id', 'version');

/** Returns whether a link that is not revoked shows the version, whether or not it is current. */
export function isPinned(trx: Executor, documentId: string, version: number) {
  return hasRow(
    trx
      .selectFrom('links')
      .where('document_id', '=', documentId)
      .where('pinned_version', '=', version)
      .where('revoke_time', 'is', null),
  );
}

export async function isBlobReferenced(db: Executor, blobId: string): Promise<boolean> {
  const find = (table: 'document_versions' | 'previews') =>
    db.selectFrom(table).select('version').where('blob_id', '=', blobId).executeTakeFirst();
  return ((await find('document_versions')) ?? (await find('previews'))) !== undefined;
}

const selectStored = (db: Executor) =>
  db
    .selectFrom('document_versions')
    .innerJoin('documents', 'documents.id', 'document_versions.document_id')
    .select(columns.map((column) => `document_versions.${column}` as const))
    .select('documents.workspace_id');

export function findVersionsToCheck(
  db: Executor,
  before: number,
  limit: number,
): Promise<StoredVersion[]> {
  return selectStored(db)
    .where('document_versions.check_time', '<', before)
    .orderBy('document_versions.check_time')
    .orderBy('document_versions.document_id')
    .orderBy('document_versions.version')
    .limit(limit)
    .execute();
}

export async function setCheckTime(
  db: Executor,
  { document_id, version }: Pick<DocumentVersionRow, 'document_id' | 'version'>,
  checkTime: number,
): Promise<void> {
  await db
    .updateTable('document_versions')
    .set({ check_time: checkTime })
    .where('document_id', '=', document_id)
    .where('version', '=', version)
    .execute();
}

/** A version of all those in the database, in the order of documents and numbers. */
export type VersionPosition = Pick<DocumentVersionRow, 'document_id' | 'version'>;

export function findVersionsAfter(
  db: Executor,
  { document_id, version }: VersionPosition,
  limit: number,
): Promise<StoredVersion[]> {
  return selectStored(db)
    .where(
      sql<boolean>`(document_versions.document_id, document_versions.version)
        > (${document_id}, cast(${version} as bigint))`,
    )
    .orderBy('document_versions.document_id')
    .orderBy('document_versions.version')
    .limit(limit)
    .execute();
}
