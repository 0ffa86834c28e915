import { Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { formatSize } from '../../../src/base/http/format-size.ts';
import { useHasScope } from '../session/session-context.tsx';
import { isEmptyList } from '../shared/lists/listing.tsx';
import { Screen } from '../shared/screen.tsx';
import { EntriesTable, entries, useEntries } from './entries-table.tsx';
import { NewFolderButton } from './new-folder-button.tsx';
import { UploadButton } from './uploads/upload-button.tsx';
import { uploadBytesMax } from './uploads/upload-limit.ts';

export function DocumentsScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/documents' });
  const mayWrite = useHasScope()('documents:write');
  const list = useEntries(workspaceId);
  const upload = mayWrite ? <UploadButton workspaceId={workspaceId} /> : undefined;
  return (
    <Screen
      about={<About mayWrite={mayWrite} />}
      actions={
        <>
          {mayWrite ? <NewFolderButton workspaceId={workspaceId} /> : null}
          {isEmptyList(list) ? null : upload}
        </>
      }
    >
      <EntriesTable
        list={list}
        workspaceId={workspaceId}
        empty={{ title: 'No documents yet', action: upload }}
      />
    </Screen>
  );
}

DocumentsScreen.reads = [entries];

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
