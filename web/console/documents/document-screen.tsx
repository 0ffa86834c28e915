import { IconDownload } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../src/base/http/format-size.ts';
import { useFolderCrumbs } from '../folders/folder-crumbs.tsx';
import { ShareButton } from '../links/share/share-button.tsx';
import { TargetLinks } from '../links/target-links.tsx';
import type { DrawPage } from '../readers/heat-strip.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdByFacts } from '../shared/created-by.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { type Fact, Facts } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { Section } from '../shared/section.tsx';
import { useDownload } from '../shared/use-download.ts';
import { DocumentInsight } from './document-insight.tsx';
import { contentTypeText, pageCountText } from './document-labels.ts';
import { DocumentVersions } from './document-versions.tsx';
import { EntryMenu } from './entry-actions.tsx';
import { fetchDocument } from './fetch-document.ts';
import { DocumentPreview } from './preview/document-preview.tsx';
import { DropArea } from './uploads/drop-area.tsx';
import { UploadButton } from './uploads/upload-button.tsx';
import { UploadList } from './uploads/upload-list.tsx';
import { useDocument } from './use-document.ts';

export function DocumentScreen() {
  const { workspaceId, documentId } = useParams({
    from: '/shell/workspaces/$workspaceId/documents/$documentId',
  });
  const query = useDocument({ workspaceId, documentId });
  const document = query.data?.document;
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
            {mayWrite ? <UploadButton workspaceId={workspaceId} documentId={documentId} /> : null}
            <ShareButton target={document} />
            <EntryMenu
              entry={document}
              others={[{ label: 'Download', icon: IconDownload, run: download.start }]}
            />
          </>
        )
      }
    >
      {mayWrite ? <DropArea workspaceId={workspaceId} documentId={documentId} /> : null}
      <UploadList workspaceId={workspaceId} documentId={documentId} />
      {download.error === undefined ? null : (
        <ErrorAlert error={download.error} retry={download.start} />
      )}
      <QueryResult label="document" value={document} query={query}>
        {(shown) => <Content key={shown.id} document={shown} />}
      </QueryResult>
    </Screen>
  );
}

DocumentScreen.reads = [DocumentService.method.getDocument];

function Content({ document }: { readonly document: Document }) {
  const [draw, setDraw] = useState<DrawPage>();
  // A function would be called as an update of the state.
  const onPages = useCallback((next: DrawPage | undefined) => setDraw(() => next), []);
  return (
    <>
      <DocumentInsight document={document} draw={draw} />
      <TargetLinks target={document} />
      <DocumentVersions document={document} />
      <DocumentPreview
        key={`${document.version} ${document.preview}`}
        document={document}
        onPages={onPages}
      />
      <Section title="Details">
        <Facts facts={factsOf(document)} />
      </Section>
    </>
  );
}

function factsOf(document: Document): Fact[] {
  const { id, contentType, sizeBytes, pageCount, createTime, sha256 } = document;
  return [
    { name: 'Document ID', value: <CopyableText text={id} label="document ID" /> },
    { name: 'Type', value: contentTypeText(contentType) },
    { name: 'Size', value: formatSize(sizeBytes) },
    ...(pageCount === 0 ? [] : [{ name: 'Pages', value: pageCountText(pageCount) }]),
    { name: 'Version', value: document.version.toLocaleString() },
    {
      name: document.version === 1 ? 'Uploaded' : 'First uploaded',
      value: <DateTime time={createTime} precision="minute" />,
    },
    ...createdByFacts(document),
    { name: 'SHA-256', value: <CopyableText text={sha256} label="SHA-256" isShort /> },
  ];
}
