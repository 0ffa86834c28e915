import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { useHasScope } from '../session/context.tsx';
import { CreateLinkDialog } from './create-link-dialog.tsx';
import { LinksTable } from './links-table.tsx';

export function LinksPage() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/links' });
  const hasScope = useHasScope();
  const [isOpen, { open, close }] = useDisclosure(false);
  const button = hasScope('links:write') ? <Button onClick={open}>Create link</Button> : undefined;
  return (
    <Page
      title="Links"
      about="A link is an address that shows a document to whoever passes what it asks for."
      actions={button}
    >
      <LinksTable workspaceId={workspaceId} />
      <CreateLinkDialog workspaceId={workspaceId} isOpen={isOpen} close={close} />
    </Page>
  );
}
