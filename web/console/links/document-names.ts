/** Names of documents: a link contains only the ID. */
import { useQuery } from '@connectrpc/connect-query';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';

/** The largest page that the API returns. */
const newestMax = 200;

/** The newest documents. All names on a screen come from this one request. */
export function useNewestDocuments(workspaceId: string, enabled = true) {
  const { listDocuments } = DocumentService.method;
  return useQuery(listDocuments, { workspaceId, pageSize: newestMax }, { enabled });
}

export type DocumentName = {
  /** Undefined while loading and after an error. */
  readonly name: string | undefined;
  readonly isPending: boolean;
};

/** Fetches a single document only if it is missing in the list, and nothing if `known` is set. */
export function useDocumentName(
  workspaceId: string,
  documentId: string,
  known?: string,
): DocumentName {
  const newest = useNewestDocuments(workspaceId, known === undefined);
  const listed = newest.data?.documents.find(({ id }) => id === documentId);
  const isOlder = newest.data !== undefined && listed === undefined;
  const own = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId },
    // Static: otherwise each action would refetch these documents one by one.
    { enabled: known === undefined && isOlder, staleTime: 'static' },
  );
  const name = known ?? listed?.name ?? own.data?.document?.name;
  const hasFailed = newest.error !== null || own.error !== null;
  return { name, isPending: name === undefined && !hasFailed };
}
