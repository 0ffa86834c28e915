import { Button, Group, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../src/http/format-size.ts';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import { contentTypeText, pageCountText } from './document-labels.ts';
import { DropArea } from './uploads/drop-area.tsx';
import { UploadButton } from './uploads/upload-button.tsx';
import { uploadBytesMax } from './uploads/upload-limit.ts';
import { UploadList } from './uploads/upload-list.tsx';
import { useDeleteDocument } from './use-delete-document.ts';
import { useRenameDocument } from './use-rename-document.tsx';

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
  { title: 'Type', cell: ({ contentType }) => contentTypeText(contentType) },
  {
    title: 'Size',
    cell: ({ sizeBytes }) => <span style={{ whiteSpace: 'nowrap' }}>{formatSize(sizeBytes)}</span>,
  },
  { title: 'Pages', cell: ({ pageCount }) => pageCountText(pageCount) },
  { title: 'Uploaded', cell: ({ createTime }) => <DateTime time={createTime} /> },
];

type DocumentAction = (document: Document) => void;

const actionsColumn = (actions: Readonly<Record<string, DocumentAction>>): Column<Document> => ({
  title: 'Actions',
  isTitleHidden: true,
  cell: (document) => (
    <Group gap="xs" wrap="nowrap">
      {Object.entries(actions).map(([label, action]) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          aria-label={`${label} “${document.name}”`}
          onClick={() => action(document)}
        >
          {label}
        </Button>
      ))}
    </Group>
  ),
});

export function DocumentsScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/documents' });
  const mayWrite = useHasScope()('documents:write');
  const list = usePagedList(
    DocumentService.method.listDocuments,
    { workspaceId },
    (page) => page.documents,
  );
  const { rename, dialog } = useRenameDocument();
  const remove = useDeleteDocument();
  const actions = actionsColumn({ Rename: rename, Delete: remove });
  return (
    <Screen
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
            ? 'Upload a file, then create a link to share it.'
            : 'This workspace has no documents.',
        }}
      />
      {dialog}
    </Screen>
  );
}

function About({ mayWrite }: { readonly mayWrite: boolean }) {
  const bytesMax = uploadBytesMax();
  const limit = Number.isFinite(bytesMax) ? formatSize(bytesMax, { rounding: 'floor' }) : undefined;
  return (
    <>
      Files of any type{limit === undefined ? '' : `, up to ${limit} each`}. Create a link to share
      one.
      {mayWrite ? (
        <Text span inherit visibleFrom="sm">
          {' Drop files anywhere to upload them.'}
        </Text>
      ) : null}
    </>
  );
}
