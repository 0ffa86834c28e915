import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { type Folder, FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { useFolderCrumbs } from '../folders/folder-crumbs.tsx';
import { ShareButton } from '../links/share/share-button.tsx';
import { TargetLinks } from '../links/target-links.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { EntriesTable, entries, useEntries } from './entries-table.tsx';
import { EntryMenu } from './entry-actions.tsx';
import { NewFolderButton } from './new-folder-button.tsx';
import { UploadButton } from './uploads/upload-button.tsx';

export function FolderScreen() {
  const { workspaceId, folderId } = useParams({
    from: '/shell/workspaces/$workspaceId/documents/folders/$folderId',
  });
  const query = useQuery(FolderService.method.getFolder, { workspaceId, folderId });
  const folder = query.data?.folder;
  const mayWrite = useHasScope()('documents:write');
  return (
    <Screen
      title={folder?.name}
      crumbs={useFolderCrumbs(workspaceId, folderId).slice(0, -1)}
      actions={
        folder === undefined ? undefined : (
          <>
            {mayWrite ? <NewFolderButton workspaceId={workspaceId} parentId={folderId} /> : null}
            {mayWrite ? <UploadButton workspaceId={workspaceId} folderId={folderId} /> : null}
            <ShareButton target={folder} />
            <EntryMenu entry={folder} />
          </>
        )
      }
    >
      <QueryResult label="folder" value={folder} query={query}>
        {(shown) => (
          <>
            <Content key={shown.id} folder={shown} />
            <TargetLinks key={`${shown.id} links`} target={shown} />
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

FolderScreen.reads = [FolderService.method.getFolder, entries];

function Content({ folder }: { readonly folder: Folder }) {
  const { workspaceId, id: folderId } = folder;
  const list = useEntries(workspaceId, folderId);
  return (
    <EntriesTable
      list={list}
      workspaceId={workspaceId}
      folderId={folderId}
      empty={{ title: 'This folder is empty', action: undefined }}
    />
  );
}
