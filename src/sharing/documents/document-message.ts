import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Preview } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { etagOf, timeFields } from '../../api/etag.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { DocumentVersionRow, Executor } from '../../storage/schema/schema.ts';
import type { PreviewState, Previews } from '../previews/previews.ts';
import { documentState } from './documents.ts';
import type { CountedDocument } from './store.ts';

const previewValues: Readonly<Record<PreviewState['state'], Preview>> = {
  none: Preview.UNSPECIFIED,
  pending: Preview.PENDING,
  ready: Preview.READY,
  failed: Preview.FAILED,
};

function previewFields({ state, error }: PreviewState, contentType: string) {
  return {
    viewable: /^(pending|ready)$/.test(state) || viewerKindOf(contentType) !== undefined,
    preview: previewValues[state],
    previewError: error,
  };
}

/** Returns the messages of at most 200 documents. */
export async function documentMessages(
  db: Executor,
  previews: Previews,
  rows: readonly CountedDocument[],
) {
  const versions = rows.map((row) => ({ ...row, document_id: row.id }));
  const stateOf = await previews.statesOf(db, versions);
  return versions.map((row) => documentMessage(row, stateOf(row)));
}

export async function describeDocument(db: Executor, previews: Previews, row: CountedDocument) {
  const version = { ...row, document_id: row.id };
  return documentMessage(row, (await previews.statesOf(db, [version]))(version));
}

function documentMessage(row: CountedDocument, preview: PreviewState) {
  return {
    id: row.id,
    name: row.name,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    pageCount: row.page_count,
    workspaceId: row.workspace_id,
    ...timeFields(row),
    creator: row.creator_id ?? '',
    viewCount: row.view_count,
    linkCount: row.link_count,
    ...(row.last_view_time === null ? {} : { lastViewTime: timestampFromMs(row.last_view_time) }),
    ...previewFields(preview, row.content_type),
    version: row.version,
    folderId: row.folder_id ?? '',
    etag: etagOf(documentState(row)),
  };
}

/** Returns the messages of at most 200 versions. */
export async function versionMessages(
  db: Executor,
  previews: Previews,
  rows: readonly DocumentVersionRow[],
  current: number,
) {
  const stateOf = await previews.statesOf(db, rows);
  return rows.map((row) => versionMessage(row, current, stateOf(row)));
}

function versionMessage(row: DocumentVersionRow, current: number, preview: PreviewState) {
  return {
    version: row.version,
    current: row.version === current,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    pageCount: row.page_count,
    ...previewFields(preview, row.content_type),
    createTime: timestampFromMs(row.create_time),
  };
}
