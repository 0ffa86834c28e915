import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type BytesRequest, fetchBytes } from '../session/fetch-bytes.ts';
import type { Session } from '../session/session.ts';

/** Throws the error that the service returns. */
export function fetchDocument(
  session: Session,
  { id, workspaceId }: Document,
  request: BytesRequest = {},
): Promise<Blob> {
  const query = new URLSearchParams({ workspace_id: workspaceId });
  const address = `/api/v1/documents/${encodeURIComponent(id)}/file?${query}`;
  return fetchBytes(session, address, request);
}
