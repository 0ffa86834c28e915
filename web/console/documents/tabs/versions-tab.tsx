/** The versions of a document, which its links show without a new URL. */
import { Badge, Group } from '@mantine/core';
import { IconDownload, IconRestore, IconTrash } from '@tabler/icons-react';
import {
  DocumentService,
  type DocumentVersion,
  Preview,
} from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatSize } from '../../../../src/base/http/format-size.ts';
import { useHasScope, useSignIn } from '../../session/session-context.tsx';
import { DateTime } from '../../shared/date-time.tsx';
import { useDialogs } from '../../shared/dialogs.tsx';
import { ErrorDialog } from '../../shared/error-dialog.tsx';
import { defineList, useList } from '../../shared/lists/define-list.ts';
import { Listing } from '../../shared/lists/listing.tsx';
import { RowMenu } from '../../shared/lists/row-menu.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { Section } from '../../shared/section.tsx';
import { useMethod } from '../../shared/use-method.ts';
import { usePendingAction } from '../../shared/use-pending-action.ts';
import { contentTypeText, pageCountText, previewText } from '../document-labels.ts';
import { fetchDocument } from '../fetch-document.ts';
import { useShownDocument } from '../shown-document.ts';

const versions = defineList({
  label: 'Versions',
  method: DocumentService.method.listVersions,
  rows: (page) => page.versions,
  request: (at: { readonly workspaceId: string; readonly documentId: string }) => at,
  idOf: ({ version }) => `${version}`,
  columns: [
    { title: 'Version', cell: (version) => <Name version={version} /> },
    { title: 'Type', isPlain: true, cell: ({ contentType }) => contentTypeText(contentType) },
    { title: 'Size', isPlain: true, cell: ({ sizeBytes }) => formatSize(sizeBytes) },
    {
      title: 'Pages',
      isMinor: true,
      isAbsent: ({ pageCount }) => pageCount === 0,
      cell: ({ pageCount }) => pageCountText(pageCount),
    },
    {
      title: 'Preview',
      isMinor: true,
      isAbsent: ({ preview }) => preview === Preview.UNSPECIFIED,
      cell: ({ preview }) => previewText(preview),
    },
    { title: 'Uploaded', cell: ({ createTime }) => <DateTime time={createTime} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (version) => <Actions version={version} />,
    },
  ],
});

export function VersionsTab() {
  const { workspaceId, id: documentId } = useShownDocument();
  const list = useList(versions, { workspaceId, documentId });
  return (
    <Section title="Versions">
      <Listing list={list} empty={{ title: 'No versions', text: 'The document was deleted.' }} />
    </Section>
  );
}

VersionsTab.reads = [versions];

type OfVersion = { readonly version: DocumentVersion };

function Name({ version: { version, current } }: OfVersion) {
  return (
    <Group gap={6} component="span" wrap="nowrap">
      <span>Version {version}</span>
      {current ? (
        <Badge component="span" variant="light">
          Current
        </Badge>
      ) : null}
    </Group>
  );
}

function Actions({ version: { version, current } }: OfVersion) {
  const document = useShownDocument();
  const { workspaceId, id: documentId } = document;
  const mayWrite = useHasScope()('documents:write');
  const mayChange = mayWrite && !current;
  const at = { workspaceId, documentId, version };
  const { open, confirm } = useDialogs();
  const restore = useMethod(DocumentService.method.restoreVersion);
  const remove = useMethod(DocumentService.method.deleteVersion);
  const { session } = useSignIn();
  const action = usePendingAction((error) =>
    open(<ErrorDialog title="Couldn’t download" error={error} />),
  );
  const download = async () => {
    const file = await fetchDocument(session, { id: documentId, workspaceId, version });
    saveFile(file, document.name);
  };
  const askToRestore = () =>
    confirm({
      title: `Restore version ${version}?`,
      consequence:
        'It becomes the current version, and the links show it within a second. The other ' +
        'versions stay.',
      label: 'Restore',
      isDestructive: false,
      done: `Version ${version} restored, same links`,
      run: () => restore(at),
    });
  const askToDelete = () =>
    confirm({
      title: `Delete version ${version}?`,
      consequence: 'The file is deleted permanently. Its views stay. You can’t undo this.',
      label: 'Delete',
      done: `Version ${version} deleted`,
      run: () => remove(at),
    });
  return (
    <RowMenu
      name={`version ${version}`}
      actions={[
        { label: 'Download', icon: IconDownload, run: () => void action.run(download) },
        mayChange && { label: 'Restore', icon: IconRestore, run: askToRestore },
        mayChange && { label: 'Delete', icon: IconTrash, run: askToDelete },
      ]}
    />
  );
}
