/** The folders and documents of a place, with their uploads. */
import { Group } from '@mantine/core';
import { IconFileUpload, IconFolder } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type Document, DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../src/base/http/format-size.ts';
import { type Entry, isFolder, useFolders, useFoldersFirst } from '../folders/entries.ts';
import { ShareButton } from '../links/share/share-button.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, defineList, type ShownList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { contentTypeText, linkCountText, pageCountText } from './document-labels.ts';
import { useEntryActions } from './entry-actions.tsx';
import { DropArea } from './uploads/drop-area.tsx';
import { UploadList } from './uploads/upload-list.tsx';

/** A column that folders leave empty. */
const ofDocument = (
  column: Omit<Column<Document>, 'isAbsent'>,
  isAbsent: (document: Document) => boolean = () => false,
): Column<Entry> => ({
  ...column,
  cell: (entry) => (isFolder(entry) ? null : column.cell(entry)),
  isAbsent: (entry) => isFolder(entry) || isAbsent(entry),
});

type At = { readonly workspaceId: string; readonly folderId?: string };

export const entries = defineList({
  label: 'Documents',
  method: DocumentService.method.listDocuments,
  rows: (page): readonly Entry[] => page.documents,
  // A search finds the documents of all folders.
  request: ({ workspaceId, folderId = '' }: At, query) =>
    query === '' ? { workspaceId, folderId } : { workspaceId },
  columns: [
    { title: 'Name', orderBy: 'name', cell: (entry) => <Name entry={entry} /> },
    {
      title: 'Type',
      isPlain: true,
      cell: (entry) => (isFolder(entry) ? 'Folder' : contentTypeText(entry.contentType)),
    },
    ofDocument({
      title: 'Size',
      orderBy: 'size_bytes',
      isNewestFirst: true,
      isPlain: true,
      isMinor: true,
      cell: ({ sizeBytes }) => formatSize(sizeBytes),
    }),
    ofDocument({
      title: 'Pages',
      isMinor: true,
      cell: ({ pageCount }) => pageCountText(pageCount),
    }),
    { title: 'Links', isMinor: true, cell: ({ linkCount }) => linkCountText(linkCount) },
    ofDocument({
      title: 'Views',
      orderBy: 'view_count',
      isNewestFirst: true,
      cell: ({ viewCount }) => viewCount.toLocaleString(),
    }),
    ofDocument(
      { title: 'Last viewed', cell: ({ lastViewTime }) => <DateTime time={lastViewTime} /> },
      ({ lastViewTime }) => lastViewTime === undefined,
    ),
    {
      title: 'Added',
      orderBy: 'create_time',
      isNewestFirst: true,
      cell: ({ createTime }) => <DateTime time={createTime} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      scope: 'documents:write',
      cell: (entry) => <Actions entry={entry} />,
    },
  ],
});

/** The entries of a folder, or of the top level. */
export function useEntries(workspaceId: string, folderId = ''): ShownList<Entry> {
  const documents = useList(entries, { workspaceId, folderId });
  const { search, order } = documents;
  const folders = useFolders({
    workspaceId,
    parentId: folderId,
    query: search?.query ?? '',
    orderBy: order?.by ?? '',
  });
  return useFoldersFirst(folders, documents);
}

type EntriesTableProps = {
  readonly list: ShownList<Entry>;
  readonly workspaceId: string;
  readonly folderId?: string;
  /** The title and the action of an empty list. */
  readonly empty: { readonly title: string; readonly action: ReactNode };
};

export function EntriesTable({ list, empty, ...place }: EntriesTableProps) {
  const mayWrite = useHasScope()('documents:write');
  return (
    <>
      {mayWrite ? <DropArea {...place} /> : null}
      <UploadList {...place} />
      <Listing
        list={list}
        empty={{
          ...empty,
          text: mayWrite ? uploadHint(place.folderId) : 'There are no documents here.',
          icon: IconFileUpload,
        }}
      />
    </>
  );
}

const uploadHint = (folderId: string | undefined): string => {
  const steps = folderId === undefined ? 'a file, then share it' : 'files, then share the folder';
  return `Upload ${steps} with a link. You see who opens it and what they read.`;
};

type OfEntry = { readonly entry: Entry };

function Name({ entry }: OfEntry) {
  const { id, name, workspaceId } = entry;
  if (isFolder(entry)) {
    return (
      <Group gap={6} wrap="nowrap" component="span" display="inline-flex" maw="100%">
        <IconFolder size={16} aria-hidden style={{ flex: 'none' }} />
        <TextLink
          to="/workspaces/$workspaceId/documents/folders/$folderId"
          params={{ workspaceId, folderId: id }}
          title={name}
        >
          {name}
        </TextLink>
      </Group>
    );
  }
  return (
    <TextLink
      to="/workspaces/$workspaceId/documents/$documentId"
      params={{ workspaceId, documentId: id }}
      title={name}
    >
      {name}
    </TextLink>
  );
}

function Actions({ entry }: OfEntry) {
  const actionsFor = useEntryActions();
  return (
    <RowMenu name={`“${entry.name}”`} actions={actionsFor(entry)}>
      <ShareButton target={entry} isOneOfMany variant="default" size="compact-sm" />
    </RowMenu>
  );
}
