import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type BytesRequest, fetchBytes } from '../session/fetch-bytes.ts';
import type { Session } from '../session/session.ts';

/** Fetches the version that the document names. Throws the error that the service returns. */
export function fetchDocument(
  session: Session,
  { id, workspaceId, version }: Pick<Document, 'id' | 'workspaceId' | 'version'>,
  request: BytesRequest = {},
): Promise<Blob> {
  const query = new URLSearchParams({ workspace_id: workspaceId, version: `${version}` });
  const address = `/api/v1/documents/${encodeURIComponent(id)}/file?${query}`;
  return fetchBytes(session, address, request);
}
