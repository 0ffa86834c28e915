import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type BytesRequest, fetchBytes } from '../session/fetch-bytes.ts';
import type { Session } from '../session/session.ts';

type DocumentVersionKey = Pick<Document, 'id' | 'workspaceId' | 'version'>;

/** Fetches the version that the document names. Throws the error that the service returns. */
export function fetchDocument(
  session: Session,
  document: DocumentVersionKey,
  request: BytesRequest = {},
): Promise<Blob> {
  return fetchFile(session, document, request);
}

/** Fetches the PDF that the viewer shows of an Office file. */
export function fetchPreview(
  session: Session,
  document: DocumentVersionKey,
  request: BytesRequest,
): Promise<Blob> {
  return fetchFile(session, document, request, { preview: 'true' });
}

function fetchFile(
  session: Session,
  { id, workspaceId, version }: DocumentVersionKey,
  request: BytesRequest,
  more: Readonly<Record<string, string>> = {},
): Promise<Blob> {
  const named = { workspace_id: workspaceId, version: `${version}` };
  const query = new URLSearchParams({ ...named, ...more });
  const address = `/api/v1/documents/${encodeURIComponent(id)}/file?${query}`;
  return fetchBytes(session, address, request);
}
