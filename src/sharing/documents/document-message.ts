import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { DocumentVersionRow } from '../../storage/schema.ts';
import type { CountedDocument } from './store.ts';

export function documentMessage(row: CountedDocument) {
  return {
    id: row.id,
    name: row.name,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    pageCount: row.page_count,
    workspaceId: row.workspace_id,
    createTime: timestampFromMs(row.create_time),
    viewCount: row.view_count,
    linkCount: row.link_count,
    ...(row.last_view_time === null ? {} : { lastViewTime: timestampFromMs(row.last_view_time) }),
    viewable: viewerKindOf(row.content_type) !== undefined,
    version: row.version,
  };
}

export function versionMessage(row: DocumentVersionRow, current: number) {
  return {
    version: row.version,
    current: row.version === current,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    pageCount: row.page_count,
    viewable: viewerKindOf(row.content_type) !== undefined,
    createTime: timestampFromMs(row.create_time),
  };
}
