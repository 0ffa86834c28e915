/** The folders that lead to a document or a folder, for the breadcrumb of its page. */
import { useQuery } from '@connectrpc/connect-query';
import type { ReactNode } from 'react';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { ResourceLink } from '../shared/resource-link.tsx';

/** From the top level down to the folder, which is the last one. Empty at the top level. */
export function useFolderCrumbs(workspaceId: string, folderId: string): readonly ReactNode[] {
  const { data } = useQuery(
    FolderService.method.getFolder,
    { workspaceId, folderId },
    { enabled: folderId !== '' },
  );
  const folder = data?.folder;
  if (folderId === '' || folder === undefined) return [];
  return [...folder.ancestors, folder].map(({ id, name }) => (
    <ResourceLink key={id} id={id} name={name} workspaceId={workspaceId} />
  ));
}
