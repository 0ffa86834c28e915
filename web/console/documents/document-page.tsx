import { useQuery } from '@connectrpc/connect-query';
import { Button } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { One } from '../parts/one.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { useDeleteDocument } from './delete-document.ts';
import { DocumentLinks } from './document-links.tsx';
import { Preview } from './preview/preview.tsx';
import { useRenameDocument } from './rename-document.tsx';
import { useDownload } from './use-download.ts';
import { pagesText, sizeText, typeText } from './words.ts';

export function DocumentPage() {
  const { workspaceId, documentId } = useParams({
    from: '/shell/workspaces/$workspaceId/documents/$documentId',
  });
  const query = useQuery(DocumentService.method.getDocument, { workspaceId, documentId });
  const document = query.data?.document;
  const download = useDownload(document);
  return (
    <Page
      title={document?.name ?? 'Document'}
      parent={
        <TextLink to="/workspaces/$workspaceId/documents" params={{ workspaceId }}>
          Documents
        </TextLink>
      }
      actions={
        document === undefined ? undefined : (
          <>
            <Button variant="default" onClick={download.start} loading={download.isPending}>
              Download
            </Button>
            <Changes document={document} />
          </>
        )
      }
    >
      {download.error === undefined ? null : (
        <Problem error={download.error} retry={download.start} />
      )}
      <One label="document" value={document} query={query}>
        {(shown) => (
          <>
            <Facts facts={factsOf(shown)} />
            <DocumentLinks document={shown} />
            <Preview document={shown} />
          </>
        )}
      </One>
    </Page>
  );
}

function Changes({ document }: { readonly document: Document }) {
  const mayWrite = useHasScope()('documents:write');
  const navigate = useNavigate();
  const { workspaceId } = document;
  const { rename, dialog } = useRenameDocument();
  const remove = useDeleteDocument(() =>
    navigate({ to: '/workspaces/$workspaceId/documents', params: { workspaceId } }),
  );
  if (!mayWrite) return null;
  return (
    <>
      <Button variant="default" onClick={() => rename(document)}>
        Rename
      </Button>
      <Button variant="default" onClick={() => remove(document)}>
        Delete
      </Button>
      {dialog}
    </>
  );
}

function factsOf(document: Document): Fact[] {
  const { id, contentType, sizeBytes, pageCount, createTime, sha256 } = document;
  return [
    { name: 'Id', value: <Copyable text={id} label="id" /> },
    { name: 'Type', value: typeText(contentType) },
    { name: 'Size', value: sizeText(sizeBytes) },
    ...(pageCount === 0 ? [] : [{ name: 'Pages', value: pagesText(pageCount) }]),
    { name: 'Uploaded', value: <When time={createTime} /> },
    { name: 'SHA-256', value: <Copyable text={sha256} label="SHA-256" /> },
  ];
}
