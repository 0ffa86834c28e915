import { useQuery } from '@connectrpc/connect-query';
import { IconDownload } from '@tabler/icons-react';
import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { DocumentService, Preview } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useFolderCrumbs } from '../folders/folder-crumbs.tsx';
import { ShareButton } from '../links/share/share-button.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { useDownload } from '../shared/use-download.ts';
import { useInvalidate } from '../shared/use-method.ts';
import { DocumentTabs } from './document-tabs.tsx';
import { EntryMenu } from './entry-actions.tsx';
import { fetchDocument } from './fetch-document.ts';
import { ShownDocumentProvider } from './shown-document.ts';
import { DropArea } from './uploads/drop-area.tsx';
import { UploadButton } from './uploads/upload-button.tsx';
import { UploadList } from './uploads/upload-list.tsx';

export function DocumentScreen() {
  const { workspaceId, documentId } = useParams({
    from: '/shell/workspaces/$workspaceId/documents/$documentId',
  });
  const query = useDocument({ workspaceId, documentId });
  const document = query.data?.document;
  const place = { workspaceId, documentId, before: document };
  const mayWrite = useHasScope()('documents:write');
  const download = useDownload(
    document && {
      name: document.name,
      fetch: (session, request) => fetchDocument(session, document, request),
    },
  );
  return (
    <Screen
      title={document?.name}
      crumbs={useFolderCrumbs(workspaceId, document?.folderId ?? '')}
      actions={
        document === undefined ? undefined : (
          <>
            {mayWrite ? <UploadButton {...place} /> : null}
            <ShareButton target={document} />
            <EntryMenu
              entry={document}
              others={[{ label: 'Download', icon: IconDownload, run: download.start }]}
            />
          </>
        )
      }
    >
      {mayWrite ? <DropArea {...place} /> : null}
      <UploadList {...place} />
      <ErrorAlert error={download.error} retry={download.start} />
      <QueryResult label="document" value={document} query={query}>
        {(shown) => (
          <ShownDocumentProvider key={shown.id} value={shown}>
            <DocumentTabs workspaceId={workspaceId} documentId={documentId} />
            <Outlet />
          </ShownDocumentProvider>
        )}
      </QueryResult>
    </Screen>
  );
}

DocumentScreen.reads = [DocumentService.method.getDocument];

/** How often a page asks whether a preview is ready. */
const pendingMs = 2_000;

type Key = { readonly workspaceId: string; readonly documentId: string };

/** Reads a document. Reads the lists that contain it again when its preview is ready or failed. */
function useDocument(key: Key) {
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
