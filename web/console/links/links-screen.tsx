import { useQuery } from '@connectrpc/connect-query';
import { Button } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { useList } from '../shared/lists/define-list.ts';
import { ButtonLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateRequest } from '../shared/use-create-request.ts';
import { LinksTable, links } from './links-table.tsx';
import { LazyShareDialog } from './share/share-button.tsx';

export function LinksScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/links' });
  const mayChange = useHasScope()('links:write');
  const open = useCreateRequest(<LazyShareDialog workspaceId={workspaceId} />);
  const list = useList(links, { workspaceId });
  const { data } = useQuery(DocumentService.method.listDocuments, { workspaceId, pageSize: 1 });
  const hasNone = data?.documents.length === 0;
  const mayCreate = mayChange && !hasNone;
  return (
    <Screen
      about="Share documents and folders by URL. Each link has its access rules and its views."
      actions={mayCreate ? <Button onClick={open}>Create link</Button> : undefined}
    >
      <LinksTable
        list={list}
        empty={mayChange && hasNone ? nothingToShare(workspaceId) : undefined}
      />
    </Screen>
  );
}

LinksScreen.reads = [links];

const nothingToShare = (workspaceId: string) => ({
  title: 'No documents to share yet',
  icon: IconFiles,
  text: 'Upload a document, then create a link to it.',
  action: (
    <ButtonLink to="/workspaces/$workspaceId/documents" params={{ workspaceId }}>
      Go to documents
    </ButtonLink>
  ),
});
