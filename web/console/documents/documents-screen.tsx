import { Text } from '@mantine/core';
import { IconFileUpload, IconPencil, IconTrash } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../src/base/http/format-size.ts';
import { ShareButton } from '../links/share/share-button.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { isEmptyList, Listing } from '../shared/lists/listing.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { contentTypeText, linkCountText, pageCountText } from './document-labels.ts';
import { DropArea } from './uploads/drop-area.tsx';
import { UploadButton } from './uploads/upload-button.tsx';
import { uploadBytesMax } from './uploads/upload-limit.ts';
import { UploadList } from './uploads/upload-list.tsx';
import { useDeleteDocument } from './use-delete-document.ts';
import { useRenameDocument } from './use-rename-document.tsx';

const documents = defineList({
  label: 'Documents',
  method: DocumentService.method.listDocuments,
  rows: (page) => page.documents,
  columns: [
    {
      title: 'Name',
      orderBy: 'name',
      cell: ({ id, name, workspaceId }) => (
        <TextLink
          to="/workspaces/$workspaceId/documents/$documentId"
          params={{ workspaceId, documentId: id }}
          title={name}
        >
          {name}
        </TextLink>
      ),
    },
    { title: 'Type', isPlain: true, cell: ({ contentType }) => contentTypeText(contentType) },
    {
      title: 'Size',
      orderBy: 'size_bytes',
      isNewestFirst: true,
      isPlain: true,
      isMinor: true,
      cell: ({ sizeBytes }) => formatSize(sizeBytes),
    },
    { title: 'Pages', isMinor: true, cell: ({ pageCount }) => pageCountText(pageCount) },
    { title: 'Links', isMinor: true, cell: ({ linkCount }) => linkCountText(linkCount) },
    {
      title: 'Views',
      orderBy: 'view_count',
      isNewestFirst: true,
      cell: ({ viewCount }) => viewCount.toLocaleString(),
    },
    {
      title: 'Last viewed',
      isAbsent: ({ lastViewTime }) => lastViewTime === undefined,
      cell: ({ lastViewTime }) => <DateTime time={lastViewTime} />,
    },
    {
      title: 'Uploaded',
      orderBy: 'create_time',
      isNewestFirst: true,
      cell: ({ createTime }) => <DateTime time={createTime} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      scope: 'documents:write',
      cell: (document) => <Actions document={document} />,
    },
  ],
});

function Actions({ document }: { readonly document: Document }) {
  const rename = useRenameDocument();
  const remove = useDeleteDocument();
  return (
    <RowMenu
      name={`“${document.name}”`}
      actions={[
        { label: 'Rename', icon: IconPencil, run: () => rename(document) },
        { label: 'Delete', icon: IconTrash, run: () => remove(document) },
      ]}
    >
      <ShareButton document={document} isOneOfMany variant="default" size="compact-sm" />
    </RowMenu>
  );
}

export function DocumentsScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/documents' });
  const mayWrite = useHasScope()('documents:write');
  const list = useList(documents, { workspaceId });
  const button = mayWrite ? <UploadButton workspaceId={workspaceId} /> : undefined;
  return (
    <Screen about={<About mayWrite={mayWrite} />} actions={isEmptyList(list) ? undefined : button}>
      {mayWrite ? <DropArea workspaceId={workspaceId} /> : null}
      <UploadList workspaceId={workspaceId} />
      <Listing
        list={list}
        empty={{
          title: 'No documents yet',
          text: mayWrite
            ? 'Upload a file, then share it with a link. You see who opens it and what they read.'
            : 'This workspace has no documents.',
          icon: IconFileUpload,
          action: button,
        }}
      />
    </Screen>
  );
}

DocumentsScreen.reads = [documents];

function About({ mayWrite }: { readonly mayWrite: boolean }) {
  const bytesMax = uploadBytesMax();
  const limit = Number.isFinite(bytesMax) ? formatSize(bytesMax, { rounding: 'floor' }) : undefined;
  return (
    <>
      Upload a file and share it with a link.
      {limit === undefined ? '' : ` Files of any type, up to ${limit} each.`}
      {mayWrite ? (
        <Text span inherit visibleFrom="sm">
          {' Drop files anywhere to upload them.'}
        </Text>
      ) : null}
    </>
  );
}
