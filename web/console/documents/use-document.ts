import { useQuery } from '@connectrpc/connect-query';
import { useEffect, useRef } from 'react';
import { DocumentService, Preview } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useInvalidate } from '../shared/use-method.ts';

/** How often a page asks whether a preview is ready. */
const pendingMs = 2_000;

type Key = { readonly workspaceId: string; readonly documentId: string };

/** Reads a document. Reads the lists that contain it again when its preview is ready or failed. */
export function useDocument(key: Key) {
  const query = useQuery(DocumentService.method.getDocument, key, {
    refetchInterval: ({ state: { data } }) =>
      data?.document?.preview === Preview.PENDING ? pendingMs : false,
  });
  const isPending = query.data?.document?.preview === Preview.PENDING;
  const invalidate = useInvalidate();
  const wasPending = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is new each time
  useEffect(() => {
    if (wasPending.current && !isPending) void invalidate(DocumentService);
    wasPending.current = isPending;
  }, [isPending]);
  return query;
}
