import { Group } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { TextLink } from '../shared/router-links.tsx';

/** The document or the folder that a link opens. */
export function TargetLink({ link }: { readonly link: Link }) {
  const { workspaceId, documentId, documentName, folderId, folderName } = link;
  if (folderId === '') {
    return (
      <TextLink
        to="/workspaces/$workspaceId/documents/$documentId"
        params={{ workspaceId, documentId }}
        title={documentName}
      >
        {documentName}
      </TextLink>
    );
  }
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex" maw="100%">
      <IconFolder size={16} role="img" aria-label="Folder" style={{ flex: 'none' }} />
      <TextLink
        to="/workspaces/$workspaceId/documents/folders/$folderId"
        params={{ workspaceId, folderId }}
        title={folderName}
      >
        {folderName}
      </TextLink>
    </Group>
  );
}
