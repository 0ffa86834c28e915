import { useQuery } from '@connectrpc/connect-query';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';

type DocumentNameProps = { readonly workspaceId: string; readonly documentId: string };

/** As many as one request lists. */
const newestMax = 200;

/**
 * The name of a document, which a link does not tell. One list serves all the names on a page; only
 * a document that is older than those of the list is asked for by itself.
 */
export function DocumentName({ workspaceId, documentId }: DocumentNameProps) {
  const { listDocuments, getDocument } = DocumentService.method;
  const newest = useQuery(listDocuments, { workspaceId, pageSize: newestMax });
  const listed = newest.data?.documents.find(({ id }) => id === documentId);
  const isOlder = newest.data !== undefined && listed === undefined;
  const own = useQuery(getDocument, { workspaceId, documentId }, { enabled: isOlder });
  const name = listed?.name ?? own.data?.document?.name;
  if (name !== undefined) return <>{name}</>;
  const isUnknown = newest.error !== null || own.error !== null;
  return isUnknown ? <span className="mono">{documentId}</span> : <>Loading…</>;
}
