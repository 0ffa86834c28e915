/** The bytes of a document, over the HTTP face. */
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { fetchWithToken } from '../session/requests.ts';
import type { Session } from '../session/session.ts';

export type FileRequest = {
  readonly signal?: AbortSignal;
  /** Bytes from the first to before the last; unset for all. */
  readonly range?: readonly [begin: number, end: number];
};

/** Throws what the service says against it. */
export function fetchDocument(
  session: Session,
  { id, workspaceId }: Document,
  { signal, range }: FileRequest = {},
): Promise<Response> {
  const query = new URLSearchParams({ workspace_id: workspaceId });
  return fetchWithToken(session, `/api/v1/documents/${encodeURIComponent(id)}/file?${query}`, {
    headers: range === undefined ? {} : { range: `bytes=${range[0]}-${range[1] - 1}` },
    // What was deleted, or is no longer this user's to see, does not live on in a cache.
    cache: 'no-store',
    signal: signal ?? null,
  });
}
