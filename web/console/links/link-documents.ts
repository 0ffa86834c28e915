/** The documents of links: a link contains only the ID. */
import { useQuery } from '@connectrpc/connect-query';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';

/** The largest page that the API returns. */
const newestMax = 200;

/** The newest documents. All names on a screen come from this one request. */
export function useNewestDocuments(workspaceId: string, enabled = true) {
  const { listDocuments } = DocumentService.method;
  return useQuery(listDocuments, { workspaceId, pageSize: newestMax }, { enabled });
}

export type KnownDocument = {
  /** Undefined while loading and after an error. */
  readonly document: Document | undefined;
  readonly isPending: boolean;
};

/** Fetches a single document only if it is missing in the list, and nothing if `known` is set. */
export function useDocument(
  workspaceId: string,
  documentId: string,
  known?: Document,
): KnownDocument {
  const newest = useNewestDocuments(workspaceId, known === undefined);
  const listed = newest.data?.documents.find(({ id }) => id === documentId);
  const isOlder = newest.data !== undefined && listed === undefined;
  const own = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId },
    // Static: otherwise each action would refetch these documents one by one.
    { enabled: known === undefined && isOlder, staleTime: 'static' },
  );
  const document = known ?? listed ?? own.data?.document;
  const hasFailed = newest.error !== null || own.error !== null;
  return { document, isPending: document === undefined && !hasFailed };
}
