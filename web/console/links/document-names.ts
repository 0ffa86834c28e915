/** The names of documents, which links do not tell. */
import { useQuery } from '@connectrpc/connect-query';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';

/** As many as one request lists. */
const newestMax = 200;

/** The newest documents: one list serves all that a page has to know of them. */
export function useNewestDocuments(workspaceId: string, enabled = true) {
  const { listDocuments } = DocumentService.method;
  return useQuery(listDocuments, { workspaceId, pageSize: newestMax }, { enabled });
}

export type DocumentName = {
  /** Undefined where it is not known, or not yet. */
  readonly name: string | undefined;
  readonly isPending: boolean;
};

/**
 * Only a document that is older than those of the list is asked for by itself, and nothing at all
 * where its name is `known`.
 */
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
    // A list of such names is not asked for anew, one by one, after every action.
    { enabled: known === undefined && isOlder, staleTime: 'static' },
  );
  const name = known ?? listed?.name ?? own.data?.document?.name;
  const hasFailed = newest.error !== null || own.error !== null;
  return { name, isPending: name === undefined && !hasFailed };
}
