import { Button, Group, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { useDeleteDocument } from './delete-document.ts';
import { useRenameDocument } from './rename-document.tsx';
import { DropArea } from './uploads/drop-area.tsx';
import { uploadBytesMax } from './uploads/limit.ts';
import { UploadButton } from './uploads/upload-button.tsx';
import { UploadList } from './uploads/upload-list.tsx';
import { pagesText, sizeText, typeText } from './words.ts';

const facts: readonly Column<Document>[] = [
  {
    title: 'Name',
    cell: ({ id, name, workspaceId }) => (
      <TextLink
        to="/workspaces/$workspaceId/documents/$documentId"
        params={{ workspaceId, documentId: id }}
      >
        {name}
      </TextLink>
    ),
  },
  { title: 'Type', cell: ({ contentType }) => typeText(contentType) },
  {
    title: 'Size',
    cell: ({ sizeBytes }) => <span style={{ whiteSpace: 'nowrap' }}>{sizeText(sizeBytes)}</span>,
  },
  { title: 'Pages', cell: ({ pageCount }) => pagesText(pageCount) },
  { title: 'Uploaded', cell: ({ createTime }) => <When time={createTime} /> },
];

type Act = (document: Document) => void;

const actionsOf = (acts: Readonly<Record<string, Act>>): Column<Document> => ({
  title: 'Actions',
  isTitleHidden: true,
  cell: (document) => (
    <Group gap="xs" wrap="nowrap">
      {Object.entries(acts).map(([label, act]) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          aria-label={`${label} “${document.name}”`}
          onClick={() => act(document)}
        >
          {label}
        </Button>
      ))}
    </Group>
  ),
});

export function DocumentsPage() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/documents' });
  const mayWrite = useHasScope()('documents:write');
  const list = usePaged(
    DocumentService.method.listDocuments,
    { workspaceId },
    (page) => page.documents,
  );
  const { rename, dialog } = useRenameDocument();
  const remove = useDeleteDocument();
  const actions = actionsOf({ Rename: rename, Delete: remove });
  return (
    <Page
      title="Documents"
      about={<About mayWrite={mayWrite} />}
      actions={mayWrite ? <UploadButton workspaceId={workspaceId} /> : undefined}
    >
      {mayWrite ? <DropArea workspaceId={workspaceId} /> : null}
      <UploadList workspaceId={workspaceId} />
      <Listing
        label="Documents"
        list={list}
        columns={mayWrite ? [...facts, actions] : facts}
        idOf={({ id }) => id}
        empty={{
          title: 'No documents yet',
          text: mayWrite
            ? 'Upload the first one, and then create a link to share it.'
            : 'Nobody has uploaded one to this workspace.',
        }}
      />
      {dialog}
    </Page>
  );
}

function About({ mayWrite }: { readonly mayWrite: boolean }) {
  const bytesMax = uploadBytesMax();
  const limit = Number.isFinite(bytesMax) ? `, up to ${sizeText(bytesMax, 'floor')} each` : '';
  return (
    <>
      Files of any kind that this workspace shares by links{limit}.
      {mayWrite ? (
        <Text span inherit visibleFrom="sm">
          {' Drop them anywhere on this page to upload them.'}
        </Text>
      ) : null}
    </>
  );
}
